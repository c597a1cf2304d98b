package history

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

func TestClassParameters(t *testing.T) {
	key := "arn:aws:kms:us-east-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab"
	for name, row := range map[string]struct {
		parameters map[string]string
		want       []string
	}{
		"none":             {nil, []string{"the provisioner=ebs.csi.aws.com"}},
		"sorted":           {map[string]string{"type": "gp3", "iops": "4000"}, []string{"iops=4000", "the provisioner=ebs.csi.aws.com", "type=gp3"}},
		"a long value":     {map[string]string{"kmsKeyId": key}, []string{"kmsKeyId=hash " + hashOf(key), "the provisioner=ebs.csi.aws.com"}},
		"of a Secret":      {map[string]string{"csi.storage.k8s.io/provisioner-secret-name": "s"}, []string{"the provisioner=ebs.csi.aws.com"}},
		"of several lines": {map[string]string{"a=b": "c\n\x1bd"}, []string{"a-b=c  d", "the provisioner=ebs.csi.aws.com"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(row.want, ClassParameters(&storagev1.StorageClass{Provisioner: "ebs.csi.aws.com", Parameters: row.parameters})); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// What is kept of a class is what comes back, however much there is of it.
func TestClassOfATarget(t *testing.T) {
	class := &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "gp3"}, Parameters: map[string]string{}}
	for i := range 2 * maxParameters {
		class.Parameters[fmt.Sprintf("%s-%d", strings.Repeat("k", 2*maxName), i)] = strings.Repeat("v", maxParameterValue)
	}
	sb := finished()
	sb.Spec.Targets = []v1alpha1.Target{{Name: "fast"}, {Name: "slow"}}
	h := &History{}
	h.Add(FromBenchmark(sb, Environment{Targets: []TargetStorage{{Target: "fast", Class: class.Name, Parameters: ClassParameters(class)}}}), 1)
	chunks, err := h.Encode()
	if err != nil {
		t.Fatal(err)
	}
	decoded, err := Decode(dataOf(chunks))
	if err != nil {
		t.Fatal(err)
	}
	got := decoded.Points[0].Environment
	if fast := got.StorageOf("fast"); fast.Class != "gp3" || len(fast.Parameters) != maxParameters || fast.Baseline == "" {
		t.Errorf("of the class there is %+v", fast)
	}
	if slow := got.StorageOf("slow"); slow.Class != "" || slow.Baseline == "" {
		t.Errorf("of the other target there is %+v", slow)
	}
	if diff := cmp.Diff(h.Points[0].Environment, got); diff != "" {
		t.Errorf("-kept +decoded:\n%s", diff)
	}
}
