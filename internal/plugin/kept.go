package plugin

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/childmeta"
	"github.com/storagebench/storagebench/internal/series"
)

const (
	// maxUnzipped is the most bytes that all files of a ConfigMap may have: the operator keeps logs of up to 8 MiB, which are
	// 256 KiB when gzipped, for all clients of a run.
	maxUnzipped = 64 << 20
	// maxInflated is the most bytes that a command unzips, of all runs.
	maxInflated = 1 << 30
)

// keptFile is a file that the operator has kept of a run, such as fio.log or clients.json.
type keptFile struct {
	name    string
	content []byte
}

// isKept reports whether the operator keeps a file by a key. Others who may write ConfigMaps choose keys too, and a
// file such as .envrc would run commands in the shell of the user who enters the directory.
func isKept(key string) bool {
	return childmeta.IsLogKey(key) || key == childmeta.ClientsKey || key == series.Key
}

// kept reads the files that the operator has kept of a run: its logs first, then what each client has measured.
func (s *source) kept(ctx context.Context, run *v1alpha1.Run) ([]keptFile, error) {
	var files []keptFile
	for _, name := range []string{run.LogConfigMap, run.ClientsConfigMap} {
		if name == "" {
			continue
		}
		var configMap corev1.ConfigMap
		if err := s.from.Get(ctx, client.ObjectKey{Namespace: s.namespace, Name: name}, &configMap); err != nil {
			return nil, fmt.Errorf("read what was kept of %s: %w", run.Name, err)
		}
		left := min(maxUnzipped, s.inflatable)
		for _, key := range slices.Sorted(maps.Keys(configMap.BinaryData)) {
			if !isKept(key) {
				continue
			}
			content, err := unzip(configMap.BinaryData[key], left)
			if err != nil {
				return nil, fmt.Errorf("unzip %s of ConfigMap %s: %w", key, name, err)
			}
			left -= int64(len(content))
			s.inflatable -= int64(len(content))
			files = append(files, keptFile{strings.TrimSuffix(key, ".gz"), content})
		}
	}
	return files, nil
}

// unzip inflates at most so many bytes.
func unzip(zipped []byte, most int64) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(zipped))
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(content)) > most {
		return nil, fmt.Errorf("it is larger than the %d bytes that are left (%d MiB for a ConfigMap, %d MiB in all): name a RUN, or read it with kubectl get configmap",
			most, maxUnzipped>>20, maxInflated>>20)
	}
	return content, err
}

// isLog says whether a file is what a runner and fio printed.
func (f keptFile) isLog() bool { return strings.HasSuffix(f.name, ".log") }

// findRun returns the run with that name.
func findRun(benchmark *v1alpha1.StorageBenchmark, name string) (*v1alpha1.Run, error) {
	runs := benchmark.Status.Runs
	names := make([]string, len(runs))
	for i := range runs {
		if names[i] = runs[i].Name; names[i] == name {
			return &runs[i], nil
		}
	}
	return nil, fmt.Errorf("%s has no run %q: choose one of %s", benchmark.Name, name, strings.Join(names, ", "))
}
