package cluster

import (
	"os"
	"slices"
	"testing"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"github.com/google/go-cmp/cmp"
	storagev1 "k8s.io/api/storage/v1"
	"sigs.k8s.io/yaml"
)

// The CSIDriver object of EBS is that of the chart.
func TestCSIDriverOfEBS(t *testing.T) {
	text, err := os.ReadFile("../documented/ebs.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var known struct{ CSIDriver *storagev1.CSIDriverSpec }
	if err := yaml.Unmarshal(text, &known); err != nil || known.CSIDriver == nil {
		t.Fatalf("the table has no CSIDriver, %v", err)
	}
	var made storagev1.CSIDriver
	if err := yaml.UnmarshalStrict([]byte(ebsManifest), &made); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(*known.CSIDriver, made.Spec); diff != "" {
		t.Errorf("spec (-chart +stand-in):\n%s", diff)
	}
}

// Who attaches is there where the driver's controller attaches, and only there: Kubernetes would wait for it.
func TestAttachersOfDrivers(t *testing.T) {
	for _, a := range csiAddons {
		attaches := slices.Contains(a.Controller, csi.ControllerServiceCapability_RPC_PUBLISH_UNPUBLISH_VOLUME)
		if attaches != (a.attacher != "") || attaches != (a.attacherPort != 0) {
			t.Errorf("%s attaches volumes: %t, and has attacher %q on port %d", a.Name, attaches, a.attacher, a.attacherPort)
		}
	}
}
