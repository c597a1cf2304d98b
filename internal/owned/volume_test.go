package owned

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// A volume is a claim's by its own word: who makes a claim can name any volume there.
func TestIsBound(t *testing.T) {
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "tenant", Name: "c", UID: "u"}}
	ref := func(namespace, name string, uid types.UID) *corev1.ObjectReference {
		return &corev1.ObjectReference{Namespace: namespace, Name: name, UID: uid}
	}
	for name, test := range map[string]struct {
		ref  *corev1.ObjectReference
		want bool
	}{
		"this claim's":            {ref("tenant", "c", "u"), true},
		"reserved for this claim": {ref("tenant", "c", ""), true},
		"without an owner":        {nil, false},
		"one's of before":         {ref("tenant", "c", "before"), false},
		"another namespace's":     {ref("other", "c", "u"), false},
		"another claim's":         {ref("tenant", "d", "u"), false},
	} {
		if got := IsBound(&corev1.PersistentVolume{Spec: corev1.PersistentVolumeSpec{ClaimRef: test.ref}}, claim); got != test.want {
			t.Errorf("%s: %t, want %t", name, got, test.want)
		}
	}
}

// Each kind of volume has a name that its storage knows.
func TestHandle(t *testing.T) {
	for want, source := range map[string]corev1.PersistentVolumeSource{
		"vol-0123":       {CSI: &corev1.CSIPersistentVolumeSource{VolumeHandle: "vol-0123"}},
		"vol-4567":       {AWSElasticBlockStore: &corev1.AWSElasticBlockStoreVolumeSource{VolumeID: "vol-4567"}},
		"vol-89ab":       {AWSElasticBlockStore: &corev1.AWSElasticBlockStoreVolumeSource{VolumeID: "aws://eu-central-1a/vol-89ab"}},
		"/mnt/disk":      {Local: &corev1.LocalVolumeSource{Path: "/mnt/disk"}},
		"/var/x":         {HostPath: &corev1.HostPathVolumeSource{Path: "/var/x"}},
		"server:/export": {NFS: &corev1.NFSVolumeSource{Server: "server", Path: "/export"}},
		"pv":             {ISCSI: &corev1.ISCSIPersistentVolumeSource{}},
	} {
		pv := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "pv"}, Spec: corev1.PersistentVolumeSpec{PersistentVolumeSource: source}}
		if got := Handle(pv); got != want {
			t.Errorf("handle is %q, want %q", got, want)
		}
	}
}

// Of classes from before CSI the driver is the one that Kubernetes has make their volumes.
func TestDriver(t *testing.T) {
	made := func(by string) *corev1.PersistentVolume {
		return &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{"pv.kubernetes.io/provisioned-by": by}}}
	}
	byCSI := made("ebs.csi.aws.com")
	byCSI.Spec.CSI = &corev1.CSIPersistentVolumeSource{Driver: "ebs.csi.aws.com"}
	byHand := &corev1.PersistentVolume{}
	byHand.Spec.AWSElasticBlockStore = &corev1.AWSElasticBlockStoreVolumeSource{VolumeID: "vol-1"}
	for name, test := range map[string]struct {
		pv   *corev1.PersistentVolume
		want string
	}{
		"before CSI, by hand": {byHand, "ebs.csi.aws.com"},
		"CSI":                 {byCSI, "ebs.csi.aws.com"},
		"before CSI":          {made("kubernetes.io/aws-ebs"), "ebs.csi.aws.com"},
		"another provisioner": {made("rancher.io/local-path"), "rancher.io/local-path"},
		"by an administrator": {&corev1.PersistentVolume{}, ""},
	} {
		if got := Driver(test.pv); got != test.want {
			t.Errorf("%s: driver %q, want %q", name, got, test.want)
		}
	}
}
