package v1alpha1_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/analysis"
	"github.com/storagebench/storagebench/internal/aws"
	"github.com/storagebench/storagebench/internal/plan"
	"github.com/storagebench/storagebench/internal/preset"
	"github.com/storagebench/storagebench/internal/storage"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/envtest"
	"github.com/storagebench/storagebench/test/extent"
)

func TestMain(m *testing.M) { envtest.Main(m) }

// base is a spec that is valid; rows replace parts of it.
const base = `
targets:
- {name: a, storageClassName: fast}
workloads:
- name: w
  fio: {rw: randread, size: 1M}
`

// benchmark returns a benchmark with the base spec, of which the parts are replaced by the YAML.
func benchmark(t *testing.T, parts string) *unstructured.Unstructured {
	t.Helper()
	spec, replaced := map[string]any{}, map[string]any{}
	for text, into := range map[string]*map[string]any{base: &spec, parts: &replaced} {
		if err := yaml.Unmarshal([]byte(text), into); err != nil {
			t.Fatal(err)
		}
	}
	maps.Copy(spec, replaced)
	sb := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	sb.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("StorageBenchmark"))
	sb.SetNamespace("default")
	sb.SetGenerateName("sb-")
	return sb
}

func target(fields string) string { return "targets: [{name: a, " + fields + "}]" }

func fio(fields string) string {
	if !strings.Contains(fields, "rw:") {
		fields = "rw: randread, " + fields
	}
	if !strings.Contains(fields, "size:") {
		fields = "size: 1M, " + fields
	}
	return "workloads: [{name: w, fio: {" + fields + "}}]"
}

// expect returns an expectation of the base spec, expectTwo one with a second target b.
func expect(fields string) string { return "expectations: [{" + fields + "}]" }

func expectTwo(fields string) string {
	return "targets: [{name: a, storageClassName: c}, {name: b, storageClassName: c}]\n" + expect(fields)
}

func many(n int, element string) string {
	elements := make([]string, n)
	for i := range elements {
		elements[i] = strings.ReplaceAll(element, "%d", fmt.Sprint(i))
	}
	return strings.Join(elements, ", ")
}

const (
	workloadPath = "spec.workloads[0]"
	fioPath      = "spec.workloads[0].fio"
	targetPath   = "spec.targets[0]"

	expectationPath = "spec.expectations[0]"
)

const requiredPath = "spec.placement.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution"

// basePaths returns targets on EFS with the base paths.
func basePaths(paths ...string) []string {
	var targets []string
	for _, path := range paths {
		targets = append(targets, target("efs: {fileSystemID: fs-01234567, basePath: '"+path+"'}"))
	}
	return targets
}

// required returns an affinity to nodes of the terms.
func required(terms string) string {
	return "placement: {affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [" + terms + "]}}}}"
}

// Every rule lets good specs pass and refuses bad ones at the field that is wrong, in words that say what to do.
func TestValidation(t *testing.T) {
	long := strings.Repeat("x", 1000)
	for _, test := range []struct {
		name   string
		accept []string
		reject []string
		path   string
		want   string
	}{{
		name: "targets", path: "spec.targets", want: "should have at least 1 items",
		accept: []string{"targets: [" + many(16, "{name: t%d, storageClassName: c}") + "]"},
		reject: []string{"targets: []"},
	}, {
		name: "at most 16 targets", path: "spec.targets", want: "must have at most 16 items",
		reject: []string{"targets: [" + many(17, "{name: t%d, storageClassName: c}") + "]"},
	}, {
		name: "targets' names differ", path: "spec.targets[1]", want: "Duplicate value",
		reject: []string{"targets: [{name: a, storageClassName: c}, {name: a, storageClassName: d}]"},
	}, {
		name: "target's name", path: "spec.targets[0].name", want: "name must be a DNS label: lower case letters, digits and -, beginning and ending with a letter or digit",
		accept: []string{"targets: [{name: gp3-fast, storageClassName: c}]", "targets: [{name: " + long[:32] + ", storageClassName: c}]"},
		reject: []string{"targets: [{name: A, storageClassName: c}]", "targets: [{name: a_b, storageClassName: c}]", "targets: [{name: -a, storageClassName: c}]", "targets: [{name: a.b, storageClassName: c}]"},
	}, {
		name: "target's name is short", path: "spec.targets[0].name", want: "may not be more than 32 bytes",
		reject: []string{"targets: [{name: " + long[:33] + ", storageClassName: c}]"},
	}, {
		name: "one source of a target", path: targetPath, want: "set exactly one of storageClassName (a new volume of a StorageClass), ebs (a new EBS volume), efs (an EFS file system), s3 (a bucket) and claimName (an existing PersistentVolumeClaim)",
		accept: []string{target("storageClassName: c"), target("claimName: c"), target("ebs: {}"), target("efs: {fileSystemID: fs-0123456789abcdef0}"), target("s3: {bucket: my-bucket}")},
		reject: []string{"targets: [{name: a}]", target("storageClassName: c, claimName: d"), target("ebs: {}, s3: {bucket: my-bucket}"), target("efs: {fileSystemID: fs-01234567}, claimName: c")},
	}, {
		name: "claim's capacity", path: targetPath + ".claimName", want: "capacity, accessMode and volumeMode belong to new volumes; remove them, the claim has its own",
		accept: []string{target("storageClassName: c, capacity: 30Gi"), target("efs: {fileSystemID: fs-01234567}, capacity: 1Gi"), target("s3: {bucket: my-bucket}, capacity: 1Gi")},
		reject: []string{target("claimName: c, capacity: 30Gi")},
	}, {
		name: "shared storage is shared", path: targetPath, want: "EFS file systems and S3 buckets are shared, and have no raw block volumes; remove accessMode and volumeMode, or use ebs",
		accept: []string{target("efs: {fileSystemID: fs-01234567}, accessMode: ReadWriteMany")},
		reject: []string{target("efs: {fileSystemID: fs-01234567}, accessMode: ReadWriteOnce"), target("s3: {bucket: my-bucket}, accessMode: ReadWriteOncePod")},
	}, {
		name: "shared storage is no device", path: targetPath, want: "EFS file systems and S3 buckets are shared, and have no raw block volumes; remove accessMode and volumeMode, or use ebs",
		accept: []string{target("efs: {fileSystemID: fs-01234567}, volumeMode: Filesystem"), target("ebs: {}, volumeMode: Block")},
		reject: []string{target("efs: {fileSystemID: fs-01234567}, volumeMode: Block"), target("s3: {bucket: my-bucket}, volumeMode: Block")},
	}, {
		name: "EBS volumes belong to one node", path: targetPath + ".accessMode", want: "an EBS volume belongs to one node, except a raw block volume of type io2; remove accessMode, set type: io2 and volumeMode: Block, or use efs for storage that is shared",
		accept: []string{
			target("ebs: {}, accessMode: ReadWriteOncePod"),
			target("ebs: {type: io2, iops: 1000}, accessMode: ReadWriteMany, volumeMode: Block"),
		},
		reject: []string{
			target("ebs: {}, accessMode: ReadWriteMany"), target("ebs: {}, accessMode: ReadWriteMany, volumeMode: Block"),
			target("ebs: {type: io1, iops: 1000}, accessMode: ReadWriteMany, volumeMode: Block"),
			target("ebs: {type: io2, iops: 1000}, accessMode: ReadWriteMany"),
			target("ebs: {type: io2, iops: 1000}, accessMode: ReadWriteMany, volumeMode: Filesystem"),
		},
	}, {
		name: "EBS device without file system", path: targetPath + ".volumeMode", want: "a raw block volume has no file system; remove fsType and freeSpaceReserve, or volumeMode",
		accept: []string{target("ebs: {fsType: xfs}")},
		reject: []string{target("ebs: {fsType: xfs}, volumeMode: Block")},
	}, {
		name: "EBS type", path: targetPath + ".ebs.type", want: "Unsupported value: \"gp4\": supported values: \"gp3\", \"gp2\", \"io2\", \"io1\", \"st1\", \"sc1\", \"standard\"",
		reject: []string{target("ebs: {type: gp4}")},
	}, {
		name: "EBS iops or iopsPerGB", path: targetPath + ".ebs.iopsPerGB", want: "set iops or iopsPerGB, not both",
		accept: []string{target("ebs: {iopsPerGB: 400}"), target("ebs: {type: io2, iopsPerGB: 100}")},
		reject: []string{target("ebs: {iops: 3000, iopsPerGB: 300}")},
	}, {
		name: "EBS iops that follow from the size", path: targetPath + ".ebs", want: "only gp3, io1 and io2 volumes take iops and iopsPerGB; those of gp2, st1, sc1 and standard follow from their size: remove them, or use gp3",
		reject: []string{target("ebs: {type: gp2, iops: 3000}"), target("ebs: {type: standard, iops: 3000}"), target("capacity: 500Gi, ebs: {type: st1, iops: 3000}")},
	}, {
		name: "EBS throughput that follows from the size", path: targetPath + ".ebs.throughput", want: "only gp3 volumes take throughput; that of other types follows from their size or IOPS: remove it, or use gp3",
		reject: []string{target("ebs: {type: gp2, throughput: 125}"), target("ebs: {type: io2, iops: 3000, throughput: 125}")},
	}, {
		name: "provisioned IOPS", path: targetPath + ".ebs.iops", want: "io1 and io2 volumes have the IOPS that are provisioned; set iops or iopsPerGB",
		accept: []string{target("ebs: {type: io2}, volumeAttributesClassName: fast")},
		reject: []string{target("ebs: {type: io1}"), target("ebs: {type: io2}")},
	}, {
		name: "gp3 throughput of its IOPS", path: targetPath + ".ebs.throughput", want: "gp3 volumes have at most 0.25 MiB/s for each of their IOPS (3000 if iops is not set); raise iops to four times throughput, or lower throughput",
		accept: []string{target("ebs: {throughput: 750}"), target("ebs: {throughput: 1000, iops: 4000}")},
		reject: []string{target("ebs: {throughput: 751}"), target("ebs: {throughput: 1001, iops: 4000}")},
	}, {
		name: "key of an encrypted volume", path: targetPath + ".ebs.kmsKeyID", want: "a key is for encrypted volumes; set encrypted: true, or remove kmsKeyID",
		accept: []string{target("ebs: {encrypted: true, kmsKeyID: 'arn:aws:kms:eu-west-1:111122223333:key/2'}")},
		reject: []string{target("ebs: {kmsKeyID: 'arn:aws:kms:eu-west-1:111122223333:key/2'}"), target("ebs: {encrypted: false, kmsKeyID: 'arn:aws:kms:eu-west-1:111122223333:key/2'}")},
	}, {
		name: "key by its ARN", path: targetPath + ".ebs.kmsKeyID", want: "kmsKeyID must be the ARN of a key",
		accept: []string{target("ebs: {encrypted: true, kmsKeyID: 'arn:aws:kms:eu-west-1:111122223333:alias/a/b'}")},
		reject: []string{
			target("ebs: {encrypted: true, kmsKeyID: alias/mine}"), target("ebs: {encrypted: true, kmsKeyID: 'arn:aws:kms:x'}"),
			target("ebs: {encrypted: true, kmsKeyID: 'arn:aws:iam::111122223333:role/a'}"),
		},
	}, {
		name: "tags", path: targetPath + ".ebs.tags", want: "the key of a tag has 1 to 128 characters, no = and does not begin with aws:",
		accept: []string{target("ebs: {tags: {team: storage, cost-center: ''}}")},
		reject: []string{target("ebs: {tags: {'aws:x': v}}"), target("ebs: {tags: {'a=b': v}}"), target("ebs: {tags: {'': v}}"), target("ebs: {tags: {CSIVolumeName: v}}"), target("ebs: {tags: {kubernetes.io/x: v}}"), target("ebs: {tags: {kubernetes.iox: v}}")},
	}, {
		name: "values of tags", path: targetPath + ".ebs.tags[team]", want: "in which {{ begins an action; write the value without {{",
		accept: []string{target("ebs: {tags: {team: '{a}'}}")},
		reject: []string{target("ebs: {tags: {team: '{{ .PVCName }}'}}"), target("ebs: {tags: {team: 'a{{'}}")},
	}, {
		name: "VolumeAttributesClass of new volumes", path: targetPath, want: "a VolumeAttributesClass and a dataSource are for new volumes; remove volumeAttributesClassName and dataSource, or use storageClassName or ebs",
		accept: []string{target("storageClassName: c, volumeAttributesClassName: fast"), target("ebs: {}, volumeAttributesClassName: fast")},
		reject: []string{target("claimName: c, volumeAttributesClassName: fast"), target("efs: {fileSystemID: fs-01234567}, volumeAttributesClassName: fast")},
	}, {
		name: "VolumeAttributesClass or figures", path: targetPath + ".volumeAttributesClassName", want: "iops and throughput come from the VolumeAttributesClass; remove them from ebs, or volumeAttributesClassName",
		reject: []string{target("ebs: {iops: 3000}, volumeAttributesClassName: fast"), target("ebs: {throughput: 125}, volumeAttributesClassName: fast")},
	}, {
		name: "source of new volumes", path: targetPath, want: "a VolumeAttributesClass and a dataSource are for new volumes; remove volumeAttributesClassName and dataSource, or use storageClassName or ebs",
		accept: []string{
			target("storageClassName: c, volumeMode: Block, dataSource: {kind: PersistentVolumeClaim, name: data.0}"),
			target("ebs: {}, volumeMode: Block, dataSource: {apiGroup: snapshot.storage.k8s.io, kind: VolumeSnapshot, name: db}"),
		},
		reject: []string{
			target("claimName: c, dataSource: {kind: PersistentVolumeClaim, name: data}"), target("efs: {fileSystemID: fs-01234567}, dataSource: {kind: PersistentVolumeClaim, name: data}"),
			target("s3: {bucket: my-bucket}, dataSource: {apiGroup: snapshot.storage.k8s.io, kind: VolumeSnapshot, name: db}"),
		},
	}, {
		name: "source of files", path: targetPath + ".volumeMode", want: "test files in a file system are new blocks, so that nothing of the dataSource would be read; set volumeMode: Block, or remove dataSource",
		reject: []string{
			target("ebs: {}, dataSource: {kind: PersistentVolumeClaim, name: data}"),
			target("storageClassName: c, volumeMode: Filesystem, dataSource: {kind: PersistentVolumeClaim, name: data}"),
		},
	}, {
		name: "kind of a source", path: targetPath + ".dataSource.kind", want: `supported values: "VolumeSnapshot", "PersistentVolumeClaim"`,
		reject: []string{target("ebs: {}, volumeMode: Block, dataSource: {apiGroup: example.com, kind: Populator, name: x}")},
	}, {
		name: "group of a source", path: targetPath + ".dataSource.apiGroup", want: "VolumeSnapshots are of apiGroup snapshot.storage.k8s.io, and PersistentVolumeClaims of none; set the one, or remove the other",
		accept: []string{target("ebs: {}, volumeMode: Block, dataSource: {apiGroup: '', kind: PersistentVolumeClaim, name: data}")},
		reject: []string{
			target("ebs: {}, volumeMode: Block, dataSource: {kind: VolumeSnapshot, name: db}"), target("ebs: {}, volumeMode: Block, dataSource: {apiGroup: v1, kind: PersistentVolumeClaim, name: data}"),
			target("ebs: {}, volumeMode: Block, dataSource: {apiGroup: example.com, kind: VolumeSnapshot, name: db}"),
		},
	}, {
		name: "a source is no path", path: targetPath + ".dataSource.name", want: "name must be that of a VolumeSnapshot or PersistentVolumeClaim of the same namespace",
		reject: []string{target("ebs: {}, volumeMode: Block, dataSource: {kind: PersistentVolumeClaim, name: other/data}"), target("ebs: {}, volumeMode: Block, dataSource: {kind: PersistentVolumeClaim, name: '../data'}")},
	}, {
		name: "name of a source", path: targetPath + ".dataSource.name", want: "should be at least 1 chars long",
		reject: []string{target("ebs: {}, volumeMode: Block, dataSource: {kind: PersistentVolumeClaim, name: ''}")},
	}, {
		name: "scope of limits", path: targetPath, want: "scope of limits must be Volume or FileSystem, and scope of clientLimits Client or Instance",
		accept: []string{target("storageClassName: c, limits: {scope: FileSystem, iops: 1}")},
		reject: []string{target("storageClassName: c, limits: {scope: Instance, iops: 1}")},
	}, {
		name: "scope of the client's limits", path: targetPath, want: "scope of limits must be Volume or FileSystem, and scope of clientLimits Client or Instance",
		accept: []string{target("storageClassName: c, clientLimits: {scope: Client, iops: 1}"), target("storageClassName: c, clientLimits: {iops: 1}")},
		reject: []string{target("storageClassName: c, clientLimits: {scope: Volume, iops: 1}")},
	}, {
		name: "EFS file system", path: targetPath + ".efs.fileSystemID", want: "fileSystemID must be that of an EFS file system, such as fs-0123456789abcdef0",
		reject: []string{target("efs: {fileSystemID: my-fs}"), target("efs: {fileSystemID: 'fs-01234567:/x'}")},
	}, {
		name: "EFS access point that exists", path: targetPath + ".efs.accessPointID", want: "accessPointID names an access point that exists; set provisioning: Static, or remove it to have one made",
		accept: []string{target("efs: {fileSystemID: fs-01234567, provisioning: Static, accessPointID: fsap-0123456789abcdef0}"), target("efs: {fileSystemID: fs-01234567, provisioning: Static}")},
		reject: []string{target("efs: {fileSystemID: fs-01234567, accessPointID: fsap-0123456789abcdef0}")},
	}, {
		name: "EFS settings of new access points", path: targetPath + ".efs.provisioning", want: "directoryPerms, uid, gid, gidRangeStart, gidRangeEnd and basePath are of access points that are made; remove them, or provisioning: Static",
		accept: []string{target("efs: {fileSystemID: fs-01234567, directoryPerms: '700', uid: 1000, gid: 1000, basePath: /benchmarks}")},
		reject: []string{target("efs: {fileSystemID: fs-01234567, provisioning: Static, basePath: /x}"), target("efs: {fileSystemID: fs-01234567, provisioning: Static, directoryPerms: '700'}")},
	}, {
		name: "EFS user and group", path: targetPath + ".efs", want: "set both uid and gid, or neither",
		reject: []string{target("efs: {fileSystemID: fs-01234567, uid: 1}"), target("efs: {fileSystemID: fs-01234567, gid: 1}")},
	}, {
		name: "EFS range of groups", path: targetPath + ".efs", want: "set both gidRangeStart and gidRangeEnd, or neither",
		accept: []string{target("efs: {fileSystemID: fs-01234567, gidRangeStart: 1, gidRangeEnd: 2}")},
		reject: []string{target("efs: {fileSystemID: fs-01234567, gidRangeStart: 1}")},
	}, {
		name: "EFS range of groups ascends", path: targetPath + ".efs", want: "gidRangeEnd must be greater than gidRangeStart",
		reject: []string{target("efs: {fileSystemID: fs-01234567, gidRangeStart: 2, gidRangeEnd: 2}")},
	}, {
		name: "EFS provisioned throughput", path: targetPath + ".efs.provisionedThroughput", want: "provisionedThroughput goes with throughputMode: Provisioned; set both, or neither",
		accept: []string{target("efs: {fileSystemID: fs-01234567, throughputMode: Provisioned, provisionedThroughput: 256}"), target("efs: {fileSystemID: fs-01234567, throughputMode: Elastic}")},
		reject: []string{target("efs: {fileSystemID: fs-01234567, throughputMode: Provisioned}"), target("efs: {fileSystemID: fs-01234567, provisionedThroughput: 256}")},
	}, {
		name: "EFS file system type", path: targetPath + ".efs.fileSystemType", want: `supported values: "Regional", "OneZone"`,
		accept: []string{target("efs: {fileSystemID: fs-01234567, fileSystemType: OneZone, throughputMode: Elastic}")},
		reject: []string{target("efs: {fileSystemID: fs-01234567, fileSystemType: Zonal}")},
	}, {
		name: "reserve of free space", path: targetPath + ".freeSpaceReserve",
		want:   "freeSpaceReserve must be a quantity of bytes, such as 0 or 500Mi",
		accept: []string{target("claimName: data, freeSpaceReserve: '0'"), target("claimName: data, freeSpaceReserve: 1.5Gi")},
		reject: []string{target("claimName: data, freeSpaceReserve: -1Gi"), target("claimName: data, freeSpaceReserve: 10%")},
	}, {
		name: "reserve of a device", path: targetPath + ".volumeMode",
		want:   "a raw block volume has no file system; remove fsType and freeSpaceReserve, or volumeMode",
		accept: []string{target("storageClassName: fast, volumeMode: Filesystem, freeSpaceReserve: 1Gi")},
		reject: []string{target("storageClassName: fast, volumeMode: Block, freeSpaceReserve: 1Gi")},
	}, {
		name: "EFS metered size", path: targetPath + ".efs.meteredSize", want: "meteredSize must be a quantity of bytes, such as 500Gi",
		accept: []string{target("efs: {fileSystemID: fs-01234567, meteredSize: 2Ti}"), target("efs: {fileSystemID: fs-01234567, meteredSize: '0'}")},
		reject: []string{target("efs: {fileSystemID: fs-01234567, meteredSize: -1Gi}"), target("efs: {fileSystemID: fs-01234567, meteredSize: much}")},
	}, {
		name: "EFS base path", path: targetPath + ".efs.basePath", want: "basePath must be a path of at most 3 directories from the root of the file system, without / at its end, none of which begins with a dot",
		accept: append(basePaths("/a", "/a/b/c", "/a.b/c..d", "/a b/ä-_@+=%,~!()[]:"), target("efs: {fileSystemID: fs-01234567, basePath: \"/a'b\"}")),
		reject: append(basePaths("benchmarks", "/", "/a/", "//a", "/a/../b", "/.a", "/a/.b", "/a/b/c/d", "/a/b/c/d/e", "/a$", "/a#", "/a<", "/a>",
			"/a;", "/a`b", "/a|b", "/a&b", "/a?", "/{a", "/a}", "/a^", "/a*"), target(`efs: {fileSystemID: fs-01234567, basePath: "/a\nb"}`)),
	}, {
		name: "EFS mount options", path: targetPath + ".efs.mountOptions", want: "; remove tls, notls, ro and crossaccount",
		accept: []string{target("efs: {fileSystemID: fs-01234567, mountOptions: [iam]}")},
		reject: []string{target("efs: {fileSystemID: fs-01234567, mountOptions: [tls]}"), target("efs: {fileSystemID: fs-01234567, mountOptions: [ro]}")},
	}, {
		name: "EFS access point as mount option", path: targetPath + ".efs.mountOptions", want: "set provisioning: Static and accessPointID instead of accesspoint",
		reject: []string{target("efs: {fileSystemID: fs-01234567, mountOptions: ['accesspoint=fsap-0']}")},
	}, {
		name: "EFS mount options one by one", path: targetPath + ".efs.mountOptions", want: "write each option as an item of its own, without commas",
		reject: []string{target("efs: {fileSystemID: fs-01234567, mountOptions: ['iam,ro']}")},
	}, {
		name: "TLS of access points", path: targetPath + ".efs.encryptInTransit", want: "access points are always reached with TLS; remove encryptInTransit",
		accept: []string{target("efs: {fileSystemID: fs-01234567, provisioning: Static, encryptInTransit: false}"), target("efs: {fileSystemID: fs-01234567, encryptInTransit: true}")},
		reject: []string{target("efs: {fileSystemID: fs-01234567, encryptInTransit: false}"), target("efs: {fileSystemID: fs-01234567, provisioning: Static, accessPointID: fsap-01234567, encryptInTransit: false}")},
	}, {
		name: "bucket", path: targetPath + ".s3.bucket", want: "bucket must be the name of a bucket (3 to 63 lower case letters, digits, dots and -, no two dots in a row and no IP address, without s3:// and without a prefix) or the ARN of an access point",
		accept: []string{target("s3: {bucket: 'arn:aws:s3:eu-central-1:111122223333:accesspoint/mine'}")},
		reject: []string{target("s3: {bucket: 's3://my-bucket'}"), target("s3: {bucket: my-bucket/prefix}"), target("s3: {bucket: My-Bucket}")},
	}, {
		name: "prefix", path: targetPath + ".s3.prefix", want: "prefix must be letters, digits and !_.*()-/ that begin with no / and end with one, such as benchmarks/",
		accept: []string{target("s3: {bucket: my-bucket, prefix: a/b/}")},
		reject: []string{target("s3: {bucket: my-bucket, prefix: a}"), target("s3: {bucket: my-bucket, prefix: /a/}"), target("s3: {bucket: my-bucket, prefix: 'a//'}"), target("s3: {bucket: my-bucket, prefix: 'a b/'}"), target("s3: {bucket: my-bucket, prefix: '../'}")},
	}, {
		name: "endpoint", path: targetPath + ".s3.endpointURL", want: "endpointURL must begin with https:// or http://",
		accept: []string{target("s3: {bucket: my-bucket, endpointURL: 'https://minio.example.com:9000', forcePathStyle: true}")},
		reject: []string{target("s3: {bucket: my-bucket, endpointURL: minio.example.com}")},
	}, {
		name: "S3 mount options", path: targetPath + ".s3.mountOptions", want: "",
		accept: []string{target("s3: {bucket: my-bucket, mountOptions: [max-threads 32, debug]}")},
		reject: []string{
			target("s3: {bucket: my-bucket, mountOptions: [prefix x/]}"), target("s3: {bucket: my-bucket, mountOptions: ['--region=x']}"), target("s3: {bucket: my-bucket, mountOptions: [cache /tmp]}"),
			target("s3: {bucket: my-bucket, mountOptions: [read-only]}"), target("s3: {bucket: my-bucket, mountOptions: [uid 0]}"), target("s3: {bucket: my-bucket, mountOptions: [-o ro]}"), target("s3: {bucket: my-bucket, mountOptions: ['log-directory=/x']}"), target("s3: {bucket: my-bucket, mountOptions: ['max-threads 3,uid=0']}"),
		},
	}, {
		name: "S3 cache", path: targetPath + ".s3.cache", want: "set exactly one of emptyDir and ephemeral",
		accept: []string{target("s3: {bucket: my-bucket, cache: {emptyDir: {sizeLimit: 1Gi, medium: Memory}}}"), target("s3: {bucket: my-bucket, cache: {ephemeral: {storageClassName: c, storageRequest: 1Gi}}}")},
		reject: []string{target("s3: {bucket: my-bucket, cache: {}}")},
	}, {
		name: "claim's access mode", path: targetPath + ".claimName", want: "capacity, accessMode and volumeMode belong to new volumes; remove them, the claim has its own",
		accept: []string{target("storageClassName: c, accessMode: ReadWriteMany"), target("storageClassName: c, accessMode: ReadWriteOncePod")},
		reject: []string{target("claimName: c, accessMode: ReadWriteOnce")},
	}, {
		name: "claim's volume mode", path: targetPath + ".claimName", want: "capacity, accessMode and volumeMode belong to new volumes; remove them, the claim has its own",
		accept: []string{target("storageClassName: c, volumeMode: Block")},
		reject: []string{target("claimName: c, volumeMode: Block")},
	}, {
		name: "access mode", path: targetPath + ".accessMode", want: `supported values: "ReadWriteOnce", "ReadWriteMany", "ReadWriteOncePod"`,
		reject: []string{target("storageClassName: c, accessMode: ReadOnlyMany")},
	}, {
		name: "volume mode", path: targetPath + ".volumeMode", want: `supported values: "Filesystem", "Block"`,
		reject: []string{target("storageClassName: c, volumeMode: Raw")},
	}, {
		name: "capacity", path: targetPath + ".capacity", want: "capacity must be a quantity of bytes of at least 1, such as 500Mi or 30Gi",
		accept: []string{target("storageClassName: c, capacity: 500Mi"), target("storageClassName: c, capacity: 1.5Ti"), target(`storageClassName: c, capacity: "1000000000"`)},
		reject: []string{target(`storageClassName: c, capacity: "0"`), target("storageClassName: c, capacity: -1Gi"), target("storageClassName: c, capacity: 30GB"), target("storageClassName: c, capacity: 100m"), target("storageClassName: c, capacity: large"), target("storageClassName: c, capacity: 1e1.5"), target("storageClassName: c, capacity: '1e2147483647'")},
	}, {
		name: "claims have no namespace", path: targetPath + ".claimName", want: "claimName must be the name of a PersistentVolumeClaim of the same namespace",
		accept: []string{target("claimName: data.0")},
		reject: []string{target("claimName: other/data"), target("claimName: ../other/persistentvolumeclaims/data"), target("claimName: data%2Fother"), target(`claimName: "data?x"`), target("claimName: Data")},
	}, {
		name: "a class is no path", path: targetPath + ".storageClassName", want: "storageClassName must be the name of a StorageClass",
		reject: []string{target("storageClassName: ../fast"), target("storageClassName: a/b")},
	}, {
		name: "a VolumeAttributesClass is no path", path: targetPath + ".volumeAttributesClassName", want: "volumeAttributesClassName must be the name of a VolumeAttributesClass",
		reject: []string{target("storageClassName: c, volumeAttributesClassName: ../fast")},
	}, {
		name: "S3 mount options begin with their name", path: targetPath + ".s3.mountOptions", want: "write each option as an item of its own, in one line of printable ASCII characters without commas, and begin it with its name, with or without --",
		accept: []string{target("s3: {bucket: my-bucket, mountOptions: [--max-threads 32]}")},
		reject: []string{target("s3: {bucket: my-bucket, mountOptions: [' prefix somebodys/']}"), target("s3: {bucket: my-bucket, mountOptions: [' -o prefix=x/']}"), target("s3: {bucket: my-bucket, mountOptions: [---prefix=x/]}"), target(`s3: {bucket: my-bucket, mountOptions: ["\tread-only"]}`)},
	}, {
		name: "S3 mount options in one line", path: targetPath + ".s3.mountOptions", want: "write each option as an item of its own, in one line of printable ASCII characters without commas, and begin it with its name, with or without --",
		accept: []string{target("s3: {bucket: my-bucket, mountOptions: ['max-threads 32', 'maximum-throughput-gbps=5']}")},
		reject: []string{
			target(`s3: {bucket: my-bucket, mountOptions: ["debug\nuid=0"]}`), target(`s3: {bucket: my-bucket, mountOptions: ["prefix\tsomebodys/"]}`), target(`s3: {bucket: my-bucket, mountOptions: ["debug\r"]}`),
			target(`s3: {bucket: my-bucket, mountOptions: ["debug\n"]}`), target(`s3: {bucket: my-bucket, mountOptions: ["uid\u00a00"]}`), target(`s3: {bucket: my-bucket, mountOptions: ["debug\u2028uid=0"]}`),
		},
	}, {
		name: "EFS mount options without blanks", path: targetPath + ".efs.mountOptions", want: "write each option as an item of its own, without commas and blanks",
		reject: []string{target("efs: {fileSystemID: fs-01234567, mountOptions: [' ro']}"), target("efs: {fileSystemID: fs-01234567, mountOptions: ['iam ']}"), target(`efs: {fileSystemID: fs-01234567, mountOptions: ["\ttls"]}`)},
	}, {
		name: "empty class", path: targetPath + ".storageClassName", want: "should be at least 1 chars long",
		reject: []string{target(`storageClassName: ""`)},
	}, {
		name: "empty claim", path: targetPath + ".claimName", want: "should be at least 1 chars long",
		reject: []string{target(`claimName: ""`)},
	}, {
		name: "workloads", path: "spec.workloads", want: "should have at least 1 items",
		accept: []string{"workloads: [" + many(64, "{name: w%d, fio: {rw: read, size: 1M}}") + "]"},
		reject: []string{"workloads: []"},
	}, {
		name: "job files together", path: "spec.workloads", want: "all jobFiles together may have 131072 characters",
		accept: []string{"workloads: [" + many(8, "{name: w%d, jobFile: "+strings.Repeat("x", 16384)+"}") + "]"},
		reject: []string{"workloads: [" + many(8, "{name: w%d, jobFile: "+strings.Repeat("x", 16384)+"}") + ", {name: one-more, jobFile: x}]"},
	}, {
		name: "number of runs", path: "spec", want: "every workload is measured on every target as often as repetitions says, and a benchmark holds at most 200 such runs; split it",
		accept: []string{
			"{targets: [" + many(4, "{name: t%d, storageClassName: c}") + "], workloads: [" + many(50, "{name: w%d, jobFile: x}") + "]}",
			"{repetitions: 50, targets: [" + many(4, "{name: t%d, storageClassName: c}") + "]}",
		},
		reject: []string{
			"{targets: [" + many(5, "{name: t%d, storageClassName: c}") + "], workloads: [" + many(41, "{name: w%d, jobFile: x}") + "]}",
			"{repetitions: 51, targets: [" + many(4, "{name: t%d, storageClassName: c}") + "]}",
		},
	}, {
		name: "few repetitions", path: "spec.repetitions", want: "should be greater than or equal to 1",
		reject: []string{"repetitions: 0"},
	}, {
		name: "many repetitions", path: "spec.repetitions", want: "should be less than or equal to 64",
		accept: []string{"repetitions: 64"}, reject: []string{"repetitions: 65"},
	}, {
		name: "few clients", path: "spec.clients", want: "should be greater than or equal to 1",
		accept: []string{"clients: 1"}, reject: []string{"clients: 0"},
	}, {
		name: "many clients", path: "spec.clients", want: "should be less than or equal to 128",
		accept: []string{"clients: 128", "workloads: [{name: w, jobFile: x, clients: [1, 2, 128], matrix: {bs: [4k]}}]"}, reject: []string{"clients: 129"},
	}, {
		name: "clients of a workload", path: workloadPath + ".clients[0]", want: "should be less than or equal to 128",
		accept: []string{"workloads: [{name: w, jobFile: x, clients: [128]}]"}, reject: []string{"workloads: [{name: w, jobFile: x, clients: [129]}]"},
	}, {
		name: "spread", path: "spec.placement.spread", want: `supported values: "Node", "None"`,
		accept: []string{"placement: {spread: Node}", "placement: {spread: None, isolation: None}"}, reject: []string{"placement: {spread: Zone}"},
	}, {
		name: "order", path: "spec.order", want: `supported values: "Interleaved", "ByTarget"`,
		accept: []string{"order: Interleaved", "order: ByTarget"}, reject: []string{"order: Random"},
	}, {
		name: "baseline", path: "spec.baseline", want: "baseline must be the name of one of the targets",
		accept: []string{"baseline: a"}, reject: []string{"baseline: b"},
	}, {
		name: "matrix", path: workloadPath + ".matrix.bs", want: "should have at least 1 items",
		accept: []string{"workloads: [{name: w, jobFile: x, matrix: {bs: [4k, 64k], numjobs: [1, 16]}}]"},
		reject: []string{"workloads: [{name: w, jobFile: x, matrix: {bs: []}}]"},
	}, {
		name: "values of a matrix", path: workloadPath + ".matrix.bs", want: "must have at most 64 items",
		reject: []string{"workloads: [{name: w, jobFile: x, matrix: {bs: [" + many(65, "%d") + "]}}]"},
	}, {
		// One number that the operator cannot read would keep it from reading all benchmarks.
		name: "numbers of a matrix", path: workloadPath + ".matrix[size]", want: `a number of more than 2147483647 has to be written as text, such as "5000000000"`,
		accept: []string{"workloads: [{name: w, jobFile: x, matrix: {size: [2147483647, '5000000000', -2147483648]}}]"},
		reject: []string{"workloads: [{name: w, jobFile: x, matrix: {size: [2147483648]}}]", "workloads: [{name: w, jobFile: x, matrix: {size: [1, -5000000000]}}]"},
	}, {
		name: "booleans of a matrix", path: workloadPath + ".matrix.direct[0]", want: `must be of type integer,string: "boolean"`, // docs/troubleshooting.md has these words
		accept: []string{"workloads: [{name: w, jobFile: x, matrix: {direct: [1, 0]}}]"},
		reject: []string{"workloads: [{name: w, jobFile: x, matrix: {direct: [true, false]}}]"},
	}, {
		name: "numbers among options", path: fioPath + ".options.thinktime", want: `must be of type string: "integer"`, // docs/troubleshooting.md has these words
		accept: []string{fio(`options: {thinktime: "100"}`)},
		reject: []string{fio("options: {thinktime: 100}")},
	}, {
		name: "options of a matrix", path: workloadPath + ".matrix", want: "must have at most 8 items",
		reject: []string{"workloads: [{name: w, jobFile: x, matrix: {" + many(9, "o%d: [1]") + "}}]"},
	}, {
		name: "isolation", path: "spec.placement.isolation", want: `supported values: "Node", "None"`,
		accept: []string{"placement: {isolation: Node}", "placement: {isolation: None}"}, reject: []string{"placement: {isolation: Zone}"},
	}, {
		name: "limits", path: targetPath + ".limits.iops", want: "should be greater than or equal to 1",
		accept: []string{target("storageClassName: c, limits: {iops: 3000, writeIOPS: 7000, bytesPerSecond: 131072000, scope: FileSystem}")},
		reject: []string{target("storageClassName: c, limits: {iops: 0}")},
	}, {
		name: "scope of limits", path: targetPath + ".limits.scope", want: `supported values: "Volume", "FileSystem"`,
		reject: []string{target("storageClassName: c, limits: {scope: Node}")},
	}, {
		name: "at most 64 workloads", path: "spec.workloads", want: "must have at most 64 items",
		reject: []string{"workloads: [" + many(65, "{name: w%d, fio: {rw: read, size: 1M}}") + "]"},
	}, {
		name: "workloads' names differ", path: "spec.workloads[1]", want: "Duplicate value",
		reject: []string{"workloads: [{name: a, jobFile: x}, {name: a, jobFile: y}]"},
	}, {
		name: "workload's name", path: workloadPath + ".name", want: "name must be a DNS label: lower case letters, digits and -, beginning and ending with a letter or digit, such as rand-write",
		accept: []string{"workloads: [{name: rand-read-4k, jobFile: x}]"},
		reject: []string{"workloads: [{name: Read, jobFile: x}]", "workloads: [{name: a b, jobFile: x}]"},
	}, {
		name: "one kind of workload", path: workloadPath, want: "set exactly one of preset (a workload that has a name), fio (parameters) and jobFile (a whole fio job file)",
		accept: []string{fio("size: 1M"), `workloads: [{name: w, jobFile: "[a]\nrw=read\nsize=1M\n"}]`, "workloads: [{name: w, preset: etcd}]"},
		reject: []string{"workloads: [{name: w}]", "workloads: [{name: w, jobFile: x, fio: {rw: read, size: 1M}}]", "workloads: [{name: w, preset: etcd, jobFile: x}]", "workloads: [{name: w, preset: etcd, fio: {rw: read, size: 1M}}]"},
	}, {
		name: "preset", path: workloadPath + ".preset", want: "preset must be the name of a preset such as etcd, or of a version of it such as etcd.v1",
		accept: []string{"workloads: [{name: w, preset: postgres-wal}]", "workloads: [{name: w, preset: etcd.v1}]"},
		reject: []string{"workloads: [{name: w, preset: Etcd}]", "workloads: [{name: w, preset: etcd.v0}]", "workloads: [{name: w, preset: etcd.1}]"},
	}, {
		name: "precondition is for new volumes", path: targetPath + ".precondition", want: "precondition writes all of a new volume without data: remove it, or use storageClassName or ebs without dataSource",
		accept: []string{target("storageClassName: c, precondition: {}"), target("ebs: {type: gp3}, volumeMode: Block, precondition: {passes: 1, bs: 1m}")},
		reject: []string{
			target("claimName: c, precondition: {}"), target("s3: {bucket: my-bucket}, precondition: {}"),
			target("storageClassName: c, volumeMode: Block, dataSource: {kind: PersistentVolumeClaim, name: db}, precondition: {}"),
		},
	}, {
		name: "precondition of a device for one pod", path: targetPath + ".precondition", want: "set accessMode to ReadWriteOnce, or remove precondition",
		accept: []string{target("storageClassName: c, accessMode: ReadWriteOncePod, precondition: {}")},
		reject: []string{target("storageClassName: c, volumeMode: Block, accessMode: ReadWriteOncePod, precondition: {}")},
	}, {
		name: "blocks of a precondition", path: targetPath + ".precondition.bs", want: "supported values",
		reject: []string{target(`storageClassName: c, precondition: {bs: "0"}`), target("storageClassName: c, precondition: {bs: 1g}"), target("storageClassName: c, precondition: {bs: 100k}")},
	}, {
		name: "until is for fio", path: workloadPath + ".until", want: "until is for workloads of fio, and says for how long it runs",
		accept: []string{
			"workloads: [{name: w, until: {steadyState: {}}, fio: {rw: randread, size: 1M}}]",
			"workloads: [{name: w, until: {steadyState: {metric: bw, windowSeconds: 30, slopePercent: 5, rangePercent: 10}, maxSeconds: 60}, fio: {rw: randread, size: 1M}}]",
		},
		reject: []string{"workloads: [{name: w, until: {steadyState: {}}, preset: etcd}]"},
	}, {
		name: "until takes the place of times", path: workloadPath + ".until", want: "until is for workloads of fio, and says for how long it runs",
		reject: []string{
			"workloads: [{name: w, until: {steadyState: {}}, fio: {rw: randread, size: 1M, runtimeSeconds: 60}}]",
			"workloads: [{name: w, until: {steadyState: {}}, fio: {rw: randread, size: 1M, rampTimeSeconds: 60}}]",
		},
	}, {
		name: "until has time for two windows", path: workloadPath + ".until.maxSeconds", want: "maxSeconds must be at least twice steadyState.windowSeconds",
		reject: []string{
			"workloads: [{name: w, until: {steadyState: {}, maxSeconds: 119}, fio: {rw: randread, size: 1M}}]",
			"workloads: [{name: w, until: {steadyState: {windowSeconds: 1801}}, fio: {rw: randread, size: 1M}}]",
		},
	}, {
		name: "probe is for fio", path: workloadPath + ".probe", want: "probe is for workloads of fio: remove it, or set fio instead of preset or jobFile",
		accept: []string{
			"workloads: [{name: w, probe: LastRepetition, fio: {rw: randread, size: 1M, direct: true, timeBased: true, runtimeSeconds: 1}}]", "workloads: [{name: w, preset: etcd, probe: None}]",
		},
		reject: []string{"workloads: [{name: w, preset: etcd, probe: LastRepetition}]"},
	}, {
		name: "search's bounds", path: workloadPath + ".search.min", want: "min is more than max: lower min, or raise max",
		accept: []string{"workloads: [{name: w, fio: {rw: randread, size: 1M, ioengine: libaio}, search: {vary: iodepth, min: 4, max: 4, objective: {metric: read.p99, max: 5ms}}}]"},
		reject: []string{"workloads: [{name: w, fio: {rw: randread, size: 1M, ioengine: libaio}, search: {vary: iodepth, min: 5, max: 4, objective: {metric: read.p99, max: 5ms}}}]"},
	}, {
		name: "search's iodepth", path: workloadPath + ".search.max", want: "iodepth can be at most 65536, numjobs 1024, clients 128 and rateIOPS 2147483647: lower max",
		accept: []string{"workloads: [{name: w, fio: {rw: randread, size: 1M, ioengine: libaio}, search: {vary: iodepth, max: 65536, objective: {metric: read.p99, max: 5ms}}}]"},
		reject: []string{"workloads: [{name: w, fio: {rw: randread, size: 1M, ioengine: libaio}, search: {vary: iodepth, max: 65537, objective: {metric: read.p99, max: 5ms}}}]"},
	}, {
		name: "search's numjobs", path: workloadPath + ".search.max", want: "iodepth can be at most 65536, numjobs 1024, clients 128 and rateIOPS 2147483647: lower max",
		accept: []string{"workloads: [{name: w, fio: {rw: randread, size: 1M, ioengine: libaio}, search: {vary: numjobs, max: 1024, objective: {metric: read.p99, max: 5ms}}}]"},
		reject: []string{"workloads: [{name: w, fio: {rw: randread, size: 1M, ioengine: libaio}, search: {vary: numjobs, max: 1025, objective: {metric: read.p99, max: 5ms}}}]"},
	}, {
		name: "search's clients", path: workloadPath + ".search.max", want: "iodepth can be at most 65536, numjobs 1024, clients 128 and rateIOPS 2147483647: lower max",
		accept: []string{"workloads: [{name: w, fio: {rw: randread, size: 1M, ioengine: libaio}, search: {vary: clients, max: 128, objective: {metric: read.p99, max: 5ms}}}]"},
		reject: []string{"workloads: [{name: w, fio: {rw: randread, size: 1M, ioengine: libaio}, search: {vary: clients, max: 129, objective: {metric: read.p99, max: 5ms}}}]"},
	}, {
		name: "search's rate is bounded", path: workloadPath + ".search.max", want: "Required value",
		accept: []string{"workloads: [{name: w, fio: {rw: randread, size: 1M, ioengine: libaio}, search: {vary: rateIOPS, max: 2147483647, objective: {metric: read.p99, max: 5ms}}}]"},
		reject: []string{"workloads: [{name: w, fio: {rw: randread, size: 1M, ioengine: libaio}, search: {vary: rateIOPS, objective: {metric: read.p99, max: 5ms}}}]"},
	}, {
		name: "search's least load", path: workloadPath + ".search.max", want: "should be greater than or equal to 1",
		accept: []string{"workloads: [{name: w, fio: {rw: randread, size: 1M, ioengine: libaio}, search: {vary: iodepth, max: 1, objective: {metric: read.p99, max: 5ms}}}]"},
		reject: []string{"workloads: [{name: w, fio: {rw: randread, size: 1M, ioengine: libaio}, search: {vary: iodepth, max: 0, objective: {metric: read.p99, max: 5ms}}}]"},
	}, {
		name: "search's vary", path: workloadPath + ".search.vary", want: "Unsupported value",
		accept: []string{"workloads: [{name: w, fio: {rw: randread, size: 1M, ioengine: libaio}, search: {vary: rateIOPS, max: 5, objective: {metric: read.p99, max: 5ms}}}]"},
		reject: []string{"workloads: [{name: w, fio: {rw: randread, size: 1M, ioengine: libaio}, search: {vary: bs, max: 5, objective: {metric: read.p99, max: 5ms}}}]"},
	}, {
		name: "search's metric is a latency", path: workloadPath + ".search.objective.metric", want: "Unsupported value",
		accept: []string{"workloads: [{name: w, fio: {rw: randread, size: 1M, ioengine: libaio}, search: {vary: iodepth, max: 5, objective: {metric: sync.p999, max: 5ms}}}]"},
		reject: []string{"workloads: [{name: w, fio: {rw: randread, size: 1M, ioengine: libaio}, search: {vary: iodepth, max: 5, objective: {metric: read.iops, max: 5ms}}}]"},
	}, {
		name: "search's budget", path: workloadPath + ".search.objective.max", want: "max must be a latency with its unit: ns, us, ms or s, such as 5ms",
		accept: []string{"workloads: [{name: w, fio: {rw: randread, size: 1M, ioengine: libaio}, search: {vary: iodepth, max: 5, objective: {metric: read.p99, max: 0.5s}}}]"},
		reject: []string{"workloads: [{name: w, fio: {rw: randread, size: 1M, ioengine: libaio}, search: {vary: iodepth, max: 5, objective: {metric: read.p99, max: \"50\"}}}]"},
	}, {
		name: "scale is for presets", path: workloadPath + ".scale", want: "scale is for presets: set size and runtimeSeconds in fio, or in jobFile",
		accept: []string{"workloads: [{name: w, preset: etcd, scale: {size: 1M, runtimeSeconds: 3}}]"},
		reject: []string{"workloads: [{name: w, scale: {size: 1M}, fio: {rw: read, size: 1M}}]"},
	}, {
		name: "scale of something", path: workloadPath + ".scale", want: "should have at least 1 properties",
		reject: []string{"workloads: [{name: w, preset: etcd, scale: {}}]"},
	}, {
		name: "size of a scale", path: workloadPath + ".scale.size", want: "size must be a number of bytes such as 512M or 10G (1024-based, without B)",
		reject: []string{"workloads: [{name: w, preset: etcd, scale: {size: 10%}}]", "workloads: [{name: w, preset: etcd, scale: {size: 1GB}}]"},
	}, {
		name: "matrix beside a preset", path: workloadPath + ".matrix", want: "a preset sets what is measured, so that its results are comparable: remove matrix, or set fio to vary options; clients can vary",
		accept: []string{"workloads: [{name: w, preset: etcd, clients: [1, 2]}]"},
		reject: []string{"workloads: [{name: w, preset: etcd, matrix: {bs: [4k]}}]", "workloads: [{name: w, preset: etcd, clients: [1], matrix: {bs: [4k]}}]"},
	}, {
		name: "one bound of an expectation", path: expectationPath, want: "set exactly one of max, min, maxRatioToBaseline and minRatioToBaseline; give another expectation for another bound",
		accept: []string{expect("metric: sync.p99, max: 10ms"), expect("metric: write.iops, min: 2700"), expect(`metric: read.bandwidth, min: "125Mi"`)},
		reject: []string{expect("metric: sync.p99"), expectTwo(`metric: sync.p99, max: 10ms, maxRatioToBaseline: "2"`)},
	}, {
		name: "metric", path: expectationPath + ".metric", want: "Unsupported value: \"sync.p98\"",
		reject: []string{expect("metric: sync.p98, max: 10ms")},
	}, {
		name: "metric of metadata", path: expectationPath + ".metric", want: "Unsupported value: \"metadata.bandwidth\"",
		reject: []string{expect("metric: metadata.bandwidth, min: 125Mi")},
	}, {
		name: "max is for latencies", path: expectationPath, want: "max and maxRatioToBaseline are for latencies: of iops and bandwidth set min or minRatioToBaseline",
		reject: []string{expect("metric: write.iops, max: 10ms"), expectTwo(`target: b, metric: read.bandwidth, maxRatioToBaseline: "1.2"`)},
	}, {
		name: "min is for iops and bandwidth", path: expectationPath, want: "min and minRatioToBaseline are for iops and bandwidth: of latencies set max or maxRatioToBaseline",
		reject: []string{expect("metric: write.p99, min: 10"), expectTwo(`target: b, metric: sync.mean, minRatioToBaseline: "1.2"`)},
	}, {
		name: "max has a unit", path: expectationPath + ".max", want: "max must be a latency with its unit: ns, us, ms or s, such as 10ms",
		accept: []string{expect("metric: read.mean, max: 1.5s")},
		reject: []string{expect(`metric: read.mean, max: "10"`), expect("metric: read.mean, max: 1h"), expect("metric: read.mean, max: -1ms")},
	}, {
		name: "min of iops", path: expectationPath + ".min", want: "min of iops is I/Os per second as a whole number, such as 2700",
		accept: []string{expect(`metric: total.iops, min: "2700"`)},
		reject: []string{expect("metric: total.iops, min: 125Mi"), expect(`metric: read.iops, min: "2.5"`)},
	}, {
		name: "ratio", path: expectationPath + ".maxRatioToBaseline", want: "maxRatioToBaseline must be a number such as 1.2, as text",
		accept: []string{expectTwo(`metric: read.p99, maxRatioToBaseline: "1.2"`), expectTwo(`target: b, metric: read.p99, maxRatioToBaseline: "2"`)},
		reject: []string{expectTwo("metric: read.p99, maxRatioToBaseline: fast")},
	}, {
		name: "a ratio has two targets", path: "spec.expectations", want: "a ratio is one to the baseline, which has none to itself: add or name another target, or set max or min",
		reject: []string{expect(`metric: read.p99, maxRatioToBaseline: "1.2"`), expect(`metric: read.iops, minRatioToBaseline: "0.8"`)},
	}, {
		name: "the baseline's ratio", path: "spec.expectations", want: "a ratio is one to the baseline, which has none to itself: add or name another target, or set max or min",
		accept: []string{expectTwo(`target: a, metric: read.p99, maxRatioToBaseline: "1.2"`) + "\nbaseline: b"},
		reject: []string{expectTwo(`target: a, metric: read.p99, maxRatioToBaseline: "1.2"`), expectTwo(`target: b, metric: read.p99, maxRatioToBaseline: "1.2"`) + "\nbaseline: b"},
	}, {
		name: "target of an expectation", path: "spec.expectations", want: "target and workload of an expectation must be names of one of the targets and one of the workloads",
		accept: []string{expect("target: a, workload: w, metric: read.p99, max: 1ms")},
		reject: []string{expect("target: b, metric: read.p99, max: 1ms")},
	}, {
		name: "workload of an expectation", path: "spec.expectations", want: "target and workload of an expectation must be names of one of the targets and one of the workloads",
		reject: []string{expect("workload: v, metric: read.p99, max: 1ms")},
	}, {
		name: "at most 32 expectations", path: "spec.expectations", want: "must have at most 32 items",
		accept: []string{"expectations: [" + many(32, "{target: a, workload: w, metric: read.p99, max: %dms}") + "]"},
		reject: []string{"expectations: [" + many(33, "{metric: read.p99, max: %dms}") + "]"},
	}, {
		name: "job file", path: workloadPath + ".jobFile", want: "may not be more than 16384 bytes",
		accept: []string{"workloads: [{name: w, jobFile: " + strings.Repeat("x", 16384) + "}]"},
		reject: []string{"workloads: [{name: w, jobFile: " + strings.Repeat("x", 16385) + "}]"},
	}, {
		name: "no rw", path: "spec.workloads", want: "set rw of each workload's fio to the type of I/O, such as randread",
		accept: []string{"fio: {rw: read}\nworkloads: [{name: w, fio: {size: 1M}}]", "workloads: [{name: w, fio: {}, matrix: {rw: [read, write]}}]"},
		reject: []string{"workloads: [{name: w, fio: {size: 1M}}]", "workloads: [{name: w, fio: {}, matrix: {bs: [4k, 8k]}}]"},
	}, {
		name: "rw", path: fioPath + ".rw", want: "Unsupported value: \"random\"",
		accept: []string{fio("rw: write"), fio("rw: trimwrite"), fio("rw: readwrite"), fio("rw: randtrimwrite")},
		reject: []string{fio("rw: random")},
	}, {
		name: "rwmixread's range", path: fioPath + ".rwmixread", want: "should be less than or equal to 100",
		reject: []string{fio("rw: randrw, rwmixread: 101")},
	}, {
		name: "bs", path: fioPath + ".bs", want: "bs must be a number of bytes such as 512, 4k or 1m (1024-based, without B), or up to three of them (reads, writes, trims) with commas",
		accept: []string{fio(`bs: "512"`), fio("bs: 4k"), fio("bs: 1M"), fio(`bs: "8k,32k"`), fio(`bs: "8k,,16k"`)},
		reject: []string{fio("bs: 4x"), fio("bs: 4KiB"), fio(`bs: "4k,4k,4k,4k"`), fio(`bs: "4k;rw=write"`), fio(`bs: "-4k"`), fio(`bs: "4k\nexec_prerun=x"`)},
	}, {
		name: "size", path: fioPath + ".size", want: "size must be a number of bytes such as 512M or 10G (1024-based, without B), or a percentage from 1% to 100%",
		accept: []string{fio("size: 10G"), fio(`size: "1048576"`), fio("size: 100%"), fio("size: 1%"), fio("size: 1T")},
		reject: []string{fio("size: 0%"), fio("size: 101%"), fio("size: ten"), fio("size: 1TiB"), fio("size: -1G"), fio(`size: "1G\nfilename=/x"`)},
	}, {
		name: "ioengine", path: fioPath + ".ioengine", want: `Unsupported value: "exec"`,
		accept: []string{fio("ioengine: psync"), fio("ioengine: io_uring"), fio("ioengine: libaio, iodepth: 64"), fio("ioengine: filecreate, nrfiles: 100"), fio("ioengine: dirdelete")},
		reject: []string{fio("ioengine: exec")},
	}, {
		name: "iodepth", path: fioPath + ".iodepth", want: "should be greater than or equal to 1",
		reject: []string{fio("iodepth: 0")},
	}, {
		name: "nrfiles", path: fioPath + ".nrfiles", want: "should be less than or equal to 100000",
		accept: []string{fio("nrfiles: 100000")},
		reject: []string{fio("nrfiles: 100001")},
	}, {
		name: "numjobs", path: fioPath + ".numjobs", want: "should be less than or equal to 1024",
		accept: []string{fio("numjobs: 16")},
		reject: []string{fio("numjobs: 1025")},
	}, {
		name: "runtimeSeconds", path: fioPath + ".runtimeSeconds", want: "should be greater than or equal to 0",
		accept: []string{fio("runtimeSeconds: 0"), fio("timeBased: true")},
		reject: []string{fio("runtimeSeconds: -1")},
	}, {
		name: "rampTimeSeconds", path: fioPath + ".rampTimeSeconds", want: "rampTimeSeconds must be a number of seconds from 0 to 86400, or auto",
		accept: []string{fio("rampTimeSeconds: 0"), fio("rampTimeSeconds: 86400"), fio("rampTimeSeconds: auto, timeBased: true, runtimeSeconds: 60")},
		reject: []string{fio("rampTimeSeconds: -1"), fio("rampTimeSeconds: 86401"), fio(`rampTimeSeconds: "5"`), fio("rampTimeSeconds: Auto, timeBased: true, runtimeSeconds: 60")},
	}, {
		name: "sync", path: fioPath + ".sync", want: `supported values: "none", "sync", "dsync"`,
		accept: []string{fio("sync: dsync")},
		reject: []string{fio(`sync: "1"`)},
	}, {
		name: "fsync", path: fioPath + ".fsync", want: "should be greater than or equal to 0",
		accept: []string{fio("fsync: 1, fdatasync: 0")},
		reject: []string{fio("fsync: -1")},
	}, {
		name: "rate", path: fioPath + ".rate", want: "rate must be bytes per second such as 10m (1024-based, without B), or up to three of them (reads, writes, trims) with commas; or 0, which undoes the rate of spec.fio",
		accept: []string{fio("rate: 10m"), fio(`rate: "10m,5m"`), fio(`rate: "0,5m"`), fio(`rate: "0"`)},
		reject: []string{fio("rate: fast"), fio("rate: 10m/s")},
	}, {
		name: "rateIOPS", path: fioPath + ".rateIOPS", want: "rateIOPS must be I/Os per second from 1 to 2147483647, or 0, which undoes the rate of spec.fio, or up to three of them (reads, writes, trims) with commas, such as 500,200",
		accept: []string{fio("rateIOPS: 100"), fio(`rateIOPS: "100"`), fio("rateIOPS: 2147483647"), fio(`rateIOPS: "500,200"`), fio(`rateIOPS: "500,,200"`), fio(`rateIOPS: "0,200"`), fio("rateIOPS: 0")},
		reject: []string{fio("rateIOPS: -1"), fio("rateIOPS: 2147483648")},
	}, {
		name: "rateIOPS as text", path: fioPath + ".rateIOPS", want: "should match '^[0-9]+(,([0-9]+)?){0,2}$'",
		reject: []string{fio("rateIOPS: fast"), fio(`rateIOPS: "1,2,3,4"`), fio(`rateIOPS: "-1"`), fio(`rateIOPS: "5\nexec_prerun=x"`)},
	}, {
		name: "loops", path: fioPath + ".loops", want: "should be greater than or equal to 1",
		accept: []string{fio("loops: 3")},
		reject: []string{fio("loops: 0")},
	}, {
		name: "options with a field", path: fioPath + ".options", want: "has a field of its own: set bs",
		accept: []string{fio(`options: {thinktime: "100", group_reporting: "1"}`)},
		reject: []string{fio(`options: {bs: 4k}`), fio(`size: 1M, bs: 4k, options: {blocksize: 4k}`)},
	}, {
		name: "options that mean a field", path: fioPath + ".options", want: "option rwmixwrite has a field of its own: set rwmixread",
		reject: []string{fio(`rw: randrw, options: {rwmixwrite: "30"}`)},
	}, {
		name: "options of all workloads with a field", path: "spec.fio.options", want: "option timeout has a field of its own: set runtimeSeconds",
		accept: []string{`fio: {options: {thinktime: "100"}}`},
		reject: []string{`fio: {options: {timeout: "5"}}`},
	}, {
		name: "number of options", path: fioPath + ".options", want: "must have at most 64 items",
		accept: []string{fio("options: {" + many(64, `o%d: "1"`) + "}")},
		reject: []string{fio("options: {" + many(65, `o%d: "1"`) + "}")},
	}, {
		name: "value of an option", path: fioPath + ".options.thinktime", want: "may not be more than 256 bytes",
		accept: []string{fio("options: {thinktime: " + long[:256] + "}")},
		reject: []string{fio("options: {thinktime: " + long[:257] + "}")},
	}, {
		name: "node selector", path: "spec.placement.nodeSelector", want: "must have at most 32 items",
		accept: []string{"placement: {nodeSelector: {" + many(32, "k%d: v") + "}, tolerations: [{operator: Exists}], affinity: {nodeAffinity: {}}}"},
		reject: []string{"placement: {nodeSelector: {" + many(33, "k%d: v") + "}}"},
	}, {
		name: "tolerations", path: "spec.placement.tolerations", want: "must have at most 32 items",
		reject: []string{"placement: {tolerations: [" + many(33, "{key: k%d, operator: Exists}") + "]}"},
	}, {
		name: "pod labels", path: "spec.pod.labels", want: "labels below storagebench.dev/, app.kubernetes.io/ and batch.kubernetes.io/ are set by the operator and by Kubernetes; use another prefix",
		accept: []string{"pod: {labels: {team: storage, example.com/x: z}}"},
		reject: []string{"pod: {labels: {storagebench.dev/benchmark: other}}", "pod: {labels: {app.kubernetes.io/managed-by: me}}", "pod: {labels: {batch.kubernetes.io/job-name: j}}"},
	}, {
		name: "pod annotations", path: "spec.pod.annotations", want: "annotations below storagebench.dev/ are set by the operator; use another prefix",
		accept: []string{"pod: {annotations: {sidecar.istio.io/inject: 'false'}}"},
		reject: []string{"pod: {annotations: {storagebench.dev/run: r}}"},
	}, {
		name: "pull secrets", path: "spec.pod.imagePullSecrets", want: "must have at most 8 items",
		accept: []string{"pod: {imagePullSecrets: [" + many(8, "{name: s%d}") + "], priorityClassName: high, securityContext: {runAsUser: 1000}, resources: {limits: {memory: 1Gi}}}"},
		reject: []string{"pod: {imagePullSecrets: [" + many(9, "{name: s%d}") + "]}"},
	}, {
		name: "limits without exponents", path: "spec.pod.resources.limits.cpu", want: "should match",
		accept: []string{"pod: {resources: {limits: {cpu: 1500m, memory: 1.5Gi}, requests: {cpu: '2', memory: '1000000000'}}}"},
		reject: []string{"pod: {resources: {limits: {cpu: '1e1.5'}}}", "pod: {resources: {limits: {cpu: '1e3'}}}", "pod: {resources: {limits: {cpu: '9E99999999999'}}}", "pod: {resources: {limits: {cpu: '1e2147483647'}}}"},
	}, {
		name: "requests without exponents", path: "spec.pod.resources.requests.memory", want: "should match",
		reject: []string{"pod: {resources: {requests: {memory: '1e+.5'}}}"},
	}, {
		name: "lists of an affinity", path: requiredPath + ".nodeSelectorTerms", want: "must have at most 32 items",
		accept: []string{required("{matchExpressions: [{key: a, operator: In, values: [" + many(256, "n%d") + "]}]}"), required(many(32, "{matchFields: [{key: a, operator: Exists}]}"))},
		reject: []string{required(many(33, "{}"))},
	}, {
		name: "values of an affinity", path: requiredPath + ".nodeSelectorTerms[0].matchExpressions[0].values", want: "must have at most 256 items",
		reject: []string{required("{matchExpressions: [{key: a, operator: In, values: [" + many(257, "n%d") + "]}]}")},
	}, {
		name: "labels of an affinity", path: "spec.placement", want: "a name in it may have at most 317 characters; choose a shorter one",
		accept: []string{"placement: {affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: t, labelSelector: {matchLabels: {" + long[:317] + ": a}}}]}}}"},
		reject: []string{"placement: {affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: t, labelSelector: {matchLabels: {" + long[:318] + ": a}}}]}}}"},
	}, {
		name: "values of node labels", path: "spec.placement.nodeSelector.a", want: "may not be more than 4096 bytes",
		accept: []string{"placement: {nodeSelector: {a: " + long + "}}"},
		reject: []string{"placement: {nodeSelector: {a: " + strings.Repeat(long, 5) + "}}"},
	}, {
		name: "values of tolerations", path: "spec.placement.tolerations[0].value", want: "may not be more than 4096 bytes",
		reject: []string{"placement: {tolerations: [{value: " + strings.Repeat(long, 5) + "}]}"},
	}, {
		name: "values of a matrix are short", path: workloadPath + ".matrix.bssplit[0]", want: "may not be more than 256 bytes",
		accept: []string{"workloads: [{name: w, jobFile: x, matrix: {bssplit: [" + long[:256] + "]}}]"},
		reject: []string{"workloads: [{name: w, jobFile: x, matrix: {bssplit: [" + long[:257] + "]}}]"},
	}, {
		name: "numbers of fsync", path: fioPath + ".fsync", want: "should be less than or equal to 2147483647",
		accept: []string{fio("fsync: 2147483647, fdatasync: 2147483647")},
		reject: []string{fio("fsync: 2147483648")},
	}, {
		name: "numbers of limits", path: targetPath + ".limits.iops", want: "should be less than or equal to 9007199254740991",
		accept: []string{target("storageClassName: c, limits: {iops: 9007199254740991}")},
		reject: []string{target("storageClassName: c, limits: {iops: 9007199254740992}")},
	}, {
		name: "device claims", path: "spec.pod.resources.claims", want: "claims of devices are not given to fio; remove claims",
		accept: []string{"pod: {resources: {requests: {cpu: 1}}}"},
		reject: []string{"pod: {resources: {claims: [{name: gpu}]}}"},
	}, {
		name: "priority class", path: "spec.pod.priorityClassName", want: "should be at least 1 chars long",
		reject: []string{`pod: {priorityClassName: ""}`},
	}, {
		name: "provisioning deadline", path: "spec.deadlines.provisioningSeconds", want: "should be greater than or equal to 1",
		accept: []string{"deadlines: {provisioningSeconds: 1}", "deadlines: {}"},
		reject: []string{"deadlines: {provisioningSeconds: 0}"},
	}, {
		name: "start deadline", path: "spec.deadlines.podStartSeconds", want: "should be less than or equal to 86400",
		reject: []string{"deadlines: {podStartSeconds: 86401}"},
	}, {
		name: "progress deadline", path: "spec.deadlines.ioProgressSeconds", want: "should be greater than or equal to 5",
		accept: []string{"deadlines: {ioProgressSeconds: 5}"},
		reject: []string{"deadlines: {ioProgressSeconds: 4}"},
	}, {
		name: "run deadline", path: "spec.deadlines.runCompletionSeconds", want: "should be less than or equal to 2592000",
		accept: []string{"deadlines: {runCompletionSeconds: 2592000}"},
		reject: []string{"deadlines: {runCompletionSeconds: 2592001}"},
	}, {
		name: "clean-up deadline", path: "spec.deadlines.cleanUpSeconds", want: "should be greater than or equal to 1",
		reject: []string{"deadlines: {cleanUpSeconds: 0}"},
	}, {
		name: "clean-up policy", path: "spec.cleanupPolicy", want: `supported values: "Delete", "Retain"`,
		accept: []string{"cleanupPolicy: Retain", "cleanupPolicy: Delete"},
		reject: []string{"cleanupPolicy: Keep"},
	}, {
		name: "time to live", path: "spec.ttlSecondsAfterFinished", want: "should be greater than or equal to 0",
		accept: []string{"ttlSecondsAfterFinished: 0", "ttlSecondsAfterFinished: 31536000", "suspend: true", "cancel: true"},
		reject: []string{"ttlSecondsAfterFinished: -1"},
	}, {
		name: "unknown field", path: "", want: `unknown field "spec.workload"`,
		reject: []string{"workload: []"},
	}} {
		t.Run(test.name, func(t *testing.T) {
			c := envtest.Client(t)
			for _, parts := range test.accept {
				if err := c.Create(t.Context(), benchmark(t, parts), client.DryRunAll, client.FieldValidation("Strict")); err != nil {
					t.Errorf("%.200s: %v", parts, err)
				}
			}
			for _, parts := range test.reject {
				err := c.Create(t.Context(), benchmark(t, parts), client.DryRunAll, client.FieldValidation("Strict"))
				wantRefusal(t, err, parts, test.path, test.want)
			}
		})
	}
}

// wantRefusal checks that the API server has refused at the path, in these words.
func wantRefusal(t *testing.T, err error, what, path, words string) {
	t.Helper()
	if err == nil {
		t.Errorf("%.200s was accepted", what)
		return
	}
	if path == "" {
		if !strings.Contains(err.Error(), words) {
			t.Errorf("%.200s: %v, want %q", what, err, words)
		}
		return
	}
	if slices.ContainsFunc(causes(err), func(c metav1.StatusCause) bool {
		return c.Field == path && strings.Contains(strings.ToLower(c.Message), strings.ToLower(words))
	}) {
		return
	}
	t.Errorf("%.200s: %v, want %q at %s", what, err, words, path)
}

func causes(err error) []metav1.StatusCause {
	status, ok := errors.AsType[*apierrors.StatusError](err)
	if !ok || status.Status().Details == nil {
		return nil
	}
	return status.Status().Details.Causes
}

func TestName(t *testing.T) {
	c := envtest.Client(t)
	sb := benchmark(t, "")
	sb.SetName(strings.Repeat("x", 63))
	if err := c.Create(t.Context(), sb, client.DryRunAll); err != nil {
		t.Error(err)
	}
	sb = benchmark(t, "")
	sb.SetName(strings.Repeat("x", 64))
	err := c.Create(t.Context(), sb, client.DryRunAll)
	if err == nil || !strings.Contains(err.Error(), "the name may have at most 63 characters, because it becomes the value of a label; choose a shorter one") {
		t.Errorf("a name of 64 characters: %v", err)
	}
}

func TestDefaults(t *testing.T) {
	c := envtest.Client(t)
	sb := builder.OneRun("default", "defaults").Build()
	if err := c.Create(t.Context(), sb, client.DryRunAll); err != nil {
		t.Fatal(err)
	}
	want := builder.OneRun("default", "defaults").With(func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Suspend, sb.Spec.Cancel = new(false), new(false)
		sb.Spec.CleanupPolicy = v1alpha1.CleanupDelete
		sb.Spec.Deadlines = v1alpha1.Deadlines{
			ProvisioningSeconds: new(int32(600)), PodStartSeconds: new(int32(600)), IOProgressSeconds: new(int32(300)),
			CleanUpSeconds: new(int32(600)), WaitingForNodeSeconds: new(int32(86400)),
		}
		sb.Spec.Repetitions, sb.Spec.Clients, sb.Spec.Order = new(int32(1)), new(int32(1)), v1alpha1.OrderInterleaved
		sb.Spec.Fio.Size = new("1G")
	}).Build()
	if diff := cmp.Diff(want.Spec, sb.Spec); diff != "" {
		t.Errorf("spec (-want +got):\n%s", diff)
	}
	if sb.Status.ObservedGeneration != -1 {
		t.Errorf("status.observedGeneration of a new benchmark is %d, want -1: who follows kstatus takes it for ready", sb.Status.ObservedGeneration)
	}
}

// The API server and the plugin, which plans without one, give spec.fio the same defaults, in whole and in part.
func TestDefaultsOfFio(t *testing.T) {
	c := envtest.Client(t)
	for name, given := range map[string]*v1alpha1.FioParameters{
		"nothing": nil, "no field": {}, "other fields": {BS: new("8k"), NumJobs: new(int32(2))},
		"some of these": {IOEngine: new("psync"), RuntimeSeconds: new(int32(0)), Direct: new(false)},
	} {
		sb := builder.OneRun("default", "defaults").With(func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Fio = given }).Build()
		want := sb.Spec.DeepCopy().Default().Fio
		if err := c.Create(t.Context(), sb, client.DryRunAll); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, sb.Spec.Fio); diff != "" {
			t.Errorf("%s: (-plugin +API server):\n%s", name, diff)
		}
		if sb.Spec.Workloads[0].Fio.IOEngine != nil {
			t.Errorf("%s: the workload has an engine of its own, and inherits none", name)
		}
	}
}

// TestNumberOfRules keeps the rules from growing: each costs the API server at every write, and is a thing to know.
func TestNumberOfRules(t *testing.T) {
	const most = 110
	for _, path := range []string{"storagebenchmarks", "storagebenchmarkschedules"} {
		text, err := os.ReadFile("../../config/crd/bases/storagebench.dev_" + path + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		if rules := len(regexp.MustCompile(`(?m)^ *(- )?rule: `).FindAll(text, -1)); rules > most || rules < most/2 {
			t.Errorf("the CRD of %s has %d rules, and may have %d: join some, or let the plan refuse", path, rules, most)
		}
	}
}

// What was measured cannot be edited afterwards; how to go on can.
func TestUpdates(t *testing.T) {
	fixed := map[string]struct {
		change func(*v1alpha1.StorageBenchmarkSpec)
		want   string
	}{
		"target added": {func(s *v1alpha1.StorageBenchmarkSpec) { s.Targets = append(s.Targets, builder.NewTarget("b")) }, "order, baseline and expectations cannot change after the benchmark has started; create another StorageBenchmark"},
		"capacity":     {func(s *v1alpha1.StorageBenchmarkSpec) { s.Targets[0].Capacity = new(resource.MustParse("2Gi")) }, "order, baseline and expectations cannot change after the benchmark has started; create another StorageBenchmark"},
		"workload":     {func(s *v1alpha1.StorageBenchmarkSpec) { s.Workloads[0].Fio.RW = "randwrite" }, "order, baseline and expectations cannot change after the benchmark has started; create another StorageBenchmark"},
		"option": {func(s *v1alpha1.StorageBenchmarkSpec) {
			s.Workloads[0].Fio.Options = map[string]v1alpha1.FioOptionValue{"thinktime": "1"}
		}, "order, baseline and expectations cannot change after the benchmark has started; create another StorageBenchmark"},
		"placement added": {func(s *v1alpha1.StorageBenchmarkSpec) {
			s.Placement = &v1alpha1.Placement{NodeSelector: map[string]string{"a": "b"}}
		}, "order, baseline and expectations cannot change after the benchmark has started; create another StorageBenchmark"},
		"pod label":     {func(s *v1alpha1.StorageBenchmarkSpec) { s.Pod.Labels["a"] = "other" }, "order, baseline and expectations cannot change after the benchmark has started; create another StorageBenchmark"},
		"pod removed":   {func(s *v1alpha1.StorageBenchmarkSpec) { s.Pod = nil }, "order, baseline and expectations cannot change after the benchmark has started; create another StorageBenchmark"},
		"repetitions":   {func(s *v1alpha1.StorageBenchmarkSpec) { s.Repetitions = new(int32(7)) }, "order, baseline and expectations cannot change after the benchmark has started; create another StorageBenchmark"},
		"clients":       {func(s *v1alpha1.StorageBenchmarkSpec) { s.Clients = new(int32(2)) }, "order, baseline and expectations cannot change after the benchmark has started; create another StorageBenchmark"},
		"order of runs": {func(s *v1alpha1.StorageBenchmarkSpec) { s.Order = v1alpha1.OrderByTarget }, "order, baseline and expectations cannot change after the benchmark has started; create another StorageBenchmark"},
		"baseline":      {func(s *v1alpha1.StorageBenchmarkSpec) { s.Baseline = new("fast") }, "order, baseline and expectations cannot change after the benchmark has started; create another StorageBenchmark"},
		"fio":           {func(s *v1alpha1.StorageBenchmarkSpec) { s.Fio.BS = new("8k") }, "order, baseline and expectations cannot change after the benchmark has started; create another StorageBenchmark"},
		"spread":        {func(s *v1alpha1.StorageBenchmarkSpec) { s.Placement = &v1alpha1.Placement{Spread: v1alpha1.SpreadNone} }, "order, baseline and expectations cannot change after the benchmark has started; create another StorageBenchmark"},
		"expectation added": {func(s *v1alpha1.StorageBenchmarkSpec) {
			s.Expectations = []v1alpha1.Expectation{{Metric: "read.p99", Max: new("1ms")}}
		}, "order, baseline and expectations cannot change after the benchmark has started; create another StorageBenchmark"},
		"matrix": {func(s *v1alpha1.StorageBenchmarkSpec) {
			s.Workloads[0].Matrix = map[string]v1alpha1.MatrixValues{"bs": {intstr.FromInt32(4096)}}
		}, "order, baseline and expectations cannot change after the benchmark has started; create another StorageBenchmark"},
		"resources changed": {func(s *v1alpha1.StorageBenchmarkSpec) {
			s.Pod.Resources.Limits = corev1.ResourceList{"cpu": resource.MustParse("1")}
		}, "order, baseline and expectations cannot change after the benchmark has started; create another StorageBenchmark"},
	}
	free := map[string]func(*v1alpha1.StorageBenchmarkSpec){
		"suspend":       func(s *v1alpha1.StorageBenchmarkSpec) { s.Suspend = new(true) },
		"cancel":        func(s *v1alpha1.StorageBenchmarkSpec) { s.Cancel = new(true) },
		"clean-up":      func(s *v1alpha1.StorageBenchmarkSpec) { s.CleanupPolicy = v1alpha1.CleanupRetain },
		"time to live":  func(s *v1alpha1.StorageBenchmarkSpec) { s.TTLSecondsAfterFinished = new(int32(1)) },
		"deadlines":     func(s *v1alpha1.StorageBenchmarkSpec) { s.Deadlines.RunCompletionSeconds = new(int32(5)) },
		"order changed": func(s *v1alpha1.StorageBenchmarkSpec) { slices.Reverse(s.Workloads) },
	}
	c := envtest.Client(t)
	namespace := envtest.Namespace(t, c)
	sb := builder.OneRun(namespace, "sb").Workload(builder.NewWorkload("second")).With(func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Pod = &v1alpha1.PodSettings{Labels: map[string]string{"a": "b"}}
	}).Build()
	if err := c.Create(t.Context(), sb); err != nil {
		t.Fatal(err)
	}
	update := func(change func(*v1alpha1.StorageBenchmarkSpec)) error {
		changed := sb.DeepCopy()
		change(&changed.Spec)
		return c.Update(t.Context(), changed, client.DryRunAll)
	}
	for name, test := range fixed {
		if err := update(test.change); err != nil {
			t.Errorf("%s before the start: %v", name, err)
		}
	}
	sb.Status.StartTime = new(metav1.Now())
	if err := c.Status().Update(t.Context(), sb); err != nil {
		t.Fatal(err)
	}
	for name, test := range fixed {
		wantRefusal(t, update(test.change), name, "spec", test.want)
	}
	for name, change := range free {
		if err := update(change); err != nil {
			t.Errorf("%s after the start: %v", name, err)
		}
	}
}

// The largest benchmark that validation admits can be created, and its largest status can be written: with a
// result for each of its 200 runs, few or many repetitions, as many results in sections of job files, or a
// message for each; and with as many results as there is room for beside clients, on volumes that they share or have
// each. All are measured, and every other one is written, by turns of commits.
func TestLargestStatus(t *testing.T) {
	const (
		// spare is the room for what later releases add: a status that is full could not be added a field.
		spare = 9 << 10
		// etcd takes objects of up to 1.5 MiB. Beside the status there are the spec, with 128 KiB of job files, the same again in kubectl's annotation, and
		// who wrote which field.
		maxStatus = 1152<<10 - spare
	)
	c := envtest.Client(t)
	namespace := envtest.Namespace(t, c)
	result := func(run *v1alpha1.Run) {
		run.State, run.Result, run.Probe, run.LimitedBy = v1alpha1.RunSucceeded, largestResult(), largestProbe(), largestBound()
		vary(run)
	}
	sections := func(n int) func(*v1alpha1.Run) {
		return func(run *v1alpha1.Run) { run.State, run.Sections = v1alpha1.RunSucceeded, largestSections(n) }
	}
	synced := func(change func(*v1alpha1.Run)) func(*v1alpha1.Run) {
		return func(run *v1alpha1.Run) {
			change(run)
			addSyncs(run)
		}
	}
	metadata := func(change func(*v1alpha1.Run)) func(*v1alpha1.Run) {
		return func(run *v1alpha1.Run) {
			change(run)
			moveNoData(run)
		}
	}
	messages := func(run *v1alpha1.Run) { run.State, run.Message = v1alpha1.RunFailed, strings.Repeat("m", 1024) }
	const own, shared = corev1.ReadWriteOnce, corev1.ReadWriteMany
	for number, test := range []struct {
		name                            string
		targets, workloads, repetitions int
		clients                         int32
		mode                            corev1.PersistentVolumeAccessMode
		run                             func(*v1alpha1.Run)
	}{
		{"each run once", 16, 12, 1, 1, own, result},
		{"few targets", 4, 50, 1, 1, own, result},
		{"verdicts", 16, 3, 4, 1, own, result},
		{"confidence intervals", 16, 2, 6, 1, own, result},
		{"many repetitions", 3, 1, 64, 1, own, result},
		{"pairs of sections", 16, 6, 1, 1, own, sections(2)},
		{"many sections", 16, 1, 1, 1, own, sections(16)},
		{"messages", 16, 12, 1, 1, own, messages},
		{"two clients on shared volumes", 16, 12, 1, 2, shared, result},
		{"two clients on a shared volume", 1, 50, 1, 2, shared, result},
		{"clients on shared volumes", 16, 10, 1, 32, shared, result},
		{"the most clients on a shared volume", 1, 50, 1, 128, shared, result},
		{"the most clients on shared volumes", 16, 10, 1, 128, shared, result},
		{"the most clients, in sections", 16, 1, 1, 128, shared, sections(8)},
		{"the most clients, with messages", 16, 8, 1, 128, shared, messages},
		{"two clients with a volume each", 16, 10, 1, 2, own, result},
		{"clients with a volume each", 16, 3, 1, 16, own, result},
		{"clients with a few volumes each", 4, 20, 1, 48, own, result},
		{"the most clients with a volume each", 1, 50, 1, 128, own, result},
		{"the most clients with two volumes each", 2, 17, 1, 128, own, result},
		{"the most clients with a volume each, in sections", 1, 8, 1, 128, own, sections(12)},
		{"presets", 16, 12, 1, 1, own, result},
		{"syncs, each run once", 16, 10, 1, 1, own, synced(result)},
		{"syncs with verdicts", 13, 3, 4, 1, own, synced(result)},
		{"syncs with confidence intervals", 13, 2, 6, 1, own, synced(result)},
		{"syncs in pairs of sections", 16, 5, 1, 1, own, synced(sections(2))},
		{"syncs of the most clients on shared volumes", 16, 7, 1, 128, shared, synced(result)},
		{"syncs of two clients", 16, 8, 1, 2, shared, synced(result)},
		{"metadata, each run once", 16, 12, 1, 1, own, metadata(result)},
		{"metadata with confidence intervals", 16, 2, 6, 1, own, metadata(result)},
		{"metadata in many sections", 16, 1, 1, 1, own, metadata(sections(16))},
		{"metadata of the most clients", 16, 10, 1, 128, shared, metadata(result)},
	} {
		t.Run(test.name, func(t *testing.T) {
			sb := largestSpec(namespace, test.targets, test.workloads)
			sb.Spec.Repetitions, sb.Spec.Clients = new(int32(test.repetitions)), new(test.clients)
			sb.Spec.Order = v1alpha1.OrderByTarget // of which each verdict has a warning
			for i := range sb.Spec.Targets {
				sb.Spec.Targets[i].AccessMode = new(test.mode)
			}
			if test.name == "presets" {
				usePresets(&sb.Spec)
			}
			if err := c.Create(t.Context(), sb); err != nil {
				t.Fatal(err)
			}
			most := mostResults(t, &sb.Spec)
			if strings.HasPrefix(test.name, "syncs") {
				most = most * 5 / 6 // as plan's TestRoomOfSyncs has it
			}
			sb.Status = largestStatus(sb, most, test.run)
			text, err := json.Marshal(sb.Status)
			if err != nil {
				t.Fatal(err)
			}
			if len(text) > maxStatus {
				t.Errorf("the status takes %d bytes, more than %d", len(text), maxStatus)
			}
			if extent.InTurn(number) { // it takes the API server longer than all else
				if err := c.Status().Update(t.Context(), sb); err != nil {
					t.Errorf("write the status: %.300v", err)
				}
			}
			whole, err := json.Marshal(sb)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d runs by %d clients and %d comparisons on %d targets: %d bytes, %d with the spec and all metadata",
				len(sb.Status.Runs), test.clients, len(sb.Status.Comparisons), test.targets, len(text), len(whole))
			if err := c.Delete(t.Context(), sb); err != nil {
				t.Error(err)
			}
		})
	}
}

// vary makes the repetitions of a run differ so much that all is said of a verdict that can be: with the same figures in all there is no doubt.
func vary(run *v1alpha1.Run) {
	io := run.Result.Of(v1alpha1.OperationRead) // which is that of writes as well
	for _, figure := range []*int64{&io.MilliIOPS, &io.BytesPerSecond, &io.Latency.MeanNanoseconds} {
		*figure = varied(run, *figure)
	}
	varyPercentiles(run, io.CompletionLatency)
}

func varyPercentiles(run *v1alpha1.Run, d *v1alpha1.LatencyDistribution) {
	for _, figure := range []*int64{&d.P50Nanoseconds, &d.P90Nanoseconds, &d.P99Nanoseconds} {
		*figure = varied(run, *figure)
	}
}

// varied returns up to a quarter less than a figure, which follows from the run.
func varied(run *v1alpha1.Run, figure int64) int64 {
	hash := fnv.New32a()
	hash.Write([]byte(run.Name))
	return figure - figure/1000*int64(hash.Sum32()%256)
}

// addSyncs gives the results of a run syncs of the slowest storage.
func addSyncs(run *v1alpha1.Run) {
	const seconds = 99_999_999_999
	sync := &v1alpha1.Figures{Count: 999_999_999_999, Latency: &v1alpha1.Latency{MeanNanoseconds: seconds}, CompletionLatency: largestResult().Of(v1alpha1.OperationWrite).CompletionLatency}
	if run.Result != nil {
		sync.Latency.MeanNanoseconds = varied(run, sync.Mean())
		varyPercentiles(run, sync.CompletionLatency)
		run.Result.Set(v1alpha1.OperationSync, sync)
	}
	for i := range run.Sections {
		run.Sections[i].Set(v1alpha1.OperationSync, sync)
	}
}

// moveNoData gives the results of a run operations on files of the slowest storage instead of I/Os.
func moveNoData(run *v1alpha1.Run) {
	const seconds = 99_999_999_999
	change := func(r *v1alpha1.Result) {
		r.Set(v1alpha1.OperationMetadata, &v1alpha1.Figures{Count: 999_999_999_999, MilliIOPS: 99_999_999_000, Latency: &v1alpha1.Latency{MeanNanoseconds: seconds}, PerClient: r.Of(v1alpha1.OperationRead).PerClient, CompletionLatency: r.Of(v1alpha1.OperationRead).CompletionLatency})
		r.Set(v1alpha1.OperationRead, nil)
		r.Set(v1alpha1.OperationWrite, nil)
	}
	if run.Result != nil {
		change(run.Result)
	}
	for i := range run.Sections {
		change(&run.Sections[i].Result)
	}
}

// mostResults returns the most results that a plan with the targets and clients of a spec can have.
func mostResults(t *testing.T, spec *v1alpha1.StorageBenchmarkSpec) int {
	t.Helper()
	targets := len(spec.Targets)
	for cases := plan.MaxResults / targets; cases > 0; cases-- {
		w := builder.NewWorkload("w")
		w.Fio.Size = new("4k")
		w.Matrix = map[string]v1alpha1.MatrixValues{}
		for i := range cases {
			w.Matrix["bs"] = append(w.Matrix["bs"], intstr.FromInt(i+1))
		}
		tried := v1alpha1.StorageBenchmarkSpec{Targets: spec.Targets, Clients: spec.Clients, Workloads: []v1alpha1.Workload{w}}
		if runs, _ := plan.Runs(&tried, nil); len(runs) > 0 {
			if spec.MostClients() == 1 {
				return plan.MaxResults // runs on one target more often than on another
			}
			return len(runs)
		}
	}
	t.Fatal("no plan has such targets and clients")
	return 0
}

func largestSpec(namespace string, targets, workloads int) *v1alpha1.StorageBenchmark {
	name := func(prefix string, i int) string {
		digits := fmt.Sprintf("-%04d", i)
		return prefix + strings.Repeat("x", 32-len(prefix)-len(digits)) + digits
	}
	b := builder.NewBenchmark(namespace, strings.Repeat("b", 63))
	for i := range targets {
		b.Target(builder.NewTarget(name("t", i)))
	}
	for i := range workloads {
		b.Workload(builder.NewWorkload(name("w", i)))
	}
	return b.Build()
}

func largestSections(n int) []v1alpha1.SectionResult {
	sections := make([]v1alpha1.SectionResult, n)
	for i := range sections {
		sections[i] = v1alpha1.SectionResult{Name: fmt.Sprintf("%s%02d", strings.Repeat("s", 62), i), Result: *largestResult(), LimitedBy: largestBound()}
		sections[i].LimitedBy.Message += strings.Repeat("m", 30) // the names of the sections that ran at the same time
	}
	return sections
}

// usePresets gives each workload a preset, those with the longest names first.
func usePresets(spec *v1alpha1.StorageBenchmarkSpec) {
	all := preset.Newest()
	slices.SortStableFunc(all, func(a, b preset.Preset) int { return len(b.Name) - len(a.Name) })
	for i := range spec.Workloads {
		spec.Workloads[i].Fio, spec.Workloads[i].Preset = nil, new(all[i].ID())
	}
}

// largestStatus is what the operator makes of runs with so many results that the function has given them.
func largestStatus(sb *v1alpha1.StorageBenchmark, results int, change func(*v1alpha1.Run)) v1alpha1.StorageBenchmarkStatus {
	now := new(metav1.Now())
	message := strings.Repeat("m", 2048)
	status := v1alpha1.StorageBenchmarkStatus{
		ObservedGeneration: math.MaxInt64, StartTime: now, CompletionTime: now, PlannedRuns: 200, FinishedRuns: 200,
		Progress: "200/200", Best: strings.Repeat("b", 27), Summary: strings.Repeat("s", 256),
	}
	for range sb.Spec.MostClients() {
		status.Anchors = append(status.Anchors, v1alpha1.Anchor{
			Pod: strings.Repeat("p", 57), Node: strings.Repeat("n", 253), InstanceType: strings.Repeat("i", 63), Attempts: 9, Disruptions: 8, StartTime: now, Message: strings.Repeat("m", 256),
		})
	}
	for _, kind := range []string{v1alpha1.ConditionSucceeded, v1alpha1.ConditionMeasured, v1alpha1.ConditionCleanedUp} {
		status.Conditions = append(status.Conditions, metav1.Condition{Type: kind, Status: metav1.ConditionFalse, Reason: v1alpha1.ReasonDeadlineExceeded, Message: message, LastTransitionTime: *now})
	}
	// Finished and Stalled take the room of Retrying, which a benchmark that has ended does not have. These have bounds of their own: the
	// operator's maxErrorMessage and maxSignal, and that of internal/expectation.
	for kind, bound := range map[string]int{v1alpha1.ConditionRetrying: 1024, v1alpha1.ConditionReconciling: 256, v1alpha1.ConditionExpectationsMet: 896} {
		status.Conditions = append(status.Conditions, metav1.Condition{
			Type: kind, Status: metav1.ConditionFalse, Reason: v1alpha1.ReasonDeadlineExceeded, Message: strings.Repeat("m", bound), LastTransitionTime: *now,
		})
	}
	status.Presets = preset.Used(&sb.Spec)
	for range 32 {
		status.AbandonedAttempts = append(status.AbandonedAttempts, v1alpha1.AbandonedAttempt{
			Run: strings.Repeat("r", 128), Attempt: 99, Reason: v1alpha1.AbandonSuspended, Node: strings.Repeat("n", 253),
			StartTime: now, CompletionTime: now, Message: strings.Repeat("m", 256),
		})
	}
	var targets []string
	for i := range sb.Spec.Targets {
		targets = append(targets, sb.Spec.Targets[i].Name)
		status.Targets = append(status.Targets, largestTarget(sb, &sb.Spec.Targets[i]))
	}
	for i := range results {
		target := sb.Spec.Targets[i%len(sb.Spec.Targets)].Name
		workload := sb.Spec.Workloads[i/len(sb.Spec.Targets)%len(sb.Spec.Workloads)].Name
		run := v1alpha1.Run{
			// A name of 128 characters, with the case of a matrix in it.
			Name: fmt.Sprintf("%s.%s.%s.%03d", workload, strings.Repeat("c", 54), target, i), Target: target, Workload: workload,
			Parameters: map[string]string{"bssplit": strings.Repeat("v", 64), "random_distribution": strings.Repeat("v", 64), "iodepth": "65536", "numjobs": strings.Repeat("v", 18)},
			Attempts:   99, Disruptions: 3, Repetition: 64, Job: strings.Repeat("j", 57), LogConfigMap: strings.Repeat("l", 57),
			StartTime: now, CompletionTime: now,
		}
		if len(status.Presets) > 0 { // whose matrix nobody but they choose
			run.Parameters = map[string]string{"rw": "randwrite", "bs": "128k", v1alpha1.ParameterClients: "128"}
		}
		change(&run)
		if run.State == v1alpha1.RunSucceeded {
			run.Warnings, run.Counters = largestWarnings(&run), largestCounters()
			run.Exceeded = &v1alpha1.ExceededLimits{
				VolumeIOPSMilliseconds: 9_999_999_999, VolumeThroughputMilliseconds: 9_999_999_999, InstanceIOPSMilliseconds: 9_999_999_999, InstanceThroughputMilliseconds: 9_999_999_999,
			}
			run.NodeLoad = &v1alpha1.NodeLoad{BusyPercent: 100, OthersPercent: 100, WaitedPercent: 100, CPUPressurePercent: 100, IOPressurePercent: 100}
			run.VolumeStatistics = largestVolumeStatistics()
		}
		if clients := sb.Spec.MostClients(); clients > 1 {
			addClients(&run, clients)
		}
		if len(run.Sections) > 0 && i%len(run.Sections) > 0 {
			continue // results are counted, and each section has one
		}
		status.Runs = append(status.Runs, run)
	}
	tellOverTime(status.Runs)
	status.Comparisons = analysis.Compare(status.Runs, targets, targets[0])
	judgeByLatency(status.Comparisons)
	analysis.WarnOfOrder(status.Comparisons, sb.Spec.Order)
	status.Warnings = analysis.Summarize(status.Targets, status.Runs, status.Comparisons)
	return status
}

// tellOverTime has as many results say how they went during their runs as may.
func tellOverTime(runs []v1alpha1.Run) {
	const iops = 99_999_999_000
	drop := v1alpha1.RateDrop{AtSeconds: v1alpha1.MaxRunSeconds, DurationSeconds: v1alpha1.MaxRunSeconds, MilliIOPS: iops}
	over := &v1alpha1.OverTime{
		SteadySeconds: new(int32(v1alpha1.MaxRunSeconds)), FirstTenthMilliIOPS: iops, LastTenthMilliIOPS: iops, SlowPercent: 100,
		Fall: &v1alpha1.RateFall{AtSeconds: v1alpha1.MaxRunSeconds, BeforeMilliIOPS: iops, AfterMilliIOPS: iops}, Drops: []v1alpha1.RateDrop{drop, drop, drop},
	}
	told := 0
	for i := range runs {
		if runs[i].Result != nil {
			runs[i].Result.SteadyState = &v1alpha1.SteadyState{AfterSeconds: v1alpha1.MaxRunSeconds}
		}
		if runs[i].Result != nil && told < 48 {
			runs[i].Result.OverTime = over
			runs[i].Result.SteadyState.RangePercent, runs[i].Result.SteadyState.SlopePercent = 10_000, 10_000
			told++
		}
		for j := range runs[i].Sections {
			if told < 48 {
				runs[i].Sections[j].OverTime = over
				told++
			}
		}
	}
}

// judgeByLatency has the comparisons say that they are of what did the rate that the workload asks for: then a total has no verdict.
func judgeByLatency(comparisons []v1alpha1.Comparison) {
	for i := range comparisons {
		for j := range comparisons[i].Targets {
			t := &comparisons[i].Targets[j]
			for _, io := range t.Directions() {
				if io.P99Nanoseconds.Ratio != "" {
					io.JudgedBy = v1alpha1.JudgedByP99
				}
			}
			if t.Of(v1alpha1.OperationTotal) != nil {
				t.Of(v1alpha1.OperationTotal).Judged().Verdict = ""
			}
		}
	}
}

// largestVolumeStatistics are those of days on the fastest storage.
func largestVolumeStatistics() *v1alpha1.VolumeStatistics {
	all := &v1alpha1.VolumeStatistics{}
	for _, name := range []string{v1alpha1.OperationRead, v1alpha1.OperationWrite} {
		all.Operations = append(all.Operations, v1alpha1.VolumeOperations{
			Name: name, Count: 999_999_999_999, Bytes: 9_999_999_999_999_999, MeanMicroseconds: 9_999_999, P50Microseconds: 9_999_999, P99Microseconds: 9_999_999,
		})
	}
	return all
}

// largestCounters are those of days on the fastest storage, with hundreds of requests in flight.
func largestCounters() *v1alpha1.StorageCounters {
	const requests, bytes, milliseconds = 999_999_999_999, 9_999_999_999_999_999, 9_999_999_999
	return &v1alpha1.StorageCounters{
		Source: v1alpha1.CountersOfBlockDevice, Reads: requests, ReadBytes: bytes, Writes: requests, WriteBytes: bytes, Others: requests, Merges: requests,
		BusyMilliseconds: milliseconds, QueueMilliseconds: 1000 * milliseconds,
	}
}

// largestTarget has a claim and a volume for each client that has its own.
func largestTarget(sb *v1alpha1.StorageBenchmark, t *v1alpha1.Target) v1alpha1.TargetStatus {
	limit := new(int64(99_999_999_999))
	limits := v1alpha1.KnownLimits{Source: strings.Repeat("s", 192), Limits: v1alpha1.Limits{
		Scope: v1alpha1.ScopeFileSystem, IOPS: limit, ReadIOPS: limit, WriteIOPS: limit, BytesPerSecond: limit, ReadBytesPerSecond: limit, WriteBytesPerSecond: limit,
		Burst: &v1alpha1.Burst{BaselineIOPS: limit, BaselineBytesPerSecond: limit, IOCredits: limit, ByteCredits: limit},
	}}
	target := v1alpha1.TargetStatus{
		Name: t.Name, StorageClassName: strings.Repeat("c", 253), Driver: strings.Repeat("d", 253), VolumeMode: corev1.PersistentVolumeFilesystem,
		AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOncePod},
		Claims:      []v1alpha1.ClaimStatus{{Name: strings.Repeat("c", 253)}}, ProvisionedMilliseconds: new(int64(math.MaxInt64)),
		Limits: &limits, ClientLimits: []v1alpha1.KnownLimits{limits, limits}, TestFiles: v1alpha1.TestFilesLeftBehind,
		RunsBeforeNodeChange: new(int32(100)),
		BurstCredits:         &v1alpha1.BurstCredits{IOs: limit, Bytes: limit, LeftPercent: 100, SecondsToBaseline: *limit},
	}
	claims := storage.ClaimNames(sb, t)
	if len(claims) > 1 {
		target.Claims = nil
		for _, name := range claims {
			target.Claims = append(target.Claims, v1alpha1.ClaimStatus{Name: name})
		}
	}
	for i := range target.Claims {
		target.Claims[i].UID = types.UID(strings.Repeat("u", 36))
	}
	for range claims {
		target.Volumes = append(target.Volumes, v1alpha1.VolumeStatus{
			Name: strings.Repeat("v", 253), Handle: strings.Repeat("h", 1024), Node: strings.Repeat("n", 253), Zone: strings.Repeat("z", 63), InstanceType: strings.Repeat("i", 63),
		})
	}
	return target
}

// addClients makes a run the largest that so many clients can make.
func addClients(run *v1alpha1.Run, clients int32) {
	const day = 86_400_000
	run.Clients, run.ClientsConfigMap = clients, strings.Repeat("c", 57)
	run.AgreedStart = new(metav1.NowMicro())
	results := []*v1alpha1.Result{run.Result}
	if run.Result == nil {
		results = nil
	}
	for i := range run.Sections {
		results = append(results, &run.Sections[i].Result)
	}
	for _, result := range results {
		result.Clients, result.StartSkewMilliseconds, result.CommonMilliseconds = clients, new(int64(day)), day
		spread := &v1alpha1.ClientSpread{MinMilliIOPS: 99_999_999_000, MaxMilliIOPS: 99_999_999_000, CoefficientOfVariation: "11.314"}
		for _, io := range result.Directions() {
			io.PerClient = spread
			io.CompletionLatency.BucketPercent = 100
		}
		if result.Of(v1alpha1.OperationMetadata) != nil {
			result.Of(v1alpha1.OperationMetadata).PerClient = spread
			result.Of(v1alpha1.OperationMetadata).CompletionLatency.BucketPercent = 100
		}
		if result.Of(v1alpha1.OperationSync) != nil {
			result.Of(v1alpha1.OperationSync).CompletionLatency.BucketPercent = 100
		}
		run.Warnings = append(run.Warnings[:len(largestWarnings(run))],
			v1alpha1.Warning{Reason: v1alpha1.WarningStartSkew, Message: strings.Repeat("m", 150)},
			v1alpha1.Warning{Reason: v1alpha1.WarningShortOverlap, Message: strings.Repeat("m", 150)})
	}
}

// The warnings of the largest status take as much room as analysis.Warnings gives those of a run.
func TestLargestWarnings(t *testing.T) {
	for _, clients := range []int32{1, 2} {
		for _, sections := range []int{0, 2, 16} {
			run := v1alpha1.Run{Result: largestResult()}
			if sections > 0 {
				run = v1alpha1.Run{Sections: largestSections(sections)}
			}
			run.Warnings = largestWarnings(&run)
			if clients > 1 {
				addClients(&run, clients)
			}
			results := make([]v1alpha1.Result, max(sections, 1))
			results[0].Clients = clients
			if got, room := analysis.WarningBytes(run.Warnings), analysis.WarningRoom(results); got < room {
				t.Errorf("%d sections of %d clients: the largest status has %d bytes of warnings, and a run may have %d", sections, clients, got, room)
			}
		}
	}
}

// largestWarnings take the room that a run's warnings have.
func largestWarnings(run *v1alpha1.Run) []v1alpha1.Warning {
	var warnings []v1alpha1.Warning
	for _, reason := range []string{
		v1alpha1.WarningFilesFitInMemory, v1alpha1.WarningCPUThrottled, v1alpha1.WarningFewSamples, v1alpha1.WarningShortRuntime,
		v1alpha1.WarningShortIOs, v1alpha1.WarningSparseReads,
	} {
		warnings = append(warnings, v1alpha1.Warning{Reason: reason, Message: strings.Repeat("m", 111)})
	}
	for i, reason := range []string{v1alpha1.WarningUnsyncedWrites, v1alpha1.WarningMetadataFromMemory} {
		if len(run.Sections) > i+1 {
			warnings = append(warnings, v1alpha1.Warning{Reason: reason, Message: strings.Repeat("m", 111)})
		}
	}
	return warnings
}

// largestBound is the longest that is said of what held a result back.
func largestBound() *v1alpha1.LimitedBy {
	return &v1alpha1.LimitedBy{Reason: v1alpha1.BoundFileSystemThroughput, Evidence: v1alpha1.EvidenceDocumentation, LimitBytesPerSecond: new(int64(99_999_999_999)), UsedPercent: new(int32(100)), Message: strings.Repeat("m", 220)}
}

// largestProbe has done the same as largestResult.
func largestProbe() *v1alpha1.ProbeResult {
	return &v1alpha1.ProbeResult{InFlight: 9_999_999, CPUPercent: 100, Figures: v1alpha1.Figures{
		Name: v1alpha1.OperationTotal, Count: 9_999_999_999, MilliIOPS: 99_999_999_999, BytesPerSecond: 999_999_999_999,
		Latency: &v1alpha1.Latency{MeanNanoseconds: 99_999_999_999},
	}}
}

// largestResult has reads and writes at the scale of a day on the fastest storage, with latencies of seconds.
func largestResult() *v1alpha1.Result {
	const (
		seconds = 99_999_999_999
		// percentile has as many digits, and is within fio's histogram, so that its ratio has an interval.
		percentile = v1alpha1.BeyondHistogramNanoseconds - 1
	)
	io := &v1alpha1.Figures{Count: 999_999_999_999, Bytes: 9_999_999_999_999_999, MilliIOPS: 99_999_999_000, BytesPerSecond: 999_999_999_999, Latency: &v1alpha1.Latency{MeanNanoseconds: seconds, StddevNanoseconds: seconds, SubmissionNanoseconds: seconds}, CompletionLatency: &v1alpha1.LatencyDistribution{
		MinNanoseconds: seconds, P50Nanoseconds: percentile, P90Nanoseconds: percentile, P95Nanoseconds: percentile,
		P99Nanoseconds: percentile, P999Nanoseconds: percentile, P9999Nanoseconds: percentile, MaxNanoseconds: seconds,
	}}
	return &v1alpha1.Result{
		FioVersion: "fio-3.39-31-gabcdef", ElapsedMilliseconds: 86_400_000, Figures: v1alpha1.ListOf(io.As(v1alpha1.OperationRead), io.As(v1alpha1.OperationWrite)),
		CPU: &v1alpha1.CPUResult{UserPercent: 100, SystemPercent: 100, ThrottledPercent: new(int32(100))},
	}
}

// The rules of the API and the table of what AWS takes agree at every boundary of the table.
func TestEBSRulesAgreeWithTheTable(t *testing.T) {
	c := envtest.Client(t)
	judged := map[bool]int{}
	for _, v := range ebsBoundaries() {
		sb := builder.NewBenchmark("default", "").Target(v).Workload(builder.NewWorkload("w")).Build()
		sb.GenerateName = "sb-"
		_, problems := plan.Runs(&sb.Spec, nil)
		err := c.Create(t.Context(), sb, client.DryRunAll)
		if err != nil && !apierrors.IsInvalid(err) {
			t.Fatal(err)
		}
		judged[err == nil]++
		if (err == nil) != (len(problems) == 0) {
			volume, _ := json.Marshal(v)
			t.Errorf("%s: the API says %v, the table %v", volume, err, problems)
		}
	}
	if judged[true] < 20 || judged[false] < 20 {
		t.Errorf("the boundaries have too few of a kind: %v", judged)
	}
}

// ebsBoundaries returns volumes of all types at the boundaries of their figures, and beside them.
func ebsBoundaries() []v1alpha1.Target {
	var targets []v1alpha1.Target
	add := func(gib int64, volume v1alpha1.EBSVolume) {
		targets = append(targets, v1alpha1.Target{Name: "t", Capacity: new(*resource.NewQuantity(gib<<30, resource.BinarySI)), EBS: &volume})
	}
	around := func(figures ...int64) []*int32 {
		all := []*int32{nil}
		for _, f := range figures {
			for _, n := range []int64{f - 1, f, f + 1} {
				if n > 0 && n < math.MaxInt32 {
					all = append(all, new(int32(n)))
				}
			}
		}
		return all
	}
	for _, known := range aws.VolumeTypes() {
		volume := v1alpha1.EBSVolume{Type: v1alpha1.EBSVolumeType(known.Name)}
		for _, gib := range []int64{max(known.MinGiB-1, 1), known.MinGiB, 125, 200, known.MaxGiB, known.MaxGiB + 1} {
			for _, iops := range around(known.MinIOPS, known.DefaultIOPS, known.MaxIOPS, known.MaxIOPSPerGiB*gib) {
				volume.IOPS, volume.Throughput = iops, nil
				add(gib, volume)
			}
			volume.IOPS = nil
			for _, throughput := range around(known.MinMiBps, known.MaxMiBps, 750) {
				volume.Throughput = throughput
				add(gib, volume)
			}
		}
	}
	return targets
}
