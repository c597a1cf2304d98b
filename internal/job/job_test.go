package job

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	batchv1ac "k8s.io/client-go/applyconfigurations/batch/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/child"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/envtest"
)

func TestMain(m *testing.M) { envtest.Main(m) }

var image = Image{Name: "runner:1", PullPolicy: corev1.PullIfNotPresent}

func benchmark(change func(*v1alpha1.StorageBenchmark)) *v1alpha1.StorageBenchmark {
	return builder.NewBenchmark("ns", "sb").With(func(sb *v1alpha1.StorageBenchmark) {
		sb.UID = "u1"
		sb.Spec.Deadlines.ProgressSeconds = new(int32(90))
		if change != nil {
			change(sb)
		}
	}).Build()
}

// built returns the Job of an apply configuration.
func built(t *testing.T, configuration *batchv1ac.JobApplyConfiguration) *batchv1.Job {
	t.Helper()
	text, err := json.Marshal(configuration)
	if err != nil {
		t.Fatal(err)
	}
	job := &batchv1.Job{}
	if err := json.Unmarshal(text, job); err != nil {
		t.Fatal(err)
	}
	return job
}

func fileRun() Run {
	return Run{
		Name: "reads.fast", Attempt: 2, JobFile: "[reads]\n", LayoutFile: "[layout]\n", Node: "node-1",
		Volume: Volume{Target: "fast", Claim: "claim", Mode: corev1.PersistentVolumeFilesystem},
	}
}

func TestForRun(t *testing.T) {
	sb := benchmark(nil)
	labels := map[string]string{
		"app.kubernetes.io/managed-by": "storagebench", "storagebench.dev/benchmark": "sb", "storagebench.dev/target": "fast",
		"storagebench.dev/role": "run", "storagebench.dev/attempt": "2",
	}
	annotations := map[string]string{
		"storagebench.dev/run": "reads.fast", "cluster-autoscaler.kubernetes.io/safe-to-evict": "false", "karpenter.sh/do-not-disrupt": "true",
	}
	container := func(name, jobFile string, args ...string) corev1.Container {
		return corev1.Container{
			Name: name, Image: "runner:1", ImagePullPolicy: corev1.PullIfNotPresent, Args: args,
			Env:                      []corev1.EnvVar{{Name: "STORAGEBENCH_JOB_FILE", Value: jobFile}},
			TerminationMessagePolicy: corev1.TerminationMessageReadFile,
			VolumeMounts:             []corev1.VolumeMount{{Name: "scratch", MountPath: "/tmp"}, {Name: "target", MountPath: "/volume"}},
			SecurityContext: &corev1.SecurityContext{
				AllowPrivilegeEscalation: new(false), ReadOnlyRootFilesystem: new(true),
				Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
			},
		}
	}
	want := &batchv1.Job{
		TypeMeta: metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "ns", Name: child.Name(sb, "reads.fast", "2"), Labels: labels, Annotations: annotations,
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: "storagebench.dev/v1alpha1", Kind: "StorageBenchmark", Name: "sb", UID: "u1", Controller: new(true), BlockOwnerDeletion: new(true),
			}},
		},
		Spec: batchv1.JobSpec{
			BackoffLimit: new(int32(0)),
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels, Annotations: annotations},
				Spec: corev1.PodSpec{
					RestartPolicy: corev1.RestartPolicyNever, AutomountServiceAccountToken: new(false), EnableServiceLinks: new(false),
					TerminationGracePeriodSeconds: new(int64(10)),
					SecurityContext: &corev1.PodSecurityContext{
						RunAsNonRoot: new(true), RunAsUser: new(int64(65532)), RunAsGroup: new(int64(65532)), FSGroup: new(int64(65532)),
						FSGroupChangePolicy: new(corev1.FSGroupChangeOnRootMismatch),
						SeccompProfile:      &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
					},
					InitContainers: []corev1.Container{container("layout", "[layout]\n", "layout", "--progress-deadline=1m30s", "--directory=/volume/storagebench-u1")},
					Containers:     []corev1.Container{container("fio", "[reads]\n", "measure", "--progress-deadline=1m30s", "--directory=/volume/storagebench-u1")},
					Volumes: []corev1.Volume{
						{Name: "scratch", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
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

func TestForRunOnARawVolume(t *testing.T) {
	run := fileRun()
	run.LayoutFile, run.Volume.Mode = "", corev1.PersistentVolumeBlock
	pod := built(t, ForRun(benchmark(nil), image, run)).Spec.Template.Spec
	c := pod.Containers[0]
	if len(pod.InitContainers) > 0 {
		t.Errorf("files are laid out by %v", pod.InitContainers)
	}
	if diff := cmp.Diff([]corev1.VolumeDevice{{Name: "target", DevicePath: "/dev/storagebench"}}, c.VolumeDevices); diff != "" {
		t.Errorf("devices (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"measure", "--progress-deadline=1m30s"}, c.Args); diff != "" {
		t.Errorf("arguments (-want +got):\n%s", diff)
	}
}

func TestForCleanUp(t *testing.T) {
	sb := benchmark(nil)
	job := built(t, ForCleanUp(sb, image, Volume{Target: "fast", Claim: "claim", Mode: corev1.PersistentVolumeFilesystem}))
	if job.Name != CleanUpName(sb, "fast") || job.Labels[v1alpha1.LabelRole] != v1alpha1.RoleCleanUp || *job.Spec.BackoffLimit == 0 {
		t.Errorf("Job is %+v", job)
	}
	pod := job.Spec.Template.Spec
	if c := pod.Containers[0]; len(pod.InitContainers) > 0 || len(c.Env) > 0 || cmp.Diff([]string{"clean", "--directory=/volume/storagebench-u1"}, c.Args) != "" {
		t.Errorf("pod is %+v", pod)
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
		"layout's resources": cmp.Diff(settings.Resources, pod.InitContainers[0].Resources),
		"security context":   cmp.Diff(settings.SecurityContext, pod.SecurityContext),
		"pull secrets":       cmp.Diff(settings.ImagePullSecrets, pod.ImagePullSecrets),
		"priority":           cmp.Diff("high", pod.PriorityClassName),
		"node selector":      cmp.Diff(placement.NodeSelector, pod.NodeSelector),
		"tolerations":        cmp.Diff(placement.Tolerations, pod.Tolerations),
		"affinity":           cmp.Diff(placement.Affinity.NodeAffinity, pod.Affinity.NodeAffinity),
	} {
		if diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
}

// anchorOf returns the pod of an anchor.
func anchorOf(t *testing.T, sb *v1alpha1.StorageBenchmark, volumes ...Volume) *corev1.Pod {
	t.Helper()
	text, err := json.Marshal(ForAnchor(sb, image, 2, volumes))
	if err != nil {
		t.Fatal(err)
	}
	pod := &corev1.Pod{}
	if err := json.Unmarshal(text, pod); err != nil {
		t.Fatal(err)
	}
	return pod
}

// An anchor has all volumes, as what they are, below the names of their targets.
func TestForAnchor(t *testing.T) {
	sb := benchmark(nil)
	pod := anchorOf(t, sb, Volume{Target: "fast", Claim: "claim-1", Mode: corev1.PersistentVolumeFilesystem}, Volume{Target: "raw", Claim: "claim-2", Mode: corev1.PersistentVolumeBlock})
	labels := map[string]string{
		"app.kubernetes.io/managed-by": "storagebench", "storagebench.dev/benchmark": "sb", "storagebench.dev/role": "anchor",
		"storagebench.dev/attempt": "2", "storagebench.dev/holds-node": "true",
	}
	claim := func(name, claim string) corev1.Volume {
		return corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim}}}
	}
	c := pod.Spec.Containers[0]
	for what, diff := range map[string]string{
		"name":        cmp.Diff(AnchorName(sb, 2), pod.Name),
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
	// Of two attempts, both pods can exist for a while.
	if AnchorName(sb, 1) == AnchorName(sb, 2) {
		t.Error("two attempts have the same name")
	}
}

// Who holds a node keeps off the nodes of others, in all namespaces, unless spec.placement says otherwise, and
// always lets others know. What runs on a node that is held does neither.
func TestIsolation(t *testing.T) {
	own := []corev1.PodAffinityTerm{{LabelSelector: &metav1.LabelSelector{}, TopologyKey: "zone"}}
	others := corev1.PodAffinityTerm{
		LabelSelector:     &metav1.LabelSelector{MatchLabels: map[string]string{"storagebench.dev/holds-node": "true"}},
		NamespaceSelector: &metav1.LabelSelector{}, TopologyKey: "kubernetes.io/hostname",
	}
	pods := func(isolation v1alpha1.Isolation, affinity *corev1.Affinity) (anchor, single, pinned corev1.PodTemplateSpec) {
		sb := benchmark(func(sb *v1alpha1.StorageBenchmark) {
			sb.Spec.Placement = &v1alpha1.Placement{Isolation: isolation, Affinity: affinity}
		})
		pod := anchorOf(t, sb)
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
		affinity  *corev1.Affinity
		want      []corev1.PodAffinityTerm
	}{
		{"default", "", nil, []corev1.PodAffinityTerm{others}},
		{"node", v1alpha1.IsolationNode, nil, []corev1.PodAffinityTerm{others}},
		{"beside the user's own", v1alpha1.IsolationNode, users, append(slices.Clip(own), others)},
		{"none", v1alpha1.IsolationNone, nil, nil},
		{"none but the user's own", v1alpha1.IsolationNone, users, own},
	} {
		t.Run(test.name, func(t *testing.T) {
			anchor, single, pinned := pods(test.isolation, test.affinity)
			for name, pod := range map[string]corev1.PodTemplateSpec{"anchor": anchor, "single run": single} {
				if diff := cmp.Diff(test.want, terms(pod)); diff != "" {
					t.Errorf("anti-affinity of %s (-want +got):\n%s", name, diff)
				}
				if pod.Labels[v1alpha1.LabelHoldsNode] != "true" {
					t.Errorf("%s does not say that it holds a node", name)
				}
			}
			if pinned.Labels[v1alpha1.LabelHoldsNode] != "" || terms(pinned) != nil {
				t.Errorf("a run beside its anchor has labels %v and anti-affinity %v", pinned.Labels, terms(pinned))
			}
		})
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
		"files": ForRun(sb, image, fileRun()), "raw": ForRun(sb, image, raw), "clean-up": ForCleanUp(sb, image, fileRun().Volume),
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
	if err := c.Apply(t.Context(), ForAnchor(sb, image, 1, []Volume{fileRun().Volume, raw.Volume}), client.FieldOwner("test"), client.DryRunAll); err != nil {
		t.Errorf("anchor: %v", err)
	}
}
