package plugin

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/fioimport"
	"github.com/storagebench/storagebench/internal/fioresult"
	"github.com/storagebench/storagebench/internal/humanize"
	"github.com/storagebench/storagebench/internal/report/export"
)

// maxFile bounds the files that are read: 200 of the largest benchmarks, or the output of fio for a day with a
// report each second.
const maxFile = 256 << 20

// isPath reports whether an argument names a file: standard input, a path with a directory that is given as one, or
// a name that ends as files of results do. Every other argument is the name of a resource.
func isPath(argument string) bool {
	switch filepath.Ext(argument) {
	case ".json", ".yaml", ".yml", ".txt", ".log", ".out":
		return true
	}
	return argument == "-" || strings.HasPrefix(argument, "./") || strings.HasPrefix(argument, "../") || filepath.IsAbs(argument)
}

// saved is what a file has: StorageBenchmarks and schedules, and ConfigMaps with what was kept of them. All are as
// harmless to print as what comes from a cluster.
type saved struct {
	path    string
	objects []client.Object
}

// source returns the file as a source of what an argument names, in the namespace of the first benchmark or
// schedule of that name.
func (f *saved) source(argument string) *source {
	name := argument
	if schedule, is := scheduleNamed(argument); is {
		name = schedule
	}
	return &source{from: f, namespace: f.namespaceOf(name), inflatable: maxInflated}
}

func (f *saved) namespaceOf(name string) string {
	for _, object := range f.objects {
		if isResult(object) && object.GetName() == name {
			return object.GetNamespace()
		}
	}
	return ""
}

// isResult reports whether an object is one that commands are about.
func isResult(object client.Object) bool {
	switch object.(type) {
	case *v1alpha1.StorageBenchmark, *v1alpha1.StorageBenchmarkSchedule:
		return true
	}
	return false
}

// only returns the name of the only benchmark of the file, as an argument: schedule/NAME if the file has a schedule
// and no benchmark.
func (f *saved) only() (string, error) {
	var benchmarks, schedules []string
	for _, object := range f.objects {
		switch object.(type) {
		case *v1alpha1.StorageBenchmark:
			benchmarks = append(benchmarks, object.GetName())
		case *v1alpha1.StorageBenchmarkSchedule:
			schedules = append(schedules, schedulePrefix+object.GetName())
		}
	}
	names := benchmarks
	if len(names) == 0 {
		names = schedules
	}
	switch len(names) {
	case 0:
		return "", fmt.Errorf("%s has no StorageBenchmark and no StorageBenchmarkSchedule, and is not what fio printed", f.path)
	case 1:
		return names[0], nil
	}
	return "", fmt.Errorf("%s has %s: name one, as in -f %s %s", f.path, humanize.Few(names, 12), f.path, names[0])
}

// Get implements client.Reader.
func (f *saved) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	for _, object := range f.objects {
		if reflect.TypeOf(object) == reflect.TypeOf(into) && client.ObjectKeyFromObject(object) == key {
			reflect.ValueOf(into).Elem().Set(reflect.ValueOf(object.DeepCopyObject()).Elem())
			return nil
		}
	}
	return apierrors.NewNotFound(schema.GroupResource{Resource: "file " + f.path}, key.Name)
}

// List implements client.Reader. No command lists what a file has.
func (f *saved) List(context.Context, client.ObjectList, ...client.ListOption) error {
	return errors.ErrUnsupported
}

// readFile reads a file, or standard input, up to a bound.
func readFile(cmd *cobra.Command, path string) ([]byte, error) {
	in := cmd.InOrStdin()
	if path != "-" {
		file, err := os.Open(path) //nolint:gosec // the user has named the file, or its directory
		if err != nil {
			return nil, err
		}
		defer file.Close()
		in = file
	}
	content, err := io.ReadAll(io.LimitReader(in, maxFile+1))
	if err == nil && len(content) > maxFile {
		err = fmt.Errorf("%s is larger than %d MiB", path, maxFile>>20)
	}
	return content, err
}

// read reads the results of a file.
func (o *storageOptions) read(cmd *cobra.Command, path string) (*saved, error) {
	content, err := readFile(cmd, path)
	if err != nil {
		return nil, err
	}
	return o.parse(cmd, path, content)
}

// parse returns the results that a file holds: what fio printed, resources as "kubectl get -o yaml" and "-o json"
// print them, or what "report -o json" printed.
func (o *storageOptions) parse(cmd *cobra.Command, path string, content []byte) (*saved, error) {
	if document := documentIn(content); document != nil {
		return savedDocument(path, document)
	}
	if !isOfFio(content) {
		return readResources(path, content)
	}
	o.used = true
	on, err := o.described()
	if err != nil {
		return nil, err
	}
	sb, note, err := fioresult.Benchmark(nameOfFile(path), content, on)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if note != "" {
		cmd.PrintErrf("%s: %s\n", path, note)
	}
	makeHarmless(sb)
	return &saved{path, []client.Object{sb}}, nil
}

// documentIn returns the JSON document that a command of the plugin printed, nil if the content is another.
func documentIn(content []byte) *export.Printed {
	begin := content[:min(len(content), 512)]
	if !bytes.HasPrefix(bytes.TrimSpace(begin), []byte("{")) || bytes.Contains(begin, []byte(`"fio version"`)) {
		return nil
	}
	printed := &export.Printed{}
	if json.Unmarshal(content, printed) != nil || !printed.IsOurs() {
		return nil
	}
	return printed
}

// savedDocument returns the benchmark that a document of "report -o json" holds.
func savedDocument(path string, printed *export.Printed) (*saved, error) {
	if err := printed.Check(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	makeHarmless(printed.Resource)
	return &saved{path, []client.Object{printed.Resource}}, nil
}

// nameOfFile returns what a benchmark is called that a file of fio has become.
func nameOfFile(path string) string {
	if path == "-" {
		return "fio"
	}
	base := filepath.Base(path)
	return fioimport.Label(strings.TrimSuffix(base, filepath.Ext(base)))
}

var (
	// ofResources matches the member that each resource has, and ofFio what fio prints. The message of a run may quote
	// fio.
	ofResources = regexp.MustCompile(`(?m)^[\s{-]*"?apiVersion"?\s*:`)
	ofFio       = regexp.MustCompile(`(?m)^\s*"fio version"\s*:|\{\s*"fio version"|^\S.*: \(groupid=\d+, jobs=\d+\)`)
)

// isOfFio reports whether a text is what fio printed, as JSON or for people.
func isOfFio(content []byte) bool { return !ofResources.Match(content) && ofFio.Match(content) }

// readResources reads YAML documents, or JSON, with resources and lists of them. Those that results do not consist
// of are passed over.
func readResources(path string, content []byte) (*saved, error) {
	f := &saved{path: path}
	decoder := serializer.NewCodecFactory(newScheme()).UniversalDeserializer()
	documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(content)))
	for number := 1; ; number++ {
		document, err := documents.Read()
		switch {
		case errors.Is(err, io.EOF):
			return f, nil
		case err != nil:
			return nil, fmt.Errorf("read %s: %w", path, err)
		case isEmpty(document):
			continue
		}
		if err := f.add(decoder, document, false); err != nil {
			return nil, fmt.Errorf("%s, document %d: %w", path, number, err)
		}
	}
}

// add adds the resources of a document, or of an item of a list.
func (f *saved) add(decoder runtime.Decoder, document []byte, isItem bool) error {
	object, kind, err := decoder.Decode(document, nil, nil)
	if kind != nil && !isRead(*kind) {
		return nil
	}
	if kind == nil && err != nil {
		return fmt.Errorf("it is neither a resource nor what fio printed (--output-format=json+ is best): %w", err)
	}
	if err != nil {
		return err
	}
	if list, is := object.(*corev1.List); is {
		if isItem {
			return errors.New("it is a List in a List, as kubectl prints none")
		}
		for i := range list.Items {
			if err := f.add(decoder, list.Items[i].Raw, true); err != nil {
				return fmt.Errorf("item %d: %w", i+1, err)
			}
		}
		return nil
	}
	if meta.IsListType(object) {
		return meta.EachListItem(object, func(item runtime.Object) error { return f.keep(item) })
	}
	return f.keep(object)
}

// isRead reports whether resources of a kind are part of results.
func isRead(kind schema.GroupVersionKind) bool {
	return kind.Group == v1alpha1.GroupVersion.Group || kind == corev1.SchemeGroupVersion.WithKind("ConfigMap") || kind == corev1.SchemeGroupVersion.WithKind("List")
}

func (f *saved) keep(object runtime.Object) error {
	kept, is := object.(client.Object)
	if !is {
		return fmt.Errorf("a %T is no resource", object)
	}
	if accessor, err := meta.TypeAccessor(kept); err == nil && accessor.GetKind() == "" { // an item of a list
		accessor.SetAPIVersion(v1alpha1.GroupVersion.String())
		accessor.SetKind(reflect.TypeOf(object).Elem().Name())
	}
	makeHarmless(kept)
	f.objects = append(f.objects, kept)
	return nil
}
