package storage

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

const mib = 1 << 20

var specPath = field.NewPath("spec")

func TestLimits(t *testing.T) {
	const volume, fileSystem = v1alpha1.ScopeVolume, v1alpha1.ScopeFileSystem
	for _, test := range []struct {
		name, target string
		class        Class
		want         *v1alpha1.Limits
		source       string
		counting     v1alpha1.IOCounting
		precision    v1alpha1.LimitPrecision
	}{{
		name: "nothing is known of other drivers", target: "{name: t, storageClassName: c}", class: Class{Driver: "x", Parameters: map[string]string{"type": "gp3"}},
	}, {
		name: "a claim whose driver is not known", target: "{name: t, claimName: c}",
	}, {
		name: "the user says", target: "{name: t, claimName: c, limits: {iops: 5}}",
		want: &v1alpha1.Limits{Scope: volume, IOPS: new(int64(5))}, source: "spec.targets[].limits",
	}, {
		name: "the user says of a file system", target: "{name: t, efs: {fileSystemID: fs-01234567, throughputMode: Elastic}, limits: {readIOPS: 5}}",
		want: &v1alpha1.Limits{Scope: fileSystem, ReadIOPS: new(int64(5))}, source: "spec.targets[].limits",
	}, {
		name: "gp3 (E1)", target: "{name: t, capacity: 30Gi, ebs: {}}",
		want: &v1alpha1.Limits{Scope: volume, IOPS: new(int64(3000)), BytesPerSecond: new(int64(125 * mib))}, counting: v1alpha1.CountsMerged, source: "gp3",
	}, {
		name: "gp3 of a StorageClass, whose parameters are in any case", target: "{name: t, storageClassName: c, capacity: 100Gi}",
		class: Class{Driver: EBSDriver, Parameters: map[string]string{"Type": "gp3", "IOPS": "4000", "throughput": "200"}},
		want:  &v1alpha1.Limits{Scope: volume, IOPS: new(int64(4000)), BytesPerSecond: new(int64(200 * mib))}, counting: v1alpha1.CountsMerged, source: "gp3",
	}, {
		name: "gp3 of EKS Auto Mode", target: "{name: t, storageClassName: c, capacity: 100Gi}",
		class: Class{Driver: EBSAutoModeDriver, Parameters: map[string]string{"type": "gp3", "iops": "4000"}},
		want:  &v1alpha1.Limits{Scope: volume, IOPS: new(int64(4000)), BytesPerSecond: new(int64(125 * mib))}, counting: v1alpha1.CountsMerged, source: "gp3",
	}, {
		name: "attributes prevail", target: "{name: t, storageClassName: c, capacity: 100Gi, volumeAttributesClassName: a}",
		class: Class{Driver: EBSDriver, Parameters: map[string]string{"type": "gp3", "iops": "4000"}, Attributes: map[string]string{"iops": "6000"}},
		want:  &v1alpha1.Limits{Scope: volume, IOPS: new(int64(6000)), BytesPerSecond: new(int64(125 * mib))}, counting: v1alpha1.CountsMerged, source: "gp3",
	}, {
		name: "a class that lets the driver raise IOPS", target: "{name: t, storageClassName: c, capacity: 10Gi}",
		class: Class{Driver: EBSDriver, Parameters: map[string]string{"iopsPerGB": "50", "AllowAutoIOPSPerGBIncrease": "true"}},
		want:  &v1alpha1.Limits{Scope: volume, IOPS: new(int64(3000)), BytesPerSecond: new(int64(125 * mib))}, counting: v1alpha1.CountsMerged, source: "the least of its type",
	}, {
		name: "what is not true lets it not", target: "{name: t, storageClassName: c, capacity: 10Gi}",
		class: Class{Driver: EBSDriver, Parameters: map[string]string{"iopsPerGB": "50", "allowAutoIOPSPerGBIncrease": "True"}},
		want:  &v1alpha1.Limits{Scope: volume, BytesPerSecond: new(int64(125 * mib))}, source: "gp3",
	}, {
		name: "an older name of attributes' type", target: "{name: t, storageClassName: c, capacity: 100Gi, volumeAttributesClassName: a}",
		class: Class{Driver: EBSDriver, Parameters: map[string]string{"type": "gp3"}, Attributes: map[string]string{"volumeType": "io2", "iops": "4000"}},
		want:  &v1alpha1.Limits{Scope: volume, IOPS: new(int64(4000)), BytesPerSecond: new(int64(1024 * mib))}, counting: v1alpha1.CountsMerged, source: "io2",
	}, {
		name: "both names of attributes' type", target: "{name: t, ebs: {type: gp3}, capacity: 100Gi, volumeAttributesClassName: a}",
		class: Class{Driver: EBSDriver, Attributes: map[string]string{"volumeType": "io1", "type": "io2", "iops": "4000"}},
		want:  &v1alpha1.Limits{Scope: volume, IOPS: new(int64(4000)), BytesPerSecond: new(int64(1024 * mib))}, counting: v1alpha1.CountsMerged, source: "io2",
	}, {
		name: "attributes are taken as they are written", target: "{name: t, storageClassName: c, capacity: 100Gi, volumeAttributesClassName: a}",
		class: Class{Driver: EBSDriver, Parameters: map[string]string{"iops": "4000"}, Attributes: map[string]string{"IOPS": "6000"}},
		want:  &v1alpha1.Limits{Scope: volume, IOPS: new(int64(4000)), BytesPerSecond: new(int64(125 * mib))}, counting: v1alpha1.CountsMerged, source: "gp3",
	}, {
		name: "gp2 (E3)", target: "{name: t, capacity: 100Gi, ebs: {type: gp2}}",
		want: &v1alpha1.Limits{Scope: volume, IOPS: new(int64(3000)), BytesPerSecond: new(int64(128 * mib)), Burst: &v1alpha1.Burst{
			BaselineIOPS: new(int64(300)), BaselineBytesPerSecond: new(int64(75 * mib)), IOCredits: new(int64(5_400_000)),
		}}, counting: v1alpha1.CountsMerged, source: "gp2",
	}, {
		name: "AWS gives a range only of standard (E3)", target: "{name: t, capacity: 100Gi, ebs: {type: standard}}",
		want:     &v1alpha1.Limits{Scope: volume, IOPS: new(int64(200)), BytesPerSecond: new(int64(90 * mib))},
		counting: v1alpha1.CountsRandom, precision: v1alpha1.PrecisionRange, source: "40 to 200",
	}, {
		name: "st1 that needs no credits", target: "{name: t, capacity: 16Ti, ebs: {type: st1}}",
		want:     &v1alpha1.Limits{Scope: volume, IOPS: new(int64(500)), BytesPerSecond: new(int64(500 * mib))},
		counting: v1alpha1.CountsRandom, source: "st1",
	}, {
		name: "random I/O only", target: "{name: t, capacity: 1Ti, ebs: {type: st1}}",
		want: &v1alpha1.Limits{Scope: volume, BytesPerSecond: new(int64(250 * mib)), Burst: &v1alpha1.Burst{
			BaselineBytesPerSecond: new(int64(40 * mib)), ByteCredits: new(int64(1 << 40)),
		}}, counting: v1alpha1.CountsRandom, source: "st1",
	}, {
		name: "mode of the file system is not known", target: "{name: t, efs: {fileSystemID: fs-01234567}}",
	}, {
		name: "empty file system that bursts (E1)", target: "{name: t, efs: {fileSystemID: fs-01234567, throughputMode: Bursting}}",
		want: &v1alpha1.Limits{
			Scope: fileSystem, ReadIOPS: new(int64(35_000)), WriteIOPS: new(int64(7000)),
			ReadBytesPerSecond: new(int64(300 * mib)), WriteBytesPerSecond: new(int64(100 * mib)),
			Burst: &v1alpha1.Burst{BaselineBytesPerSecond: new(int64(mib)), ByteCredits: new(int64(2_308_974_418_329))},
		}, counting: v1alpha1.CountsShared, source: "EFS",
	}, {
		name: "file system of which a region caps the reads", target: "{name: t, efs: {fileSystemID: fs-01234567, throughputMode: Bursting, meteredSize: 20Ti}}", class: Class{Region: "us-east-1"},
		want: &v1alpha1.Limits{
			Scope: fileSystem, ReadIOPS: new(int64(35_000)), WriteIOPS: new(int64(7000)),
			ReadBytesPerSecond: new(int64(5 << 30)), WriteBytesPerSecond: new(int64(2000 * mib)),
			Burst: &v1alpha1.Burst{BaselineBytesPerSecond: new(int64(1000 * mib)), ByteCredits: new(int64(42 << 40))},
		}, counting: v1alpha1.CountsShared, source: "EFS",
	}, {
		name: "file system in a region that has more", target: "{name: t, efs: {fileSystemID: fs-01234567, throughputMode: Elastic}}", class: Class{Region: "us-west-2"},
		want: &v1alpha1.Limits{
			Scope: fileSystem, ReadIOPS: new(int64(250_000)), WriteIOPS: new(int64(50_000)), ReadBytesPerSecond: new(int64(60 << 30)), WriteBytesPerSecond: new(int64(5 << 30)),
		}, counting: v1alpha1.CountsShared, source: "us-west-2",
	}, {
		name: "file system in one zone", target: "{name: t, efs: {fileSystemID: fs-01234567, fileSystemType: OneZone, throughputMode: Elastic}}", class: Class{Region: "us-west-2"},
		want: &v1alpha1.Limits{
			Scope: fileSystem, ReadIOPS: new(int64(35_000)), WriteIOPS: new(int64(7000)), ReadBytesPerSecond: new(int64(3 << 30)), WriteBytesPerSecond: new(int64(1 << 30)),
		}, counting: v1alpha1.CountsShared, source: "One Zone",
	}, {
		name: "a bucket gives each prefix at least so many", target: "{name: t, s3: {bucket: b}}",
		want:     &v1alpha1.Limits{Scope: fileSystem, ReadIOPS: new(int64(5500)), WriteIOPS: new(int64(3500))},
		counting: v1alpha1.CountsRandom, precision: v1alpha1.PrecisionAtLeast, source: "S3",
	}, {
		name: "a directory bucket", target: "{name: t, s3: {bucket: b--use1-az4--x-s3}}",
		want:     &v1alpha1.Limits{Scope: fileSystem, ReadIOPS: new(int64(2_000_000)), WriteIOPS: new(int64(200_000))},
		counting: v1alpha1.CountsRandom, source: "Express",
	}, {
		name: "a bucket of another store", target: "{name: t, s3: {bucket: b, endpointURL: 'http://minio:9000'}}",
	}} {
		t.Run(test.name, func(t *testing.T) {
			_, target := benchmark(t, test.target)
			got := Limits(target, test.class)
			if test.want == nil || got == nil {
				if got != nil || test.want != nil {
					t.Fatalf("limits are %v, want %v", got, test.want)
				}
				return
			}
			if diff := cmp.Diff(*test.want, got.Limits); diff != "" {
				t.Errorf("limits (-want +got):\n%s", diff)
			}
			if got.Counting != test.counting || got.Precision != test.precision {
				t.Errorf("counting is %q and precision %q, want %q and %q", got.Counting, got.Precision, test.counting, test.precision)
			}
			if !strings.Contains(got.Source, test.source) || len(got.Source) > 192 {
				t.Errorf("source is %q, want one of at most 192 bytes with %q", got.Source, test.source)
			}
		})
	}
}

// What a region has is known once a node has a zone, and what the user says stays.
func TestLimitsInZone(t *testing.T) {
	_, efs := benchmark(t, "{name: t, efs: {fileSystemID: fs-01234567, throughputMode: Elastic}}")
	if got := LimitsInZone(efs, Limits(efs, Class{}), "eu-west-1b"); *got.WriteBytesPerSecond != 5<<30 {
		t.Errorf("in eu-west-1b a file system has %d B/s of writes", *got.WriteBytesPerSecond)
	}
	_, given := benchmark(t, "{name: t, efs: {fileSystemID: fs-01234567, throughputMode: Elastic}, limits: {readIOPS: 5}}")
	if got := LimitsInZone(given, Limits(given, Class{}), "eu-west-1b"); *got.ReadIOPS != 5 || got.WriteBytesPerSecond != nil {
		t.Errorf("what the user says became %+v", got)
	}
	_, ebs := benchmark(t, "{name: t, storageClassName: c, capacity: 100Gi}")
	found := Limits(ebs, Class{Driver: EBSDriver, Parameters: map[string]string{"iops": "4000"}})
	if got := LimitsInZone(ebs, found, "eu-west-1b"); got != found {
		t.Errorf("limits of a volume became %+v", got)
	}
}

func TestClientLimits(t *testing.T) {
	const ebs = `{name: t, ebs: {}}`
	megabits := func(n int64) *int64 { return new(n * 1_000_000 / 8) }
	for _, test := range []struct {
		name, target, driver, instance string
		want                           []v1alpha1.Limits
	}{
		{name: "unknown instance", target: ebs, driver: EBSDriver, instance: "x9.huge"},
		{name: "no instance", target: ebs, driver: EBSDriver},
		{name: "other storage", target: "{name: t, storageClassName: c}", driver: "x", instance: "m6i.large"},
		{name: "EBS bandwidth bursts", target: ebs, driver: EBSDriver, instance: "m6i.large", want: []v1alpha1.Limits{{
			Scope: v1alpha1.ScopeInstance, IOPS: new(int64(40_000)), BytesPerSecond: megabits(10_000),
			Burst: &v1alpha1.Burst{BaselineIOPS: new(int64(3600)), BaselineBytesPerSecond: megabits(650)},
		}}},
		{name: "EBS bandwidth lasts", target: ebs, driver: EBSDriver, instance: "m6i.8xlarge", want: []v1alpha1.Limits{{
			Scope: v1alpha1.ScopeInstance, IOPS: new(int64(40_000)), BytesPerSecond: megabits(10_000),
		}}},
		{name: "a StorageClass of EBS", target: "{name: t, storageClassName: c}", driver: EBSDriver, instance: "m6i.8xlarge", want: []v1alpha1.Limits{{
			Scope: v1alpha1.ScopeInstance, IOPS: new(int64(40_000)), BytesPerSecond: megabits(10_000),
		}}},
		{name: "a StorageClass of EKS Auto Mode", target: "{name: t, storageClassName: c}", driver: EBSAutoModeDriver, instance: "m6i.8xlarge", want: []v1alpha1.Limits{{
			Scope: v1alpha1.ScopeInstance, IOPS: new(int64(40_000)), BytesPerSecond: megabits(10_000),
		}}},
		{name: "network (E5)", target: "{name: t, s3: {bucket: b}}", driver: S3Driver, instance: "m6i.8xlarge", want: []v1alpha1.Limits{{
			Scope: v1alpha1.ScopeInstance, ReadBytesPerSecond: megabits(12_500), WriteBytesPerSecond: megabits(12_500),
		}}},
		{name: "one client of a file system, and the network", target: "{name: t, efs: {fileSystemID: fs-01234567, throughputMode: Bursting}}", driver: EFSDriver, instance: "m6i.8xlarge", want: []v1alpha1.Limits{
			{Scope: v1alpha1.ScopeClient, BytesPerSecond: new(int64(500 * mib))},
			{Scope: v1alpha1.ScopeInstance, ReadBytesPerSecond: megabits(12_500), WriteBytesPerSecond: megabits(12_500)},
		}},
		{name: "one client of a file system in one zone", target: "{name: t, efs: {fileSystemID: fs-01234567, fileSystemType: OneZone, throughputMode: Elastic}}", driver: EFSDriver, want: []v1alpha1.Limits{
			{Scope: v1alpha1.ScopeClient, BytesPerSecond: new(int64(500 * mib))},
		}},
		{name: "io2 on an instance that is not built on Nitro", target: `{name: t, ebs: {type: io2, iops: 64000}}`, driver: EBSDriver, instance: "i3.16xlarge", want: []v1alpha1.Limits{
			{Scope: v1alpha1.ScopeInstance, IOPS: new(int64(65_000)), BytesPerSecond: megabits(14_000)},
			{Scope: v1alpha1.ScopeInstance, IOPS: new(int64(32_000))},
		}},
		{name: "Mountpoint's own throughput", target: "{name: t, s3: {bucket: b, mountOptions: [maximum-throughput-gbps 8]}}", driver: S3Driver, instance: "m6i.8xlarge", want: []v1alpha1.Limits{
			{Scope: v1alpha1.ScopeClient, ReadBytesPerSecond: megabits(8000), WriteBytesPerSecond: megabits(8000)},
			{Scope: v1alpha1.ScopeInstance, ReadBytesPerSecond: megabits(12_500), WriteBytesPerSecond: megabits(12_500)},
		}},
		{name: "the user says", target: "{name: t, ebs: {}, clientLimits: {iops: 5}}", driver: EBSDriver, instance: "m6i.large", want: []v1alpha1.Limits{
			{Scope: v1alpha1.ScopeInstance, IOPS: new(int64(5))},
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, target := benchmark(t, test.target)
			var got []v1alpha1.Limits
			for _, known := range ClientLimits(target, test.driver, test.instance) {
				if known.Source == "" || len(known.Source) > 192 {
					t.Errorf("source is %q", known.Source)
				}
				got = append(got, known.Limits)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("limits (-want +got):\n%s", diff)
			}
		})
	}
}

// The driver takes a figure for the volume or one for each GiB, of whichever class it is.
func TestClashOfAttributes(t *testing.T) {
	perGB := map[string]string{"IopsPerGB": "50"}
	iops := map[string]string{"iops": "6000"}
	for _, test := range []struct {
		name  string
		class Class
		clash bool
	}{
		{"both", Class{Driver: EBSDriver, Parameters: perGB, Attributes: iops}, true},
		{"no attributes", Class{Driver: EBSDriver, Parameters: perGB}, false},
		{"attributes without IOPS", Class{Driver: EBSDriver, Parameters: perGB, Attributes: map[string]string{"throughput": "500"}}, false},
		{"IOPS of the class", Class{Driver: EBSDriver, Parameters: map[string]string{"iops": "4000"}, Attributes: iops}, false},
		{"0 is unset", Class{Driver: EBSDriver, Parameters: map[string]string{"iopsPerGB": "0"}, Attributes: iops}, false},
		{"another driver", Class{Driver: "other", Parameters: perGB, Attributes: iops}, false},
	} {
		if got := ClashOfAttributes(test.class); (got != "") != test.clash {
			t.Errorf("%s: %q", test.name, got)
		}
	}
}

func TestValidate(t *testing.T) {
	for _, test := range []struct{ target, want string }{
		{target: "{name: t, ebs: {}}"},
		{target: "{name: t, storageClassName: c}"},
		{target: "{name: t, efs: {fileSystemID: fs-01234567}}"},
		{"{name: t, ebs: {type: io2}}", "spec.ebs.iops: Required value"},
		{"{name: t, ebs: {type: gp2, iops: 3000}}", "spec.ebs.iops: Invalid value: \"3000\""},
		{"{name: t, ebs: {type: st1}}", "spec.capacity: Invalid value: \"10Gi\""},
		{"{name: t, efs: {fileSystemID: fs-01234567, throughputMode: Provisioned}}", "spec.efs.provisionedThroughput: Required value"},
		// Figures come from the VolumeAttributesClass, which is not known here.
		{target: "{name: t, ebs: {type: io2}, volumeAttributesClassName: c}"},
	} {
		_, target := benchmark(t, test.target)
		got := ""
		if errs := Validate(specPath, target, KindOf(target, "")); len(errs) > 0 {
			got = errs[0].Error()
		}
		if (test.want == "") != (got == "") || !strings.HasPrefix(got, test.want) {
			t.Errorf("%s: %q, want %q", test.target, got, test.want)
		}
	}
}

// A class from before CSI is one for EBS. Kubernetes has the driver raise what its iopsPerGB gives to what EBS asks for.
func TestClassOf(t *testing.T) {
	const inTree = "kubernetes.io/aws-ebs"
	small := &v1alpha1.Target{StorageClassName: new("io"), Capacity: new(resource.MustParse("10Gi"))}
	for name, test := range map[string]struct {
		class storagev1.StorageClass
		want  int64
	}{
		"gp2 of EKS":               {storagev1.StorageClass{Provisioner: inTree, Parameters: map[string]string{"type": "gp2", "fsType": "ext4"}}, 3000},
		"too few for the size":     {storagev1.StorageClass{Provisioner: inTree, Parameters: map[string]string{"type": "io1", "iopsPerGB": "5"}}, 100},
		"by CSI, which refuses it": {storagev1.StorageClass{Provisioner: EBSDriver, Parameters: map[string]string{"type": "io1", "iopsPerGB": "5"}}, 0},
		"without parameters":       {storagev1.StorageClass{Provisioner: inTree}, 3000},
	} {
		t.Run(name, func(t *testing.T) {
			class := ClassOf(&test.class)
			limits := Limits(small, class)
			got := int64(0)
			if limits != nil && limits.IOPS != nil {
				got = *limits.IOPS
			}
			if class.Driver != EBSDriver || got != test.want {
				t.Errorf("driver %s and %d IOPS, want %s and %d", class.Driver, got, EBSDriver, test.want)
			}
		})
	}
}

// Typical latencies are AWS's, also where the user says what the limits are.
func TestTypicalLatencies(t *testing.T) {
	for _, test := range []struct {
		target      string
		class       Class
		read, write int64 // 0: not known
	}{
		{"{name: t, ebs: {}}", Class{}, 2000, 2000},
		{"{name: t, ebs: {type: io2, iops: 4000}}", Class{}, 500, 500},
		{"{name: t, ebs: {type: st1}, capacity: 500Gi}", Class{}, 0, 0},
		{"{name: t, storageClassName: c}", Class{Driver: EBSDriver, Parameters: map[string]string{"type": "io1", "iops": "1000"}}, 2000, 2000},
		{"{name: t, efs: {fileSystemID: fs-01234567, throughputMode: Elastic}}", Class{}, 1000, 2700},
		{"{name: t, efs: {fileSystemID: fs-01234567, throughputMode: Elastic, fileSystemType: OneZone}}", Class{}, 1000, 1600},
		{"{name: t, efs: {fileSystemID: fs-01234567, throughputMode: Bursting, performanceMode: MaxIO}}", Class{}, 0, 0},
		{"{name: t, s3: {bucket: b}}", Class{}, 40_000, 40_000},
		{"{name: t, s3: {bucket: b--apne1-az4--x-s3}}", Class{}, 2000, 2000},
		{"{name: t, ebs: {}, limits: {iops: 5}}", Class{}, 2000, 2000},
		{"{name: t, storageClassName: c, limits: {iops: 5}}", Class{Driver: "x"}, 0, 0},
	} {
		_, target := benchmark(t, test.target)
		got := Limits(target, test.class)
		if read, write := ptr.Deref(got.TypicalReadMicroseconds, 0), ptr.Deref(got.TypicalWriteMicroseconds, 0); read != test.read || write != test.write {
			t.Errorf("%s: %d and %d us, want %d and %d", test.target, read, write, test.read, test.write)
		}
	}
}

// AWS documents no operations of Max I/O, and bytes as of others.
func TestMaxIO(t *testing.T) {
	_, target := benchmark(t, "{name: t, efs: {fileSystemID: fs-01234567, throughputMode: Bursting, performanceMode: MaxIO}}")
	got := Limits(target, Class{})
	if got.ReadIOPS != nil || got.WriteIOPS != nil || ptr.Deref(got.WriteBytesPerSecond, 0) != 100*mib || !strings.Contains(got.Source, "Max I/O") {
		t.Errorf("%+v", got)
	}
}
