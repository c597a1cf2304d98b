package cleanup

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/humanize"
)

// Leftover is something that is not gone yet, and how a person can see to it.
type Leftover struct {
	// What names it, and Command is what a person can do to be rid of it.
	What, Command string
	// Lost is a pod that nobody will hear of again, or a Job that is kept after its deletion.
	Lost bool
	// Abandoned is what is not tried any longer, so that it holds back nothing else.
	Abandoned bool
	Cost      Cost
}

// Cost says what it costs to leave something behind, 0 if nothing. What costs most is named first where not all can be named.
type Cost int

// The costs.
const (
	KeepsVolume Cost = iota + 1 // a claim, with which its volume stays
	Paid                        // a volume
)

// WithoutLost leaves out what need not be waited for, because nobody will hear of it again.
func WithoutLost(left []Leftover) []Leftover {
	return slices.DeleteFunc(slices.Clone(left), func(l Leftover) bool { return l.Lost })
}

// WithoutAbandoned leaves out what is not tried any longer.
func WithoutAbandoned(left []Leftover) []Leftover {
	return slices.DeleteFunc(slices.Clone(left), func(l Leftover) bool { return l.Abandoned })
}

// LeftJob says how to be rid of a Job. One that a finalizer of somebody's keeps measures nothing: its pods are looked at by themselves.
func LeftJob(j *batchv1.Job, now time.Time) Leftover {
	return Leftover{What: "Job " + j.Name, Command: fmt.Sprintf("kubectl delete job -n %s %s", j.Namespace, j.Name), Lost: attempt.IsLost(j, now)}
}

// LeftPod says how to be rid of a pod. Of one that its kubelet cannot end, that removes no more than the object: what
// hangs in the kernel ends when its storage answers, or with the node.
func LeftPod(pod *corev1.Pod, now time.Time) Leftover {
	left := Leftover{What: "pod " + pod.Name, Command: fmt.Sprintf("kubectl delete pod --force -n %s %s", pod.Namespace, pod.Name), Lost: attempt.IsLost(pod, now)}
	if node := pod.Spec.NodeName; node != "" && !attempt.HasEnded(pod) && !pod.DeletionTimestamp.IsZero() && now.After(pod.DeletionTimestamp.Time) {
		left.What += " on node " + node
		left.Command += "; where its storage does not answer, its processes and mounts stay on the node until the storage answers or the node restarts"
	}
	return left
}

// LeftClaim says how to be rid of a claim.
func LeftClaim(claim *corev1.PersistentVolumeClaim) Leftover {
	return Leftover{What: "claim " + claim.Name, Command: fmt.Sprintf("kubectl delete pvc -n %s %s", claim.Namespace, claim.Name), Cost: KeepsVolume}
}

// LeftVolume says how to be rid of a volume, by what becomes of it, nil if it is gone or stays because it is somebody's.
func LeftVolume(volume v1alpha1.VolumeStatus, fate Fate) []Leftover {
	left := Leftover{What: fmt.Sprintf("volume %s (%s)", volume.Name, volume.Handle), Cost: Paid}
	switch fate {
	case Goes, Retained:
		left.Command = "kubectl delete pv " + volume.Name
	case Unknown:
		left.Command = "kubectl get pv " + volume.Name
	case Stays, NotOurs:
		return nil
	}
	return []Leftover{left}
}

// LeftByError is what could not be removed, or looked for, because a call failed.
func LeftByError(err error) Leftover {
	return Leftover{What: "what the API server kept", Command: "it answered: " + err.Error()}
}

// MaxNamed is how many things that are waited for, or kept, are named: many clients leave many.
const MaxNamed = 16

// Names names what is left.
func Names(left []Leftover) string {
	var texts []string
	for _, l := range left {
		texts = append(texts, l.What)
	}
	return humanize.Few(texts, MaxNamed)
}

// Instructions names what is left, with what a person can do. Of more than an event can tell, what costs money comes first.
func Instructions(left []Leftover) string {
	text := instructionsInOrder(left)
	if len(text) <= maxInstructions {
		return text
	}
	return instructionsInOrder(slices.SortedStableFunc(slices.Values(left), func(a, b Leftover) int { return cmp.Compare(b.Cost, a.Cost) }))
}

// maxInstructions is the most bytes of instructions that are not cut in an event: the API server accepts a note of 1,024, and there are words before them.
const maxInstructions = 1024 - 128

func instructionsInOrder(left []Leftover) string {
	var texts []string
	for _, l := range left {
		texts = append(texts, fmt.Sprintf("%s (%s)", l.What, l.Command))
	}
	return strings.Join(texts, "; ")
}
