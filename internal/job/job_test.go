package job

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	batchv1ac "k8s.io/client-go/applyconfigurations/batch/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/childmeta"
	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/fio"
	"github.com/storagebench/storagebench/internal/steady"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/envtest"
)

func TestMain(m *testing.M) { envtest.Main(m) }

var image = Image{Name: "runner:1", PullPolicy: corev1.PullIfNotPresent}

func benchmark(change func(*v1alpha1.StorageBenchmark)) *v1alpha1.StorageBenchmark {
	return builder.NewBenchmark("ns", "sb").Workload(builder.NewWorkload("reads")).With(func(sb *v1alpha1.StorageBenchmark) {
		sb.UID = "u1"
		sb.Spec.Deadlines.IOProgressSeconds, sb.Spec.Deadlines.RunCompletionSeconds = new(int32(90)), new(int32(3600))
		if change != nil {
			change(sb)
		}
	}).Build()
}

// built returns the Job of an apply configuration.
func built(t *testing.T, configuration *batchv1ac.JobApplyConfiguration) *batchv1.Job {
	t.Helper()
	return read[batchv1.Job](t, configuration)
}

// read returns the object of an apply configuration.
func read[T any](t *testing.T, configuration any) *T {
	t.Helper()
	text, err := json.Marshal(configuration)
	if err != nil {
		t.Fatal(err)
	}
	object := new(T)
	if err := json.Unmarshal(text, object); err != nil {
		t.Fatal(err)
	}
	return object
}

func fileRun() Run {
	return Run{
		Name: "reads.fast", Attempt: 2, Clients: 1, JobFile: "[reads]\n", LayoutFile: "[layout]\n", Node: "node-1",
		Volume: Volume{Target: "fast", Claim: "claim", Mode: corev1.PersistentVolumeFilesystem},
	}
}

// runContainer returns a container of a run, with a variable for its job file.
func runContainer(name, jobFile string, args ...string) corev1.Container {
	env := []corev1.EnvVar{{Name: "STORAGEBENCH_JOB_FILE", Value: jobFile}}
	if name == MeasureContainer {
		env = append(env, corev1.EnvVar{Name: "STORAGEBENCH_POD_UID", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.uid"}}})
	}
	return corev1.Container{
		Name: name, Image: "runner:1", ImagePullPolicy: corev1.PullIfNotPresent, Args: args,
		Env:                      env,
		TerminationMessagePolicy: corev1.TerminationMessageReadFile,
		VolumeMounts:             []corev1.VolumeMount{{Name: "scratch", MountPath: "/tmp"}, {Name: "target", MountPath: "/volume"}},
		SecurityContext: &corev1.SecurityContext{
			AllowPrivilegeEscalation: new(false), ReadOnlyRootFilesystem: new(true),
			Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
		},
	}
}

// A client that measures alone lays out its files in the container that measures.
func TestForRun(t *testing.T) {
	sb := benchmark(nil)
	labels := map[string]string{
		"app.kubernetes.io/managed-by": "storagebench", "storagebench.dev/benchmark": "sb", "storagebench.dev/target": "fast",
		"storagebench.dev/role": "run", "storagebench.dev/attempt": "2", "storagebench.dev/client": "0",
	}
	annotations := map[string]string{
		"storagebench.dev/run": "reads.fast", "cluster-autoscaler.kubernetes.io/safe-to-evict": "false", "karpenter.sh/do-not-disrupt": "true",
	}
	measure := runContainer("fio", "[reads]\n", "measure", "--progress-deadline=1m30s", "--directory=/volume/storagebench-u1", "--layout")
	measure.Env = append(measure.Env, corev1.EnvVar{Name: "STORAGEBENCH_LAYOUT_FILE", Value: "[layout]\n"})
	want := &batchv1.Job{
		TypeMeta: metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "ns", Name: childmeta.Name(sb, "reads.fast", "2"), Labels: labels, Annotations: annotations,
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: "storagebench.dev/v1alpha1", Kind: "StorageBenchmark", Name: "sb", UID: "u1", Controller: new(true), BlockOwnerDeletion: new(true),
			}},
		},
		Spec: batchv1.JobSpec{
			BackoffLimit: new(int32(0)),
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels, Annotations: annotations},
				Spec: corev1.PodSpec{
					RestartPolicy: corev1.RestartPolicyNever, AutomountServiceAccountToken: new(false), EnableServiceLinks: new(false), ShareProcessNamespace: new(true),
					TerminationGracePeriodSeconds: new(int64(10)),
					NodeSelector:                  map[string]string{"kubernetes.io/os": "linux"},
					ActiveDeadlineSeconds:         new(int64(24*3600 + 3600)), // podStartSeconds is not set
					SecurityContext: &corev1.PodSecurityContext{
						RunAsNonRoot: new(true), RunAsUser: new(int64(65532)), RunAsGroup: new(int64(65532)), FSGroup: new(int64(65532)),
						FSGroupChangePolicy: new(corev1.FSGroupChangeOnRootMismatch),
						SeccompProfile:      &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
					},
					Containers: []corev1.Container{measure},
					Volumes: []corev1.Volume{
						{Name: "scratch", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{SizeLimit: new(resource.MustParse("256Mi"))}}},
						{Name: "target", VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "claim"}}},
					},
					Tolerations: []corev1.Toleration{{Key: "node.kubernetes.io/unschedulable", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule}},
					Affinity: &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
						NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchFields: []corev1.NodeSelectorRequirement{{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{"node-1"}}}}},
					}}},
				},
			},
		},
	}
	if diff := cmp.Diff(want, built(t, ForRun(sb, image, fileRun()))); diff != "" {
		t.Errorf("Job (-want +got):\n%s", diff)
	}
}

// clientRun is what a client of three does on a file system that they share.
func clientRun(client int32) Run {
	run := fileRun()
	run.Client, run.Clients, run.Volume.Subdirectory = client, 3, childmeta.Client(client)
	return run
}

// Of clients each has a Job of its own, whose pod lays out and measures in a directory of its own, and begins to measure
// at an instant that it is told by an annotation. An init container lays out, by whose end the operator knows that the client
// waits for that. Nothing else differs from what a single client does.
func TestForRunOfClients(t *testing.T) {
	sb := benchmark(func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Clients = new(int32(3)) })
	for client, name := range []string{childmeta.Name(sb, "reads.fast", "2"), childmeta.Name(sb, "reads.fast", "2", "client-1")} {
		number := strconv.Itoa(client)
		want := built(t, ForRun(sb, image, fileRun()))
		want.Name, want.Labels["storagebench.dev/client"], want.Spec.Template.Labels["storagebench.dev/client"] = name, number, number
		pod := &want.Spec.Template.Spec
		directory := "--directory=/volume/storagebench-u1/client-" + number
		others := "--other-directories=" + []string{"client-1,client-2", "client-0,client-2"}[client]
		layout := runContainer("layout", "[layout]\n", "layout", "--progress-deadline=1m30s", directory, others)
		pod.InitContainers = []corev1.Container{layout}
		pod.Containers[0] = runContainer("fio", "[reads]\n", "measure", "--progress-deadline=1m30s", directory, others, "--start-file=/start/time", "--start-deadline=1h0m0s")
		pod.Containers[0].VolumeMounts = append(pod.Containers[0].VolumeMounts, corev1.VolumeMount{Name: "start", MountPath: "/start", ReadOnly: true})
		pod.Volumes = append(pod.Volumes, corev1.Volume{Name: "start", VolumeSource: corev1.VolumeSource{DownwardAPI: &corev1.DownwardAPIVolumeSource{
			Items: []corev1.DownwardAPIVolumeFile{{Path: "time", FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.annotations['storagebench.dev/start-time']"}}},
		}}})
		if diff := cmp.Diff(want, built(t, ForRun(sb, image, clientRun(int32(client))))); diff != "" {
			t.Errorf("Job of client %d (-want +got):\n%s", client, diff)
		}
	}
}

// The container that lays out keeps to the same reserve as the one that measures. A device has no reserve.
func TestForRunWithReserve(t *testing.T) {
	run := clientRun(1)
	run.Volume.OwnClaim, run.Volume.FreeSpaceReserve = true, new(int64(1<<20))
	pod := built(t, ForRun(benchmark(nil), image, run)).Spec.Template.Spec
	for _, c := range append(pod.InitContainers, pod.Containers...) {
		if !slices.Contains(c.Args, "--own-claim") || !slices.Contains(c.Args, "--free-space-reserve=1048576") {
			t.Errorf("container %s has arguments %q", c.Name, c.Args)
		}
	}
	run.Volume.Mode = corev1.PersistentVolumeBlock
	for _, c := range built(t, ForRun(benchmark(nil), image, run)).Spec.Template.Spec.Containers {
		if slices.Contains(c.Args, "--own-claim") || slices.Contains(c.Args, "--free-space-reserve=1048576") {
			t.Errorf("on a device, container %s has arguments %q", c.Name, c.Args)
		}
	}
}

// Where clients have a volume each, or an object store, no directory is in the way.
func TestDirectory(t *testing.T) {
	for want, volume := range map[string]Volume{
		"/volume/storagebench-u1":          {},
		"/volume/storagebench-u1/client-2": {Subdirectory: "client-2"},
		"/volume":                          {Exclusive: true},
	} {
		if got := Directory(benchmark(nil), volume); got != want {
			t.Errorf("directory on %+v is %s, want %s", volume, got, want)
		}
	}
}

// In an object store the directory is held, where the benchmark has not all of the volume.
func TestDirectoryIsHeld(t *testing.T) {
	const files = corev1.PersistentVolumeFilesystem
	for want, volume := range map[bool]Volume{
		true: {Mode: files, Objects: true}, false: {Mode: files, Objects: true, Exclusive: true},
	} {
		run := fileRun()
		run.Volume = volume
		made := built(t, ForRun(benchmark(nil), image, run))
		if got := slices.Contains(made.Spec.Template.Spec.Containers[0].Args, "--hold-directory"); got != want {
			t.Errorf("on %+v the directory is held: %t", volume, got)
		}
	}
}

// No two Jobs or pods have the same name, and those of the first client have the names that a single one has.
func TestNames(t *testing.T) {
	sb := benchmark(nil)
	if diff := cmp.Diff([]string{childmeta.Name(sb, "w.t"), childmeta.Name(sb, "w.t", "2"), childmeta.Name(sb, "anchor", "1"), childmeta.Name(sb, "t", "cleanup")},
		[]string{childmeta.RunName(sb, "w.t", 1, 0), childmeta.RunName(sb, "w.t", 2, 0), childmeta.AnchorName(sb, 0, 1), childmeta.CleanUpName(sb, "t", 0)}); diff != "" {
		t.Errorf("names of the first client (-want +got):\n%s", diff)
	}
	seen := map[string]bool{}
	for client := range int32(v1alpha1.MaxClients) {
		for attempt := range int32(12) {
			for _, name := range []string{childmeta.RunName(sb, "w.t", attempt+1, client), childmeta.RunName(sb, "w.u", attempt+1, client), childmeta.AnchorName(sb, client, attempt+1)} {
				if seen[name] {
					t.Errorf("client %d, attempt %d: %s is the name of another one too", client, attempt+1, name)
				}
				seen[name] = true
			}
		}
		if name := childmeta.CleanUpName(sb, "t", client); seen[name] {
			t.Errorf("client %d: %s cleans up, and does something else", client, name)
		}
		seen[childmeta.CleanUpName(sb, "t", client)] = true
	}
}

func TestForRunOnARawVolume(t *testing.T) {
	run := fileRun()
	run.LayoutFile, run.Volume.Mode = "", corev1.PersistentVolumeBlock
	pod := built(t, ForRun(benchmark(nil), image, run)).Spec.Template.Spec
	c := pod.Containers[0]
	if len(pod.InitContainers) > 0 || LaysOutFirst(&pod) || len(c.Env) != 2 || !IsNamedInReport(&pod) {
		t.Errorf("files are laid out by %v or %v", pod.InitContainers, c)
	}
	if diff := cmp.Diff([]corev1.VolumeDevice{{Name: "target", DevicePath: "/dev/storagebench"}}, c.VolumeDevices); diff != "" {
		t.Errorf("devices (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"measure", "--progress-deadline=1m30s"}, c.Args); diff != "" {
		t.Errorf("arguments (-want +got):\n%s", diff)
	}
}

// The runner is told where to ask what EBS says, and of which volume where that is known.
func TestForRunThatAsksEBS(t *testing.T) {
	told := func(run Run) map[string]string {
		env := map[string]string{}
		for _, e := range built(t, ForRun(benchmark(nil), image, run)).Spec.Template.Spec.Containers[0].Env {
			if e.Name == digest.EBSMetricsVariable || e.Name == digest.VolumeVariable {
				env[e.Name] = e.Value
			}
		}
		return env
	}
	run := fileRun()
	if got := told(run); len(got) > 0 {
		t.Errorf("it is told %v", got)
	}
	run.VolumeID = "vol-1"
	if got := told(run); len(got) > 0 {
		t.Errorf("without an address it is told %v", got)
	}
	run.EBSMetricsURL = "http://exporter/metrics"
	if got := told(run); got[digest.EBSMetricsVariable] != run.EBSMetricsURL || got[digest.VolumeVariable] != "vol-1" {
		t.Errorf("it is told %v", got)
	}
	run.VolumeID = ""
	if got := told(run); len(got) != 1 {
		t.Errorf("of an unknown volume it is told %v", got)
	}
}

// A probe comes with the job file of the run, in the same container.
func TestForRunWithAProbe(t *testing.T) {
	run := fileRun()
	run.ProbeFile = "[probe]\n"
	pod := built(t, ForRun(benchmark(nil), image, run)).Spec.Template.Spec
	c := pod.Containers[0]
	if !Probes(&pod) || !slices.Contains(c.Args, "--probe") || !slices.ContainsFunc(c.Env, func(e corev1.EnvVar) bool { return e.Name == digest.ProbeVariable && e.Value == run.ProbeFile }) {
		t.Errorf("arguments %q, variables %+v", c.Args, c.Env)
	}
	pod.Containers = TrimContainers(pod.Containers)
	if !Probes(&pod) || !LaysOutFirst(&pod) {
		t.Errorf("trimmed, the arguments are %q", pod.Containers[0].Args)
	}
	pod = built(t, ForRun(benchmark(nil), image, fileRun())).Spec.Template.Spec
	if Probes(&pod) {
		t.Errorf("without a probe the arguments are %q", pod.Containers[0].Args)
	}
}

// Who lays out in the container that measures is known by it: clients that begin together do not, nor does who finds the files
// there.
func TestLaysOutFirst(t *testing.T) {
	laidOut := fileRun()
	laidOut.LayoutFile = ""
	for name, test := range map[string]struct {
		run  Run
		want bool
	}{
		"alone": {fileRun(), true}, "one of several": {clientRun(1), false}, "files are there": {laidOut, false},
	} {
		pod := built(t, ForRun(benchmark(nil), image, test.run)).Spec.Template.Spec
		if got := LaysOutFirst(&pod); got != test.want {
			t.Errorf("%s: lays out first %t, want %t", name, got, test.want)
		}
	}
	anchor := anchorOf(t, benchmark(nil), 0)
	if LaysOutFirst(&anchor.Spec) {
		t.Error("an anchor lays out")
	}
}

func TestForCleanUp(t *testing.T) {
	sb := benchmark(nil)
	volume := Volume{Target: "fast", Claim: "claim", Mode: corev1.PersistentVolumeFilesystem}
	job := built(t, ForCleanUp(sb, image, volume, 0))
	if template := job.Spec.Template; template.Annotations["karpenter.sh/do-not-disrupt"] != "true" || template.Spec.NodeSelector["kubernetes.io/os"] != "linux" {
		t.Errorf("a node may be taken from clean-up: %v, %v", template.Annotations, template.Spec.NodeSelector)
	}
	if job.Name != childmeta.CleanUpName(sb, "fast", 0) || job.Labels[v1alpha1.LabelRole] != v1alpha1.RoleCleanUp || *job.Spec.BackoffLimit == 0 {
		t.Errorf("Job is %+v", job)
	}
	pod := job.Spec.Template.Spec
	if c := pod.Containers[0]; len(pod.InitContainers) > 0 || len(c.Env) > 0 || cmp.Diff([]string{"clean", "--directory=/volume/storagebench-u1"}, c.Args) != "" {
		t.Errorf("pod is %+v", pod)
	}
	volume.Claim = "claim-1"
	other := built(t, ForCleanUp(sb, image, volume, 1))
	if claim := other.Spec.Template.Spec.Volumes[1].PersistentVolumeClaim.ClaimName; other.Name != childmeta.CleanUpName(sb, "fast", 1) || claim != "claim-1" {
		t.Errorf("Job %s cleans claim %s of the second client", other.Name, claim)
	}
}

// What users say of pods is in the pods, and the builder keeps nothing that it could change.
func TestSettings(t *testing.T) {
	settings := &v1alpha1.PodSettings{
		Labels: map[string]string{"team": "storage"}, Annotations: map[string]string{"a": "b"},
		Resources:         corev1.ResourceRequirements{Limits: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("1Gi")}},
		SecurityContext:   &corev1.PodSecurityContext{RunAsUser: new(int64(0)), SupplementalGroups: []int64{7}},
		ImagePullSecrets:  []corev1.LocalObjectReference{{Name: "secret"}},
		PriorityClassName: new("high"),
	}
	placement := &v1alpha1.Placement{
		NodeSelector: map[string]string{"disk": "fast"},
		Tolerations:  []corev1.Toleration{{Key: "k", Operator: corev1.TolerationOpExists, TolerationSeconds: new(int64(5))}},
		Affinity: &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "t", Operator: corev1.NodeSelectorOpIn, Values: []string{"m6i"}}}}},
		}}},
	}
	sb := benchmark(func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Pod, sb.Spec.Placement = settings, placement })
	before := sb.DeepCopy()
	run := fileRun()
	run.Node = ""

	job := built(t, ForRun(sb, image, run))
	layout := built(t, ForRun(sb, image, clientRun(0))).Spec.Template.Spec.InitContainers[0]

	if diff := cmp.Diff(before, sb); diff != "" {
		t.Errorf("the benchmark was changed:\n%s", diff)
	}
	template := job.Spec.Template
	if template.Labels["team"] != "storage" || template.Annotations["a"] != "b" || template.Labels[v1alpha1.LabelBenchmark] != "sb" {
		t.Errorf("metadata of pods: %+v", template.ObjectMeta)
	}
	if _, own := job.Labels["team"]; own {
		t.Error("labels of pods are on the Job")
	}
	pod := template.Spec
	for what, diff := range map[string]string{
		"resources":          cmp.Diff(settings.Resources, pod.Containers[0].Resources),
		"layout's resources": cmp.Diff(settings.Resources, layout.Resources),
		"security context":   cmp.Diff(settings.SecurityContext, pod.SecurityContext),
		"pull secrets":       cmp.Diff(settings.ImagePullSecrets, pod.ImagePullSecrets),
		"priority":           cmp.Diff("high", pod.PriorityClassName),
		"node selector":      cmp.Diff(map[string]string{"disk": "fast", "kubernetes.io/os": "linux"}, pod.NodeSelector),
		"tolerations":        cmp.Diff(placement.Tolerations, pod.Tolerations),
		"affinity":           cmp.Diff(placement.Affinity.NodeAffinity, pod.Affinity.NodeAffinity),
	} {
		if diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
}

// anchorOf returns the pod of a client's anchor.
func anchorOf(t *testing.T, sb *v1alpha1.StorageBenchmark, client int32, volumes ...Volume) *corev1.Pod {
	t.Helper()
	return read[corev1.Pod](t, ForAnchor(sb, image, Anchor{Client: client, Attempt: 2, Volumes: volumes}))
}

// An anchor has all volumes, as what they are, below the names of their targets.
func TestForAnchor(t *testing.T) {
	sb := benchmark(nil)
	pod := anchorOf(t, sb, 0, Volume{Target: "fast", Claim: "claim-1", Mode: corev1.PersistentVolumeFilesystem}, Volume{Target: "raw", Claim: "claim-2", Mode: corev1.PersistentVolumeBlock})
	labels := map[string]string{
		"app.kubernetes.io/managed-by": "storagebench", "storagebench.dev/benchmark": "sb", "storagebench.dev/role": "anchor",
		"storagebench.dev/attempt": "2", "storagebench.dev/client": "0", "storagebench.dev/holds-node": "true", "storagebench.dev/uid": "u1",
	}
	claim := func(name, claim string) corev1.Volume {
		return corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim}}}
	}
	c := pod.Spec.Containers[0]
	for what, diff := range map[string]string{
		"name":        cmp.Diff(childmeta.AnchorName(sb, 0, 2), pod.Name),
		"labels":      cmp.Diff(labels, pod.Labels),
		"annotations": cmp.Diff(keepNode, pod.Annotations),
		"owner":       cmp.Diff("u1", string(pod.OwnerReferences[0].UID)),
		"volumes":     cmp.Diff([]corev1.Volume{claim("target-0", "claim-1"), claim("target-1", "claim-2")}, pod.Spec.Volumes[1:]),
		"mounts":      cmp.Diff([]corev1.VolumeMount{{Name: "target-0", MountPath: "/volumes/fast"}}, c.VolumeMounts),
		"devices":     cmp.Diff([]corev1.VolumeDevice{{Name: "target-1", DevicePath: "/dev/storagebench-raw"}}, c.VolumeDevices),
		"arguments":   cmp.Diff([]string{"hold"}, c.Args),
		"restarts":    cmp.Diff(corev1.RestartPolicyAlways, pod.Spec.RestartPolicy),
	} {
		if diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	other := anchorOf(t, sb, 1, Volume{Target: "fast", Claim: "claim-1", Mode: corev1.PersistentVolumeFilesystem})
	if other.Name != childmeta.AnchorName(sb, 1, 2) || other.Labels["storagebench.dev/client"] != "1" || other.Spec.Volumes[1].PersistentVolumeClaim.ClaimName != "claim-1" {
		t.Errorf("the anchor of the second client is %+v", other)
	}
}

// An anchor ends by itself, a day after all deadlines of its benchmark together, if nobody is there to end it before.
func TestAnchorsEnd(t *testing.T) {
	deadlines := v1alpha1.Deadlines{ProvisioningSeconds: new(int32(100)), WaitingForNodeSeconds: new(int32(1000)), PodStartSeconds: new(int32(10)), RunCompletionSeconds: new(int32(60))}
	for _, test := range []struct {
		runs, seconds int32
		want          int64
	}{
		{1, 60, 86400 + 1100 + 10 + 70},
		{12, 60, 86400 + 1100 + 10 + 12*70},
		{200, 2_592_000, 86400 + 1100 + 10 + 200*2_592_010},
		{200, math.MaxInt32, math.MaxInt32},
	} {
		sb := benchmark(func(sb *v1alpha1.StorageBenchmark) {
			deadlines.RunCompletionSeconds = &test.seconds
			sb.Spec.Deadlines, sb.Status.PlannedRuns = deadlines, test.runs
		})
		got := anchorOf(t, sb, 0).Spec.ActiveDeadlineSeconds
		if got == nil || *got != test.want {
			t.Errorf("%d runs of %d s: it ends after %v s, want %d", test.runs, test.seconds, got, test.want)
		}
	}
}

// A pod of a Job ends by itself as well, a day after the deadlines of what it does, also where its Job has lost its labels and nobody misses it.
func TestPodsOfJobsEnd(t *testing.T) {
	sb := benchmark(func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Deadlines = v1alpha1.Deadlines{PodStartSeconds: new(int32(10)), RunCompletionSeconds: new(int32(60)), CleanUpSeconds: new(int32(600))}
	})
	longest := sb.DeepCopy()
	longest.Spec.Deadlines.RunCompletionSeconds = new(int32(math.MaxInt32))
	for name, test := range map[string]struct {
		job  *batchv1.Job
		want int64
	}{
		"run":         {built(t, ForRun(sb, image, fileRun())), 86400 + 10 + 60},
		"longest run": {built(t, ForRun(longest, image, fileRun())), math.MaxInt32},
		"clean-up":    {built(t, ForCleanUp(sb, image, fileRun().Volume, 0)), 86400 + 600},
	} {
		if got := test.job.Spec.Template.Spec.ActiveDeadlineSeconds; got == nil || *got != test.want {
			t.Errorf("%s: it ends after %v s, want %d", name, got, test.want)
		}
	}
}

// Who holds a node keeps off the nodes of others, in all namespaces, unless spec.placement says otherwise, and
// always lets others know. So do clients of one benchmark among themselves. What runs on a node that is held does neither.
func TestIsolation(t *testing.T) {
	own := []corev1.PodAffinityTerm{{LabelSelector: &metav1.LabelSelector{}, TopologyKey: "zone"}}
	apart := func(operator metav1.LabelSelectorOperator) corev1.PodAffinityTerm {
		return corev1.PodAffinityTerm{
			LabelSelector: &metav1.LabelSelector{
				MatchLabels:      map[string]string{"storagebench.dev/holds-node": "true"},
				MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "storagebench.dev/uid", Operator: operator, Values: []string{"u1"}}},
			},
			NamespaceSelector: &metav1.LabelSelector{}, TopologyKey: "kubernetes.io/hostname",
		}
	}
	others, clients := apart(metav1.LabelSelectorOpNotIn), apart(metav1.LabelSelectorOpIn)
	pods := func(placement *v1alpha1.Placement, clients int32) (anchor, single, pinned corev1.PodTemplateSpec) {
		sb := benchmark(func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Placement, sb.Spec.Clients = placement, &clients })
		pod := anchorOf(t, sb, clients-1)
		run := fileRun()
		pinned = built(t, ForRun(sb, image, run)).Spec.Template
		run.Node = ""
		return corev1.PodTemplateSpec{ObjectMeta: pod.ObjectMeta, Spec: pod.Spec}, built(t, ForRun(sb, image, run)).Spec.Template, pinned
	}
	terms := func(pod corev1.PodTemplateSpec) []corev1.PodAffinityTerm {
		if pod.Spec.Affinity == nil || pod.Spec.Affinity.PodAntiAffinity == nil {
			return nil
		}
		return pod.Spec.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	}
	users := &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: own}}
	for _, test := range []struct {
		name      string
		isolation v1alpha1.Isolation
		spread    v1alpha1.Spread
		clients   int32
		affinity  *corev1.Affinity
		want      []corev1.PodAffinityTerm
	}{
		{"default", "", "", 1, nil, []corev1.PodAffinityTerm{others}},
		{"node", v1alpha1.IsolationNode, v1alpha1.SpreadNode, 1, nil, []corev1.PodAffinityTerm{others}},
		{"node, and clients that may share", v1alpha1.IsolationNode, v1alpha1.SpreadNone, 1, nil, []corev1.PodAffinityTerm{others}},
		{"beside the user's own", v1alpha1.IsolationNode, "", 1, users, append(slices.Clip(own), others)},
		{"none", v1alpha1.IsolationNone, v1alpha1.SpreadNode, 1, nil, nil},
		{"none at all", v1alpha1.IsolationNone, v1alpha1.SpreadNone, 1, nil, nil},
		{"none but the user's own", v1alpha1.IsolationNone, "", 1, users, own},
		{"default of clients", "", "", 3, nil, []corev1.PodAffinityTerm{others, clients}},
		{"node of clients", v1alpha1.IsolationNode, v1alpha1.SpreadNode, 3, nil, []corev1.PodAffinityTerm{others, clients}},
		{"node of clients that share", v1alpha1.IsolationNode, v1alpha1.SpreadNone, 3, nil, []corev1.PodAffinityTerm{others}},
		{"only the clients", v1alpha1.IsolationNone, v1alpha1.SpreadNode, 3, nil, []corev1.PodAffinityTerm{clients}},
		{"not even the clients", v1alpha1.IsolationNone, v1alpha1.SpreadNone, 3, nil, nil},
		{"clients beside the user's own", "", "", 3, users, append(slices.Clip(own), others, clients)},
	} {
		t.Run(test.name, func(t *testing.T) {
			anchor, single, pinned := pods(&v1alpha1.Placement{Isolation: test.isolation, Spread: test.spread, Affinity: test.affinity}, test.clients)
			for name, pod := range map[string]corev1.PodTemplateSpec{"anchor": anchor, "single run": single} {
				if diff := cmp.Diff(test.want, terms(pod)); diff != "" {
					t.Errorf("anti-affinity of %s (-want +got):\n%s", name, diff)
				}
				if pod.Labels[v1alpha1.LabelHoldsNode] != "true" || pod.Labels[v1alpha1.LabelUID] != "u1" {
					t.Errorf("%s does not say that it holds a node, or for whom: %v", name, pod.Labels)
				}
			}
			if pinned.Labels[v1alpha1.LabelHoldsNode] != "" || pinned.Labels[v1alpha1.LabelUID] != "" || terms(pinned) != nil {
				t.Errorf("a run beside its anchor has labels %v and anti-affinity %v", pinned.Labels, terms(pinned))
			}
		})
	}
}

// The selectors part the pods that hold nodes: a benchmark's own, and those of all others, whose labels may lack a UID
// because an older operator made them.
func TestHolders(t *testing.T) {
	sb := benchmark(nil)
	other := benchmark(func(sb *v1alpha1.StorageBenchmark) { sb.UID = "u2" })
	run := fileRun()
	run.Node = ""
	for _, test := range []struct {
		name        string
		labels      map[string]string
		own, others bool
	}{
		{"own anchor", anchorOf(t, sb, 1).Labels, true, false},
		{"own run", built(t, ForRun(sb, image, run)).Spec.Template.Labels, true, false},
		{"another's anchor", anchorOf(t, other, 0).Labels, false, true},
		{"another's run", built(t, ForRun(other, image, run)).Spec.Template.Labels, false, true},
		{"an older operator's", map[string]string{v1alpha1.LabelHoldsNode: "true"}, false, true},
		{"own run beside its anchor", built(t, ForRun(sb, image, fileRun())).Spec.Template.Labels, false, false},
		{"something else", map[string]string{"app": "x"}, false, false},
	} {
		for operator, want := range map[metav1.LabelSelectorOperator]bool{metav1.LabelSelectorOpIn: test.own, metav1.LabelSelectorOpNotIn: test.others} {
			selector, err := metav1.LabelSelectorAsSelector(read[metav1.LabelSelector](t, holders(sb, operator)))
			if err != nil {
				t.Fatal(err)
			}
			if got := selector.Matches(labels.Set(test.labels)); got != want {
				t.Errorf("%s: selected by %s %t, want %t", test.name, operator, got, want)
			}
		}
	}
}

// The API server takes the Jobs, and a namespace that enforces the Pod Security Standard "restricted" their pods.
func TestPodSecurity(t *testing.T) {
	c := envtest.Client(t)
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "restricted-", Labels: map[string]string{"pod-security.kubernetes.io/enforce": "restricted"}}}
	if err := c.Create(t.Context(), namespace); err != nil {
		t.Fatal(err)
	}
	sb := benchmark(func(sb *v1alpha1.StorageBenchmark) { sb.Namespace = namespace.Name })
	raw := fileRun()
	raw.Volume.Target, raw.Volume.Mode = "raw", corev1.PersistentVolumeBlock
	for name, configuration := range map[string]*batchv1ac.JobApplyConfiguration{
		"files": ForRun(sb, image, fileRun()), "raw": ForRun(sb, image, raw), "clean-up": ForCleanUp(sb, image, fileRun().Volume, 0),
		"client": ForRun(sb, image, clientRun(1)),
	} {
		t.Run(name, func(t *testing.T) {
			if err := c.Apply(t.Context(), configuration, client.FieldOwner("test"), client.DryRunAll); err != nil {
				t.Error(err)
			}
			template := built(t, configuration).Spec.Template
			pod := &corev1.Pod{ObjectMeta: template.ObjectMeta, Spec: template.Spec}
			pod.Namespace, pod.Name = namespace.Name, "pod"
			if err := c.Create(t.Context(), pod.DeepCopy(), client.DryRunAll, client.FieldValidation("Strict")); err != nil {
				t.Error(err)
			}
			// The namespace does enforce it.
			pod.Spec.SecurityContext.SeccompProfile = nil
			if err := c.Create(t.Context(), pod, client.DryRunAll); err == nil {
				t.Error("a pod without a seccomp profile was accepted")
			}
		})
	}
	if err := c.Apply(t.Context(), ForAnchor(sb, image, Anchor{Attempt: 1, Volumes: []Volume{fileRun().Volume, raw.Volume}}), client.FieldOwner("test"), client.DryRunAll); err != nil {
		t.Errorf("anchor: %v", err)
	}
}

// What the API server answers is written into an apply configuration, so that no two may share a map.
func TestPodsShareNoResources(t *testing.T) {
	sb := builder.OneRun("default", "sb").With(func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Pod = &v1alpha1.PodSettings{Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1")}}}
	}).Build()
	anchor := ForAnchor(sb, Image{}, Anchor{Attempt: 1})
	(*anchor.Spec.Containers[0].Resources.Limits)[corev1.ResourceCPU] = resource.MustParse("9")
	if got := (*ForAnchor(sb, Image{}, Anchor{Client: 1, Attempt: 1}).Spec.Containers[0].Resources.Limits)[corev1.ResourceCPU]; got.String() != "200m" {
		t.Errorf("another anchor's limit is %s", got.String())
	}
	run := ForRun(sb, Image{}, Run{Name: "r", Attempt: 1, JobFile: "[a]"})
	(*run.Spec.Template.Spec.Containers[0].Resources.Limits)[corev1.ResourceCPU] = resource.MustParse("9")
	if got := sb.Spec.Pod.Resources.Limits[corev1.ResourceCPU]; got.String() != "1" {
		t.Errorf("the spec's limit is %s", got.String())
	}
}

// fsGroup has the kubelet change group and mode of all files on a volume: no pod has one on a volume that was there before, unless
// its user says so, and none that only mounts volumes.
func TestFSGroup(t *testing.T) {
	users := &corev1.PodSecurityContext{RunAsUser: new(int64(1000)), FSGroup: new(int64(2000)), FSGroupChangePolicy: new(corev1.FSGroupChangeAlways), SupplementalGroups: []int64{7}}
	without := &corev1.PodSecurityContext{RunAsUser: new(int64(1000)), SupplementalGroups: []int64{7}}
	for _, test := range []struct {
		name    string
		users   *corev1.PodSecurityContext
		foreign bool
		want    *int64
	}{
		{"made for the benchmark", nil, false, new(int64(nonRootID))},
		{"was there before", nil, true, nil},
		{"made, and a user's fsGroup", users, false, new(int64(2000))},
		{"was there, and a user's fsGroup", users, true, new(int64(2000))},
		{"made, and a user's context without", without, false, nil},
		{"was there, and a user's context without", without, true, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			sb := benchmark(func(sb *v1alpha1.StorageBenchmark) {
				if test.users != nil {
					sb.Spec.Pod = &v1alpha1.PodSettings{SecurityContext: test.users}
				}
			})
			single, clients := fileRun(), clientRun(1)
			single.Volume.Existing, clients.Volume.Existing = test.foreign, test.foreign
			for name, security := range map[string]*corev1.PodSecurityContext{
				"run":                     built(t, ForRun(sb, image, single)).Spec.Template.Spec.SecurityContext,
				"layout and run together": built(t, ForRun(sb, image, clients)).Spec.Template.Spec.SecurityContext,
				"clean-up":                built(t, ForCleanUp(sb, image, single.Volume, 0)).Spec.Template.Spec.SecurityContext,
			} {
				if diff := cmp.Diff(test.want, security.FSGroup); diff != "" {
					t.Errorf("fsGroup of %s (-want +got):\n%s", name, diff)
				}
				if (security.FSGroup == nil) != (security.FSGroupChangePolicy == nil) {
					t.Errorf("%s has fsGroup %v and a policy %v", name, security.FSGroup, security.FSGroupChangePolicy)
				}
			}
			made := single.Volume
			made.Existing = false
			holder := anchorOf(t, sb, 0, made, single.Volume).Spec.SecurityContext
			if holder.FSGroup != nil || holder.FSGroupChangePolicy != nil {
				t.Errorf("the anchor has fsGroup %v and policy %v", *holder.FSGroup, holder.FSGroupChangePolicy)
			}
			if test.users != nil && (*holder.RunAsUser != 1000 || len(holder.SupplementalGroups) != 1) {
				t.Errorf("the anchor's security context is %+v", holder)
			}
		})
	}
	if users.FSGroup == nil || *users.FSGroup != 2000 {
		t.Errorf("the user's own security context was changed: %+v", users)
	}
}

// What comes before a run measures, and whether it may write, is told by arguments.
func TestArgumentsOfARun(t *testing.T) {
	for want, change := range map[string]func(*Run){
		"--precondition=2:128k": func(run *Run) { run.Precondition = &fio.Precondition{Passes: 2, BS: "128k"} },
		"--readonly":            func(run *Run) { run.Volume.ReadOnly = true },
		"--until=60:10:20:3538:true:iops": func(run *Run) {
			run.Until = &steady.Until{Metric: "iops", WindowSeconds: 60, SlopePercent: 10, RangePercent: 20, MostSeconds: 3538, Judged: true}
		},
	} {
		run := fileRun()
		if args := built(t, ForRun(benchmark(nil), image, run)).Spec.Template.Spec.Containers[0].Args; slices.Contains(args, want) {
			t.Errorf("%s without a reason: %q", want, args)
		}
		change(&run)
		if args := built(t, ForRun(benchmark(nil), image, run)).Spec.Template.Spec.Containers[0].Args; !slices.Contains(args, want) {
			t.Errorf("%s is not among %q", want, args)
		}
	}
}

// A namespace may have a LimitRange that the default of anchors does not fit.
func TestAnchorResources(t *testing.T) {
	limits := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("500m")}
	for name, test := range map[string]struct {
		settings *v1alpha1.PodSettings
		cpu      string
	}{
		"default": {nil, "200m"},
		"set":     {&v1alpha1.PodSettings{AnchorResources: &corev1.ResourceRequirements{Limits: limits}}, "500m"},
	} {
		sb := benchmark(func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Pod = test.settings })
		got := ForAnchor(sb, image, Anchor{Attempt: 1}).Spec.Containers[0].Resources
		if got.Limits.Cpu().String() != test.cpu {
			t.Errorf("%s: limits are %v", name, got.Limits)
		}
		for of, limit := range *got.Limits {
			if request, set := (*got.Requests)[of]; set && limit.AsApproximateFloat64() > 4*request.AsApproximateFloat64() {
				t.Errorf("%s: the limit of %s is more than four times the request", name, of)
			}
		}
	}
}
