package v1alpha1_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

func TestRunClients(t *testing.T) {
	for _, test := range []struct {
		clients *int32
		choice  map[string]string
		want    int32
	}{
		{nil, nil, 1},
		{new(int32(3)), nil, 3},
		{new(int32(3)), map[string]string{"bs": "4k"}, 3},
		{new(int32(3)), map[string]string{"bs": "4k", "clients": "2"}, 2},
		{nil, map[string]string{"clients": "128"}, 128},
		// What validation refuses.
		{new(int32(0)), nil, 1},
		{new(int32(3)), map[string]string{"clients": "0"}, 1},
		{new(int32(3)), map[string]string{"clients": "129"}, 128},
		{new(int32(3)), map[string]string{"clients": "x"}, 1},
	} {
		spec := v1alpha1.StorageBenchmarkSpec{Clients: test.clients}
		if got := spec.RunClients(test.choice); got != test.want {
			t.Errorf("%v of %v: %d clients, want %d", test.choice, test.clients, got, test.want)
		}
	}
}

// A workload that says itself how many clients it has does not ask for those of the spec.
func TestMostClients(t *testing.T) {
	plain := v1alpha1.Workload{Name: "plain", Matrix: map[string]v1alpha1.MatrixValues{"bs": {intstr.FromString("4k")}}}
	few := v1alpha1.Workload{Name: "few", Clients: []int32{1, 4, 2}}
	for _, test := range []struct {
		name      string
		clients   *int32
		workloads []v1alpha1.Workload
		want      int32
	}{
		{"not said", nil, []v1alpha1.Workload{plain}, 1},
		{"the spec", new(int32(9)), []v1alpha1.Workload{plain}, 9},
		{"the matrix", nil, []v1alpha1.Workload{plain, few}, 4},
		{"the matrix in place of the spec", new(int32(9)), []v1alpha1.Workload{few}, 4},
		{"both", new(int32(9)), []v1alpha1.Workload{few, plain}, 9},
		{"the matrix has more", new(int32(3)), []v1alpha1.Workload{plain, few}, 4},
	} {
		spec := v1alpha1.StorageBenchmarkSpec{Clients: test.clients, Workloads: test.workloads}
		if got := spec.MostClients(); got != test.want {
			t.Errorf("%s: %d clients, want %d", test.name, got, test.want)
		}
	}
}
