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
	long := strings.Repeat("x", maxKey+1)
	for name, row := range map[string]struct {
		parameters map[string]string
		want       []string
	}{
		"none":             {nil, []string{"provisioner=ebs.csi.aws.com"}},
		"sorted":           {map[string]string{"type": "gp3", "iops": "4000"}, []string{"provisioner=ebs.csi.aws.com", "iops=4000", "type=gp3"}},
		"a long value":     {map[string]string{"a": long}, []string{"provisioner=ebs.csi.aws.com", "a=hash-" + hashOf(long)}},
		"a long name":      {map[string]string{long: "1"}, []string{"provisioner=ebs.csi.aws.com", long[:maxKey/2] + "-" + hashOf(long) + "=1"}},
		"credentials":      {map[string]string{"csi.storage.k8s.io/provisioner-secret-name": "s", "restUserKey": "x", "PASSWORD": "y"}, []string{"provisioner=ebs.csi.aws.com"}},
		"of several lines": {map[string]string{"a=b": "c\n\x1bd"}, []string{"provisioner=ebs.csi.aws.com", "a-b=c  d"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(row.want, ClassParameters(&storagev1.StorageClass{Provisioner: "ebs.csi.aws.com", Parameters: row.parameters})); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestMountOptions(t *testing.T) {
	class := &storagev1.StorageClass{Provisioner: "efs.csi.aws.com", MountOptions: []string{"tls", "nconnect=16"}}
	if diff := cmp.Diff([]string{"provisioner=efs.csi.aws.com", "mountOptions=nconnect=16,tls"}, ClassParameters(class)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// large returns a class with more parameters than are kept. Each takes as many bytes as one may.
func large() *storagev1.StorageClass {
	class := &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "gp3"}, Parameters: map[string]string{}}
	for i := range 2 * maxParameters {
		class.Parameters[fmt.Sprintf("%s-%02d", strings.Repeat("x", maxKey-3), i)] = strings.Repeat("v", maxParameterValue)
	}
	return class
}

// Where there are more parameters than are kept, a change of any shows.
func TestManyParameters(t *testing.T) {
	class := large()
	before := ClassParameters(class)
	last := fmt.Sprintf("%s-%02d", strings.Repeat("x", maxKey-3), 2*maxParameters-1)
	class.Parameters[last] = "other"
	after := ClassParameters(class)
	if len(before) != maxParameters || len(after) != maxParameters || before[0] != after[0] || before[maxParameters-1] == after[maxParameters-1] {
		t.Errorf("%d parameters end with %s, and %d with %s", len(before), before[len(before)-1], len(after), after[len(after)-1])
	}
}

// What is kept of classes is what comes back, and it is bounded, however much there is of it.
func TestClassesOfAPoint(t *testing.T) {
	sb := finished()
	var classes []StorageClass
	sb.Spec.Targets = nil
	for i := range 16 {
		target := fmt.Sprintf("target-%d", i)
		sb.Spec.Targets = append(sb.Spec.Targets, v1alpha1.Target{Name: target})
		classes = append(classes, StorageClass{Name: fmt.Sprintf("class-%d", i), Parameters: ClassParameters(large()), Targets: []string{target}})
	}
	h := &History{}
	h.Add(FromBenchmark(sb, Environment{Classes: classes}), 1)
	got := roundTrip(t, h).Points[0].Environment
	if diff := cmp.Diff(h.Points[0].Environment, got); diff != "" {
		t.Errorf("-kept +decoded:\n%s", diff)
	}
	if bytes := textBytes(&got); bytes > 2*maxClassBytes {
		t.Errorf("they take %d bytes", bytes)
	}
	if first, last := got.ClassOf("target-0"), got.ClassOf("target-15"); len(first.Parameters) != maxParameters || len(last.Parameters) != 1 || got.ClassOf("none") != nil {
		t.Errorf("the first class has %q, the last one %q", first.Parameters, last.Parameters)
	}
}
