package html

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// TestLimitsAcross: a line across has what a direction can do, with credits and without. EFS meters reads at a third, so that without credits three
// times as much can be read.
func TestLimitsAcross(t *testing.T) {
	const mib = 1 << 20
	efsOf2TiB := v1alpha1.Limits{
		Scope: v1alpha1.ScopeFileSystem, ReadIOPS: new(int64(35_000)), WriteIOPS: new(int64(7000)),
		ReadBytesPerSecond: new(int64(600 * mib)), WriteBytesPerSecond: new(int64(200 * mib)),
		Burst: &v1alpha1.Burst{BaselineBytesPerSecond: new(int64(100 * mib)), ByteCredits: new(int64(4 << 40))},
	}
	gp2 := v1alpha1.Limits{
		Scope: v1alpha1.ScopeVolume, IOPS: new(int64(3000)), BytesPerSecond: new(int64(128 * mib)),
		Burst: &v1alpha1.Burst{BaselineIOPS: new(int64(300)), BaselineBytesPerSecond: new(int64(75 * mib)), IOCredits: new(int64(5_400_000))},
	}
	reads, writes := direction{name: v1alpha1.OperationRead}, direction{name: v1alpha1.OperationWrite}
	type lines struct{ IOPS, IOPSWithout, MiB, MiBWithout int64 }
	for _, test := range []struct {
		name   string
		limits v1alpha1.Limits
		of     direction
		want   lines // 0 is no line
	}{
		{"reads of EFS", efsOf2TiB, reads, lines{IOPS: 35_000, MiB: 600, MiBWithout: 300}},
		{"writes of EFS", efsOf2TiB, writes, lines{IOPS: 7000, MiB: 200, MiBWithout: 100}},
		{"reads of gp2", gp2, reads, lines{3000, 300, 128, 75}},
		{"no credits", v1alpha1.Limits{IOPS: new(int64(3000))}, reads, lines{IOPS: 3000}},
	} {
		known := &v1alpha1.KnownLimits{Limits: test.limits}
		iops, iopsWithout := iopsLimits(known, test.of)
		bytes, bytesWithout := bandwidthLimits(known, test.of)
		got := lines{ptr.Deref(iops, 0), ptr.Deref(iopsWithout, 0), ptr.Deref(bytes, 0) / mib, ptr.Deref(bytesWithout, 0) / mib}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}
