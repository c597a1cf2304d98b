// Package v1alpha1 is the contract between storagebench and its users: StorageBenchmark and
// StorageBenchmarkSchedule, their defaults and validation rules, and the names of conditions, reasons and labels.
//
// +kubebuilder:object:generate=true
// +groupName=storagebench.dev
package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var (
	// GroupVersion is the group and version of the types in this package.
	GroupVersion = schema.GroupVersion{Group: "storagebench.dev", Version: "v1alpha1"}

	// SchemeBuilder collects the functions that add this package's types to a scheme.
	SchemeBuilder = runtime.NewSchemeBuilder(addKnownTypes)

	// AddToScheme adds the types of this package to a scheme.
	AddToScheme = SchemeBuilder.AddToScheme
)

func addKnownTypes(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion, &StorageBenchmark{}, &StorageBenchmarkList{}, &StorageBenchmarkSchedule{}, &StorageBenchmarkScheduleList{})
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}
