package controllers

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/workers"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/childmeta"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/envtest"
)

// older returns a benchmark of two clients that is older than others.
func older(name string, change func(*v1alpha1.StorageBenchmark)) *v1alpha1.StorageBenchmark {
	since := metav1.NewTime(noon)
	return builder.OneRun("default", name).With(func(sb *v1alpha1.StorageBenchmark) {
		sb.UID, sb.CreationTimestamp = types.UID(name), metav1.NewTime(noon.Add(-time.Hour))
		sb.Spec.Clients, sb.Status.Anchors = new(int32(2)), []v1alpha1.Anchor{{Attempts: 3, StartTime: &since}, {Attempts: 3, StartTime: &since}}
		if change != nil {
			change(sb)
		}
	}).Build()
}

// holdersOf returns two pods of a benchmark, of which one has a node and the other one waits for one.
func holdersOf(sb *v1alpha1.StorageBenchmark, change func(*corev1.Pod, int32)) []*corev1.Pod {
	var pods []*corev1.Pod
	for i := range int32(2) {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
			Namespace: "default", Name: childmeta.AnchorName(sb, i, 3), OwnerReferences: []metav1.OwnerReference{builder.OwnedBy(sb)},
			Labels: childmeta.Labels(sb, v1alpha1.LabelHoldsNode, "true", v1alpha1.LabelRole, v1alpha1.RoleAnchor, v1alpha1.LabelAttempt, "3", v1alpha1.LabelClient, fmt.Sprint(i)),
		}}
		if i == 0 {
			pod.Spec.NodeName = "a-node"
		} else {
			pod.Status.Conditions = []corev1.PodCondition{{
				Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable,
				Message: "0/2 nodes are available: 2 node(s) didn't satisfy existing pods anti-affinity rules.",
			}}
		}
		if change != nil {
			change(pod, i)
		}
		pods = append(pods, pod)
	}
	return pods
}

// young returns a pass over a younger benchmark beside others and their pods.
func young(benchmarks []*v1alpha1.StorageBenchmark, pods []*corev1.Pod) *pass.Pass {
	sb := builder.OneRun("default", "young").Build()
	sb.UID, sb.CreationTimestamp = "young", metav1.NewTime(noon)
	c := fake.NewClientBuilder().WithScheme(envtest.Scheme()).WithObjects(sb)
	for _, other := range benchmarks {
		c.WithObjects(other)
	}
	for _, pod := range pods {
		c.WithObjects(pod)
	}
	return passOver(&Reconciler{Client: c.Build()}, sb)
}

// Pods of a benchmark that is gone, or that another operator runs, do not hide those of one that is older and in need.
func TestOlderBesideOneThatIsNotSeen(t *testing.T) {
	there := older("older", nil)
	pods := holdersOf(there, nil)
	for _, name := range []string{"gone-1", "gone-2", "gone-3"} {
		pods = append(pods, holdersOf(older(name, nil), nil)...)
	}
	s := young([]*v1alpha1.StorageBenchmark{there}, pods)
	if rivals, err := workers.Rivals(t.Context(), s); err != nil || rivals.NameOfOlder(s.SB) != "older in namespace default" {
		t.Fatalf("%q, %v", rivals.NameOfOlder(s.SB), err)
	}
}

// With an old benchmark and pods that look like its own nobody makes others give way.
func TestForgedHolders(t *testing.T) {
	for name, test := range map[string]struct {
		benchmark func(*v1alpha1.StorageBenchmark)
		pod       func(*corev1.Pod, int32)
		gives     bool
	}{
		"its own":                  {nil, nil, true},
		"labels alone":             {nil, func(pod *corev1.Pod, _ int32) { pod.OwnerReferences = nil }, false},
		"labels and owner":         {nil, func(pod *corev1.Pod, i int32) { pod.Name = fmt.Sprintf("forged-%d", i) }, false},
		"an owner that is gone":    {nil, func(pod *corev1.Pod, _ int32) { pod.OwnerReferences[0].UID = "gone" }, false},
		"one forged, one real":     {nil, func(pod *corev1.Pod, i int32) { pod.Name += strings.Repeat("x", int(i)) }, false},
		"of an attempt before":     {func(sb *v1alpha1.StorageBenchmark) { sb.Status.Anchors[1].Attempts = 4 }, nil, false},
		"of one that is suspended": {func(sb *v1alpha1.StorageBenchmark) { sb.Status.Anchors[0].StartTime = nil }, nil, false},
		"of one without anchors":   {func(sb *v1alpha1.StorageBenchmark) { sb.Status.Anchors = nil }, nil, false},
		"of one that has measured": {func(sb *v1alpha1.StorageBenchmark) {
			sb.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionMeasured, Status: metav1.ConditionTrue}}
		}, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			other := older("older", test.benchmark)
			s := young([]*v1alpha1.StorageBenchmark{other}, holdersOf(other, test.pod))
			if rivals, err := workers.Rivals(t.Context(), s); err != nil || (rivals.NameOfOlder(s.SB) != "") != test.gives {
				t.Errorf("%q, %v", rivals.NameOfOlder(s.SB), err)
			}
		})
	}
}

// Who holds nodes keeps a pod off them that finds none. Only a benchmark that holds some itself goes back for an older
// one.
func TestCompetition(t *testing.T) {
	holding := older("older", nil)
	rivals := attempt.RivalsOf(older("young", nil), []corev1.Pod{*holdersOf(holding, nil)[0], *holdersOf(holding, nil)[1]})
	rivals.Benchmarks[client.ObjectKeyFromObject(holding)] = holding
	const held = "other benchmarks measure on node a-node (older in namespace default)"
	unseen := "other benchmarks hold nodes, in namespaces that the operator cannot see (this operator is confined to namespace default): " + attempt.StartMessage(unscheduled(crowdedOut))
	for name, test := range map[string]struct {
		pod    *corev1.Pod
		rivals attempt.Rivals
		change func(*workers.PodWait)
		want   workers.Competition
	}{
		"no pod":                            {nil, rivals, nil, workers.Competition{}},
		"a pod that others do not keep off": {unscheduled("0/2 nodes are available: 2 Insufficient memory."), rivals, nil, workers.Competition{}},
		"nobody holds a node":               {unscheduled(crowdedOut), attempt.Rivals{}, nil, workers.Competition{}},
		"another one does":                  {unscheduled(crowdedOut), rivals, nil, workers.Competition{Held: held}},
		"another one does, and is older, and this one has nodes": {unscheduled(crowdedOut), rivals, func(st *workers.PodWait) { st.Yield = func(string) {} },
			workers.Competition{Held: held, Older: "older in namespace default"}},
		"nobody is seen to, in one namespace": {unscheduled(crowdedOut), attempt.Rivals{}, func(st *workers.PodWait) { st.Pass.Namespaces = []string{"default"} }, workers.Competition{Held: unseen}},
	} {
		t.Run(name, func(t *testing.T) {
			st := waiting(0, test.pod)
			st.Pass.SB.CreationTimestamp = metav1.NewTime(noon)
			if test.change != nil {
				test.change(st)
			}
			if got := st.JudgeRivals(test.rivals); got != test.want {
				t.Errorf("got  %+v\nwant %+v", got, test.want)
			}
		})
	}
}
