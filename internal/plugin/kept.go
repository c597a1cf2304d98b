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
)

// maxUnzipped is the most bytes that a file of a ConfigMap may have: the operator keeps logs of up to 8 MiB.
const maxUnzipped = 64 << 20

// keptFile is a file that the operator has kept of a run, such as fio.log or clients.json.
type keptFile struct {
	name    string
	content []byte
}

// kept reads the files that were kept of a run: its logs first, then what each client has measured.
func (c *cluster) kept(ctx context.Context, run *v1alpha1.Run) ([]keptFile, error) {
	var files []keptFile
	for _, name := range []string{run.LogConfigMap, run.ClientsConfigMap} {
		if name == "" {
			continue
		}
		var configMap corev1.ConfigMap
		if err := c.Get(ctx, client.ObjectKey{Namespace: c.namespace, Name: name}, &configMap); err != nil {
			return nil, fmt.Errorf("read what was kept of %s: %w", run.Name, err)
		}
		for _, key := range slices.Sorted(maps.Keys(configMap.BinaryData)) {
			content, err := unzip(configMap.BinaryData[key])
			if err != nil {
				return nil, fmt.Errorf("unzip %s of ConfigMap %s: %w", key, name, err)
			}
			files = append(files, keptFile{strings.TrimSuffix(key, ".gz"), content})
		}
	}
	return files, nil
}

func unzip(zipped []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(zipped))
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(io.LimitReader(r, maxUnzipped+1))
	if err == nil && len(content) > maxUnzipped {
		err = fmt.Errorf("it has more than %d bytes", maxUnzipped)
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
