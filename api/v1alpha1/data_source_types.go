package v1alpha1

// SnapshotGroup is the API group of VolumeSnapshots.
const SnapshotGroup = "snapshot.storage.k8s.io"

// DataSourceKind is the kind of what a new volume is made from.
//
// +kubebuilder:validation:Enum=VolumeSnapshot;PersistentVolumeClaim
type DataSourceKind string

const (
	// DataSourceSnapshot has a volume restored from a snapshot.
	DataSourceSnapshot DataSourceKind = "VolumeSnapshot"
	// DataSourceClaim has a volume made as a copy of a claim's, a clone.
	DataSourceClaim DataSourceKind = "PersistentVolumeClaim"
)

// DataSource is what a new volume is made from, in the words of a PersistentVolumeClaim: a VolumeSnapshot, or a
// PersistentVolumeClaim whose volume is copied. It is of the benchmark's namespace, and stays as it is.
//
// +kubebuilder:validation:XValidation:rule="self.kind == 'VolumeSnapshot' ? has(self.apiGroup) && self.apiGroup == 'snapshot.storage.k8s.io' : !has(self.apiGroup) || size(self.apiGroup) == 0",message="VolumeSnapshots are of apiGroup snapshot.storage.k8s.io, and PersistentVolumeClaims of none; set the one, or remove the other",fieldPath=".apiGroup",reason=FieldValueInvalid
type DataSource struct {
	// apiGroup is that of the kind: snapshot.storage.k8s.io of a VolumeSnapshot. Unset for a PersistentVolumeClaim.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	APIGroup *string `json:"apiGroup,omitempty"`

	// kind is VolumeSnapshot or PersistentVolumeClaim.
	// +required
	Kind DataSourceKind `json:"kind"`

	// name of the VolumeSnapshot or the PersistentVolumeClaim, in the benchmark's namespace.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$')",message="name must be that of a VolumeSnapshot or PersistentVolumeClaim of the same namespace: lower case letters, digits, - and .",reason=FieldValueInvalid
	Name string `json:"name"`
}

// String returns the kind and the name, such as VolumeSnapshot db.
func (s *DataSource) String() string { return string(s.Kind) + " " + s.Name }
