package v1alpha1

import corev1 "k8s.io/api/core/v1"

// Placement says where the pods that run fio may be scheduled.
type Placement struct {
	// nodeSelector has the labels that a node must have, as in a pod. A value may have 4,096 characters. Unset: any node.
	// +optional
	// +kubebuilder:validation:MaxProperties=32
	NodeSelector map[string]string `json:"nodeSelector,omitempty"`

	// tolerations are for the taints of nodes that the pods may run on. Unset: none.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	Tolerations []corev1.Toleration `json:"tolerations,omitempty"`

	// affinity of the pods, for example to nodes of certain instance types. A list in it may have 32 items, or 256 where
	// these are texts, such as the names of nodes. podAffinity and podAntiAffinity also move other pods, so they are
	// for users who may create pods. Unset: none.
	// +optional
	Affinity *corev1.Affinity `json:"affinity,omitempty"`

	// isolation says whether other benchmarks may measure on the same node at the same time. Node: none may, and a
	// benchmark that would have to waits. None: others may, unless they have isolation Node themselves. Unset: Node.
	// +optional
	Isolation Isolation `json:"isolation,omitempty"`

	// spread says how the clients of the benchmark are placed. Node: each measures from a node of its own, so that
	// none takes bandwidth or CPU from another. None: several may share a node. Unset: Node.
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
	// labels are put on the pods beside the operator's own.
	// +optional
	// +kubebuilder:validation:MaxProperties=32
	// +kubebuilder:validation:XValidation:rule="!self.exists(k, k.startsWith('storagebench.dev/') || k.startsWith('app.kubernetes.io/') || k.startsWith('batch.kubernetes.io/'))",message="labels below storagebench.dev/, app.kubernetes.io/ and batch.kubernetes.io/ are set by the operator and by Kubernetes; use another prefix",reason=FieldValueForbidden
	Labels map[string]string `json:"labels,omitempty"`

	// annotations are put on the pods beside the operator's own. A value may have 4,096 characters.
	// +optional
	// +kubebuilder:validation:MaxProperties=32
	// +kubebuilder:validation:XValidation:rule="!self.exists(k, k.startsWith('storagebench.dev/'))",message="annotations below storagebench.dev/ are set by the operator; use another prefix",reason=FieldValueForbidden
	Annotations map[string]string `json:"annotations,omitempty"`

	// resources are the CPU and memory of the container that runs fio. A CPU limit throttles fio and with it the
	// result. There can be 32 resources. Unset: neither requests nor limits.
	// +optional
	// +kubebuilder:validation:XValidation:rule="!has(self.claims) || self.claims.size() == 0",message="claims of devices are not given to fio; remove claims",fieldPath=".claims",reason=FieldValueForbidden
	Resources corev1.ResourceRequirements `json:"resources,omitempty,omitzero"`

	// anchorResources are the CPU and memory of the pods that hold nodes and wait. Set them where a LimitRange or a quota of
	// the namespace refuses the default. Unset: requests of 50m CPU and 64Mi memory, limits of 200m and 64Mi.
	// +optional
	// +kubebuilder:validation:XValidation:rule="!has(self.claims) || self.claims.size() == 0",message="claims of devices are for no pod of a benchmark; remove claims",fieldPath=".claims",reason=FieldValueForbidden
	AnchorResources *corev1.ResourceRequirements `json:"anchorResources,omitempty"`

	// securityContext of the pods. It replaces the operator's, which satisfies the Pod Security Standard "restricted":
	// user and group 65532, seccomp RuntimeDefault, and fsGroup 65532 on volumes that are made for the benchmark. An
	// fsGroup that is set here holds on existing claims too. Many drivers then have Kubernetes give all files there to
	// that group for good; supplementalGroups, at most 256, change no file. Pods that only hold nodes have no fsGroup.
	// +optional
	SecurityContext *corev1.PodSecurityContext `json:"securityContext,omitempty"`

	// serviceAccountName is the service account of the pods. CSI drivers may use its identity for access to the
	// storage. The pods get no token for the API. Unset: the namespace's default service account.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	ServiceAccountName *string `json:"serviceAccountName,omitempty"`

	// imagePullSecrets are the secrets for pulling the runner's image. Unset: those of the service account.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	ImagePullSecrets []corev1.LocalObjectReference `json:"imagePullSecrets,omitempty"`

	// priorityClassName is the PriorityClass of the pods. Unset: the cluster's default.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	PriorityClassName *string `json:"priorityClassName,omitempty"`
}

// Deadlines say how long the benchmark waits for each step, in seconds. A step that takes longer ends the benchmark
// with reason DeadlineExceeded, and the message says what it waited for.
type Deadlines struct {
	// provisioningSeconds is how long to wait for a volume: from the creation of its claim until the claim is bound. 1 to
	// 86400.
	// +optional
	// +kubebuilder:default=600
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=86400
	ProvisioningSeconds *int32 `json:"provisioningSeconds,omitempty"`

	// waitingForNodeSeconds is how long to wait for nodes that other benchmarks measure on. 1 to 2592000.
	// +optional
	// +kubebuilder:default=86400
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=2592000
	WaitingForNodeSeconds *int32 `json:"waitingForNodeSeconds,omitempty"`

	// podStartSeconds is how long to wait for a pod to run: from the creation of a run's Job, for scheduling, attaching and
	// mounting the volume, and pulling the image. Time for provisioning comes on top of it. 1 to 86400.
	// +optional
	// +kubebuilder:default=600
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=86400
	PodStartSeconds *int32 `json:"podStartSeconds,omitempty"`

	// ioProgressSeconds is how long to wait for the next I/O of fio to complete. If none does, fio is ended as hung. 5 to
	// 86400.
	// +optional
	// +kubebuilder:default=300
	// +kubebuilder:validation:Minimum=5
	// +kubebuilder:validation:Maximum=86400
	IOProgressSeconds *int32 `json:"ioProgressSeconds,omitempty"`

	// runCompletionSeconds is how long to wait for a run to complete: from the start of its pod, including the layout of
	// files. It must be longer than the run's own options ask for (runtime, ramp_time and startdelay of all stages). 1 to
	// 2592000. A probe may go on for 30 s beyond it. A run that goes on gets no more than a day more than it began with.
	// Unset: 86400, or twice what the longest run asks for, if that is more.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=2592000
	RunCompletionSeconds *int32 `json:"runCompletionSeconds,omitempty"`

	// cleanUpSeconds is how long to wait for volumes and test files to be deleted. Condition CleanedUp names what is left after it.
	// The StorageBenchmark can then be deleted all the same. 1 to 86400.
	// +optional
	// +kubebuilder:default=600
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=86400
	CleanUpSeconds *int32 `json:"cleanUpSeconds,omitempty"`
}
