// Package childmeta makes the metadata of the objects that the operator creates for a benchmark.
package childmeta

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

const (
	// maxName leaves room for the suffix that the Job controller appends to the names of pods, which have
	// at most 63 characters.
	maxName   = 63 - len("-xxxxx")
	hashChars = 8
)

// Name returns the name of a child of the benchmark: a DNS label of at most 57 characters that begins
// with the benchmark's name, names the parts, and ends in a hash of the benchmark's UID and the parts. So
// it is the same at every call, differs for a benchmark that was deleted and created again under its
// name, and is nobody else's.
func Name(sb *v1alpha1.StorageBenchmark, parts ...string) string {
	sum := sha256.Sum256([]byte(string(sb.UID) + "/" + strings.Join(parts, "/")))
	hash := hex.EncodeToString(sum[:])[:hashChars]
	readable := strings.ReplaceAll(strings.Join(append([]string{sb.Name}, parts...), "-"), ".", "-")
	if limit := maxName - len(hash) - 1; len(readable) > limit {
		readable = strings.TrimRight(readable[:limit], "-")
	}
	return readable + "-" + hash
}

// Client returns the part of a name that stands for a client, counted from 0.
func Client(client int32) string { return "client-" + strconv.Itoa(int(client)) }

// Directory returns the name of the directory for the benchmark's test files on a volume. It is unique, so
// that removing it removes nothing else.
func Directory(sb *v1alpha1.StorageBenchmark) string {
	return "storagebench-" + string(sb.UID)
}

// Labels returns the labels of a child: those that every child has, and the given pairs of key and value.
func Labels(sb *v1alpha1.StorageBenchmark, pairs ...string) map[string]string {
	labels := map[string]string{
		v1alpha1.LabelManagedBy: v1alpha1.ManagedBy,
		v1alpha1.LabelBenchmark: sb.Name,
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		labels[pairs[i]] = pairs[i+1]
	}
	return labels
}

// ClusterLabels returns the labels of an object without a namespace: those of a child, and the benchmark's namespace
// and UID. Such an object has no owner; by these labels it is found and removed.
func ClusterLabels(sb *v1alpha1.StorageBenchmark, pairs ...string) map[string]string {
	return Labels(sb, append([]string{v1alpha1.LabelNamespace, sb.Namespace, v1alpha1.LabelUID, string(sb.UID)}, pairs...)...)
}

// OwnerReference makes the benchmark the controller of a child in its namespace.
func OwnerReference(sb *v1alpha1.StorageBenchmark) *metav1ac.OwnerReferenceApplyConfiguration {
	return metav1ac.OwnerReference().
		WithAPIVersion(v1alpha1.GroupVersion.String()).
		WithKind("StorageBenchmark").
		WithName(sb.Name).
		WithUID(sb.UID).
		WithController(true).
		WithBlockOwnerDeletion(true)
}
