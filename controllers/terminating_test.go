package controllers

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/fakecluster"
)

// No pod that removes files can be made in a namespace that is being deleted, and none ever will. Its deletion is not
// held up by trying.
func TestFilesOfANamespaceThatIsDeleted(t *testing.T) {
	w := newWorld(t)
	w.Cluster.AllPods(fakecluster.Hang(job.MeasureContainer))
	sb := create(w, builder.NewBenchmark(w.Namespace, "sb").Target(s3Target()).Workload(reads("w")).Build())
	w.untilStep(sb, v1alpha1.ReasonMeasuring)
	w.delete(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.Namespace}})

	w.delete(sb)
	w.untilGone(sb)
}
