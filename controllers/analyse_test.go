package controllers

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/analysis"
)

// Clients that share a node have it once, but for what their containers are limited to.
func TestShareNodes(t *testing.T) {
	told := analysis.Client{CPUMillis: 9000, MemoryBytes: 3 << 30}
	limited := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("3")}
	for name, test := range map[string]struct {
		nodes  []string
		limits corev1.ResourceList
		want   analysis.Client
	}{
		"a node each":     {[]string{"a", "b", "c"}, nil, told},
		"one node":        {[]string{"a", "a", "a"}, nil, analysis.Client{CPUMillis: 3000, MemoryBytes: 1 << 30}},
		"a limit of CPU":  {[]string{"a", "a", "a"}, limited, analysis.Client{CPUMillis: 9000, MemoryBytes: 1 << 30}},
		"two of them one": {[]string{"a", "b", "a"}, nil, analysis.Client{CPUMillis: 6000, MemoryBytes: 2 << 30}},
	} {
		sb := &v1alpha1.StorageBenchmark{Spec: v1alpha1.StorageBenchmarkSpec{Pod: &v1alpha1.PodSettings{Resources: corev1.ResourceRequirements{Limits: test.limits}}}}
		for _, node := range test.nodes {
			sb.Status.Anchors = append(sb.Status.Anchors, v1alpha1.Anchor{Node: node})
		}
		if got := (&scope{sb: sb}).shareNodes(told, 3); got != test.want {
			t.Errorf("%s: %+v, want %+v", name, got, test.want)
		}
	}
}

func TestAreNodesAlike(t *testing.T) {
	s := &scope{sb: &v1alpha1.StorageBenchmark{}}
	for _, kind := range []string{"m6i.large", "m6i.large", "c6i.large"} {
		s.sb.Status.Anchors = append(s.sb.Status.Anchors, v1alpha1.Anchor{InstanceType: kind})
	}
	for clients, want := range map[int32]bool{1: true, 2: true, 3: false} {
		if got := s.areNodesAlike(clients); got != want {
			t.Errorf("nodes of %d clients are alike: %t", clients, got)
		}
	}
	if !(&scope{sb: &v1alpha1.StorageBenchmark{}}).areNodesAlike(1) {
		t.Error("a run without an anchor has unlike nodes")
	}
}
