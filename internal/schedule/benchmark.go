package schedule

import (
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// Kind is that of schedules.
const Kind = "StorageBenchmarkSchedule"

// HistoryConfigMap returns a ConfigMap for a schedule's history, which goes with the schedule. It has no points yet.
func HistoryConfigMap(s *v1alpha1.StorageBenchmarkSchedule, name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Namespace: s.Namespace, Name: name, OwnerReferences: []metav1.OwnerReference{Owner(s)},
		Labels: map[string]string{v1alpha1.LabelManagedBy: v1alpha1.ManagedBy, v1alpha1.LabelSchedule: s.Name},
	}}
}

// ForStart returns the StorageBenchmark of a start.
func ForStart(s *v1alpha1.StorageBenchmarkSchedule, due time.Time) *v1alpha1.StorageBenchmark {
	sb := fromTemplate(s)
	sb.Name = Name(s.Name, s.UID, due)
	sb.Annotations[v1alpha1.AnnotationScheduledTime] = due.UTC().Format(time.RFC3339)
	return sb
}

// Requested returns a StorageBenchmark that somebody has made beside the starts. The API server gives it the rest of its name.
func Requested(s *v1alpha1.StorageBenchmarkSchedule) *v1alpha1.StorageBenchmark {
	sb := fromTemplate(s)
	sb.GenerateName = s.Name + "-now-"
	sb.Annotations[v1alpha1.AnnotationRequested] = "true"
	return sb
}

// Owner makes a schedule the controller of what goes with it. It does not block the schedule's deletion, which takes no further right.
func Owner(s *v1alpha1.StorageBenchmarkSchedule) metav1.OwnerReference {
	return metav1.OwnerReference{APIVersion: v1alpha1.GroupVersion.String(), Kind: Kind, Name: s.Name, UID: s.UID, Controller: new(true)}
}

// fromTemplate returns a StorageBenchmark without a name.
func fromTemplate(s *v1alpha1.StorageBenchmarkSchedule) *v1alpha1.StorageBenchmark {
	t := s.Spec.Template.DeepCopy()
	sb := &v1alpha1.StorageBenchmark{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: s.Namespace, Labels: map[string]string{}, Annotations: map[string]string{}, OwnerReferences: []metav1.OwnerReference{Owner(s)},
		},
		Spec: t.Spec,
	}
	copyOthers(sb.Labels, t.Metadata.Labels)
	copyOthers(sb.Annotations, t.Metadata.Annotations)
	sb.Labels[v1alpha1.LabelSchedule] = s.Name
	return sb
}

// copyOthers copies labels or annotations that are not the operator's own. The API server refuses a template with these, where its
// CustomResourceDefinition is not older.
func copyOthers(to, from map[string]string) {
	for key, value := range from {
		if !strings.HasPrefix(key, own) {
			to[key] = value
		}
	}
}

// own is what the operator's own labels and annotations begin with.
var own = v1alpha1.GroupVersion.Group + "/"
