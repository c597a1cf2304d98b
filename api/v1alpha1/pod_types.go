package v1alpha1

import corev1 "k8s.io/api/core/v1"

// Placement says where the pods that run fio may be scheduled.
type Placement struct {
	// Labels that the node must have, as in a pod's nodeSelector. A value may have 4,096 characters.
	// +optional
	// +kubebuilder:validation:MaxProperties=32
	NodeSelector map[string]string `json:"nodeSelector,omitempty"`

	// Taints of nodes that the pods tolerate.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	Tolerations []corev1.Toleration `json:"tolerations,omitempty"`

	// Affinity of the pods, for example to nodes of certain instance types. A list in it may have 32 items, or 256 where these
	// are texts, such as the names of nodes.
	// +optional
	Affinity *corev1.Affinity `json:"affinity,omitempty"`

	// Whether the benchmark has its node for itself. Node: no other benchmark measures on the same node at
	// the same time, and one that would have to waits. None: only benchmarks with isolation Node are kept
	// apart from it. Default: Node.
	// +optional
	Isolation Isolation `json:"isolation,omitempty"`

	// How the clients of the benchmark are spread. Node: each measures from a node of its own, so that none takes
	// bandwidth or CPU from another. None: several may share a node. Default: Node.
	// +optional
	Spread Spread `json:"spread,omitempty"`
}

// Isolation says what a benchmark does not share with other benchmarks.
//
// +kubebuilder:validation:Enum=Node;None
type Isolation string

const (
	// IsolationNode keeps other benchmarks off the node.
	IsolationNode Isolation = "Node"
	// IsolationNone lets other benchmarks measure on the same node at the same time.
	IsolationNone Isolation = "None"
)

// Spread says how the clients of a benchmark are spread.
//
// +kubebuilder:validation:Enum=Node;None
type Spread string

const (
	// SpreadNode gives each client a node of its own.
	SpreadNode Spread = "Node"
	// SpreadNone lets clients share nodes.
	SpreadNone Spread = "None"
)

// PodSettings are settings of the pods that run fio.
type PodSettings struct {
	// Labels that the pods get beside the operator's own.
	// +optional
	// +kubebuilder:validation:MaxProperties=32
	// +kubebuilder:validation:XValidation:rule="!self.exists(k, k.startsWith('storagebench.dev/') || k.startsWith('app.kubernetes.io/') || k.startsWith('batch.kubernetes.io/'))",message="labels below storagebench.dev/, app.kubernetes.io/ and batch.kubernetes.io/ are set by the operator and by Kubernetes; use another prefix",reason=FieldValueForbidden
	Labels map[string]string `json:"labels,omitempty"`

	// Annotations that the pods get beside the operator's own. A value may have 4,096 characters.
	// +optional
	// +kubebuilder:validation:MaxProperties=32
	// +kubebuilder:validation:XValidation:rule="!self.exists(k, k.startsWith('storagebench.dev/'))",message="annotations below storagebench.dev/ are set by the operator; use another prefix",reason=FieldValueForbidden
	Annotations map[string]string `json:"annotations,omitempty"`

	// CPU and memory of the container that runs fio, and up to 32 resources in all. A CPU limit throttles fio and with it the result.
	// +optional
	// +kubebuilder:validation:XValidation:rule="!has(self.claims) || self.claims.size() == 0",message="claims of devices are not given to fio; remove claims",fieldPath=".claims",reason=FieldValueForbidden
	Resources corev1.ResourceRequirements `json:"resources,omitempty,omitzero"`

	// Security context of the pods. Replaces the operator's, which satisfies the Pod Security Standard
	// "restricted" (user and group 65532, seccomp RuntimeDefault, and fsGroup 65532 on volumes that are made for the
	// benchmark). An fsGroup that is set here holds on existing claims too, and there many drivers have Kubernetes give all
	// files to that group for good; supplementalGroups, at most 256, change no file. Pods that only hold nodes have no fsGroup.
	// +optional
	SecurityContext *corev1.PodSecurityContext `json:"securityContext,omitempty"`

	// Service account of the pods, whose identity CSI drivers may take for access to the storage. It is given no
	// token for the API. Default: the namespace's.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	ServiceAccountName *string `json:"serviceAccountName,omitempty"`

	// Secrets for pulling the runner's image.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	ImagePullSecrets []corev1.LocalObjectReference `json:"imagePullSecrets,omitempty"`

	// PriorityClass of the pods.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	PriorityClassName *string `json:"priorityClassName,omitempty"`
}

// Deadlines say how long each step may take, in seconds. A step that takes longer ends the benchmark
// with reason DeadlineExceeded and says what it waited for.
type Deadlines struct {
	// From the creation of a volume's claim until the volume is bound.
	// +optional
	// +kubebuilder:default=600
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=86400
	ProvisioningSeconds *int32 `json:"provisioningSeconds,omitempty"`

	// For which the benchmark waits for nodes that other benchmarks measure on, in all.
	// +optional
	// +kubebuilder:default=86400
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=2592000
	NodeSeconds *int32 `json:"nodeSeconds,omitempty"`

	// From the creation of a run's Job until its pod runs: scheduling, attaching and mounting the volume and
	// pulling the image, beside provisioning.
	// +optional
	// +kubebuilder:default=600
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=86400
	StartSeconds *int32 `json:"startSeconds,omitempty"`

	// During which fio must complete at least one I/O, or it counts as hung and is ended.
	// +optional
	// +kubebuilder:default=300
	// +kubebuilder:validation:Minimum=5
	// +kubebuilder:validation:Maximum=86400
	ProgressSeconds *int32 `json:"progressSeconds,omitempty"`

	// From the start of a run's pod until its end, laying out files included. It has to be longer than the run goes on by
	// its own options (runtime, ramp_time and startdelay of all stages). Default: 86400, or twice what the longest run asks
	// for by these, if that is more.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=2592000
	RunSeconds *int32 `json:"runSeconds,omitempty"`

	// For deleting volumes and test files. What is left after it is named in condition CleanedUp, and does
	// not hold back the deletion of the StorageBenchmark.
	// +optional
	// +kubebuilder:default=600
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=86400
	CleanUpSeconds *int32 `json:"cleanUpSeconds,omitempty"`
}
