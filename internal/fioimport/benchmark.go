package fioimport

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/fio"
	"github.com/storagebench/storagebench/internal/plan"
	"github.com/storagebench/storagebench/internal/storage"
)

// Benchmark returns the StorageBenchmark of an import on targets, which are new volumes or claims. New volumes without a capacity
// get one in which the test files have room. What targets have to be for it is added to the notes. The error has all that the operator would refuse, each in a line.
func (i *Import) Benchmark(name string, targets []v1alpha1.Target) (*v1alpha1.StorageBenchmark, error) {
	if name == "" {
		name = i.Workload.Name
	}
	sb := &v1alpha1.StorageBenchmark{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: "StorageBenchmark"},
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       v1alpha1.StorageBenchmarkSpec{Workloads: []v1alpha1.Workload{i.Workload}},
	}
	volumes := plan.Volumes{} // of claims, which are taken for what the import needs
	for _, target := range targets {
		i.adapt(&target)
		sb.Spec.Targets = append(sb.Spec.Targets, target)
		if i.Block {
			volumes[target.Name] = plan.Volume{Mode: corev1.PersistentVolumeBlock}
		}
	}
	_, problems := plan.Runs(sb.Spec.DeepCopy().Default(), volumes)
	errs := make([]error, len(problems))
	for at, problem := range problems {
		errs[at] = problem
	}
	return sb, errors.Join(errs...)
}

// adapt gives a target what the import needs of it.
func (i *Import) adapt(t *v1alpha1.Target) {
	switch {
	case i.Block && storage.IsProvisioned(t):
		t.VolumeMode = new(corev1.PersistentVolumeBlock)
	case i.Block:
		i.Notes = appendNew(i.Notes, fmt.Sprintf("claim %s has to have volumeMode Block, and is only read", *t.ClaimName))
	}
	if t.Capacity == nil && storage.IsProvisioned(t) {
		t.Capacity = i.capacity(t)
	}
}

// capacity returns the size of a new volume for test files that do not fit into the default; nil if they do. A file system
// takes a part for itself, so there is an eighth more.
func (i *Import) capacity(t *v1alpha1.Target) *resource.Quantity {
	const gib = 1 << 30
	job := i.job()
	bytes, known := fio.FileBytes(job)
	what := "test files take"
	if i.Block {
		// All clones work in the same place.
		bytes, known = fio.FileBytes(job.With([]fio.Setting{{Name: "filename", Value: "device"}}))
		what = "jobs use"
	}
	usual := storage.Capacity(t)
	if !known || bytes <= usual.Value()*8/9 || bytes > 1<<60 {
		return nil
	}
	capacity := resource.NewQuantity((bytes+bytes/8+gib-1)/gib*gib, resource.BinarySI)
	i.Notes = appendNew(i.Notes, fmt.Sprintf("capacity %s, because the %s %s; --capacity gives another", capacity, what, resource.NewQuantity(bytes, resource.BinarySI)))
	return capacity
}

// job returns what fio does.
func (i *Import) job() *fio.JobFile {
	if i.Workload.Fio != nil {
		return fio.FromParameters(i.Workload.Name, i.Workload.Fio)
	}
	file, err := fio.Parse(*i.Workload.JobFile)
	if err != nil {
		return &fio.JobFile{} // not after an import
	}
	return file
}

// Write writes a StorageBenchmark as people write it: fields in the order of the API, no status, and text of several lines as it is.
func Write(w io.Writer, sb *v1alpha1.StorageBenchmark) error {
	// By way of JSON, because that keeps the order of fields, knows what to leave out, and is YAML.
	text, err := json.Marshal(struct {
		APIVersion string                        `json:"apiVersion"`
		Kind       string                        `json:"kind"`
		Metadata   metav1.ObjectMeta             `json:"metadata"`
		Spec       v1alpha1.StorageBenchmarkSpec `json:"spec"`
	}{sb.APIVersion, sb.Kind, sb.ObjectMeta, sb.Spec})
	if err != nil {
		return fmt.Errorf("encode the benchmark: %w", err)
	}
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return fmt.Errorf("encode the benchmark: %w", err)
	}
	if err := format(&document); err != nil {
		return fmt.Errorf("encode the benchmark: %w", err)
	}
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	encoder.CompactSeqIndent()
	if err := errors.Join(encoder.Encode(&document), encoder.Close()); err != nil {
		return fmt.Errorf("encode the benchmark: %w", err)
	}
	_, err = w.Write(out.Bytes())
	return err
}

// format takes the style of JSON from a node and all below it. Strings are written as if they were encoded alone, which has
// quotes around y and no: they are words to this library and truth values to those that read YAML 1.1, as Kubernetes does.
func format(node *yaml.Node) error {
	node.Style = 0
	if node.Kind == yaml.ScalarNode && node.ShortTag() == "!!str" {
		return node.Encode(node.Value)
	}
	var errs []error
	for _, child := range node.Content {
		errs = append(errs, format(child))
	}
	return errors.Join(errs...)
}
