package storage

import (
	"fmt"
	"maps"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/childmeta"
	"github.com/storagebench/storagebench/test/builder"
)

// benchmark returns a benchmark of one target, given as YAML.
func benchmark(t *testing.T, target string) (*v1alpha1.StorageBenchmark, *v1alpha1.Target) {
	t.Helper()
	var parsed v1alpha1.Target
	if err := yaml.UnmarshalStrict([]byte(target), &parsed); err != nil {
		t.Fatalf("target %s: %v", target, err)
	}
	sb := builder.NewBenchmark("ns", "sb").Target(parsed).Workload(builder.NewWorkload("w")).With(func(sb *v1alpha1.StorageBenchmark) { sb.UID = "1" }).Build()
	return sb, &sb.Spec.Targets[0]
}

// asYAML returns an object as people write it.
func asYAML(t *testing.T, object any) string {
	t.Helper()
	text, err := yaml.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// expected fills in what the names and labels of all children have in common.
func expected(t *testing.T, text string) string {
	t.Helper()
	sb := builder.NewBenchmark("ns", "sb").With(func(sb *v1alpha1.StorageBenchmark) { sb.UID = "1" }).Build()
	var parsed any
	if err := yaml.Unmarshal(fmt.Appendf(nil, text, childmeta.Name(sb, "t")), &parsed); err != nil {
		t.Fatalf("%v in:\n%s", err, text)
	}
	return asYAML(t, parsed)
}

const (
	claimOf = `
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: %[1]s
  namespace: ns
  labels: {app.kubernetes.io/managed-by: storagebench, storagebench.dev/benchmark: sb, storagebench.dev/client: "0", storagebench.dev/target: t}
  ownerReferences:
  - {apiVersion: storagebench.dev/v1alpha1, kind: StorageBenchmark, name: sb, uid: "1", controller: true, blockOwnerDeletion: true}
spec: `
	classOf = `
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata:
  name: %[1]s
  labels:
    app.kubernetes.io/managed-by: storagebench
    storagebench.dev/benchmark: sb
    storagebench.dev/namespace: ns
    storagebench.dev/target: t
    storagebench.dev/uid: "1"
reclaimPolicy: Delete
`
	volumeOf = `
apiVersion: v1
kind: PersistentVolume
metadata:
  name: %[1]s
  labels:
    app.kubernetes.io/managed-by: storagebench
    storagebench.dev/benchmark: sb
    storagebench.dev/namespace: ns
    storagebench.dev/target: t
    storagebench.dev/uid: "1"
spec:
  accessModes: [ReadWriteMany]
  capacity: {storage: 10Gi}
  claimRef: {name: "%[1]s", namespace: ns}
  persistentVolumeReclaimPolicy: Retain
  storageClassName: ""
  volumeMode: Filesystem
`
	sharedClaim = `{accessModes: [ReadWriteMany], resources: {requests: {storage: 10Gi}}, storageClassName: "", volumeMode: Filesystem, volumeName: "%[1]s"}`
)

func TestFor(t *testing.T) {
	for _, test := range []struct {
		name, target             string
		class, volume, wantClaim string
	}{{
		name: "StorageClass", target: "{name: t, storageClassName: fast, capacity: 500Mi, volumeMode: Block, accessMode: ReadWriteMany}",
		wantClaim: "{accessModes: [ReadWriteMany], resources: {requests: {storage: 500Mi}}, storageClassName: fast, volumeMode: Block}",
	}, {
		name: "StorageClass with attributes", target: "{name: t, storageClassName: fast, volumeAttributesClassName: gold}",
		wantClaim: "{accessModes: [ReadWriteOnce], resources: {requests: {storage: 10Gi}}, storageClassName: fast, volumeAttributesClassName: gold, volumeMode: Filesystem}",
	}, {
		name: "StorageClass from a snapshot", target: "{name: t, storageClassName: fast, volumeMode: Block, dataSource: {apiGroup: snapshot.storage.k8s.io, kind: VolumeSnapshot, name: db}}",
		wantClaim: "{accessModes: [ReadWriteOnce], dataSource: {apiGroup: snapshot.storage.k8s.io, kind: VolumeSnapshot, name: db}, resources: {requests: {storage: 10Gi}}, storageClassName: fast, volumeMode: Block}",
	}, {
		name: "StorageClass from a claim", target: "{name: t, storageClassName: fast, volumeMode: Block, dataSource: {apiGroup: '', kind: PersistentVolumeClaim, name: db}}",
		wantClaim: "{accessModes: [ReadWriteOnce], dataSource: {kind: PersistentVolumeClaim, name: db}, resources: {requests: {storage: 10Gi}}, storageClassName: fast, volumeMode: Block}",
	}, {
		name: "claim that exists", target: "{name: t, claimName: mine}",
	}, {
		name: "EBS", target: `{name: t, capacity: 30Gi, ebs: {type: gp3, iops: 4000, throughput: 200, encrypted: true, kmsKeyID: "arn:aws:kms:eu-west-1:111122223333:key/2", fsType: xfs, tags: {team: a, cost: "1"}}}`,
		class: `
provisioner: ebs.csi.aws.com
volumeBindingMode: WaitForFirstConsumer
parameters:
  type: gp3
  iops: "4000"
  throughput: "200"
  encrypted: "true"
  kmsKeyId: arn:aws:kms:eu-west-1:111122223333:key/2
  csi.storage.k8s.io/fstype: xfs
  tagSpecification_1: cost=1
  tagSpecification_2: team=a
`,
		wantClaim: `{accessModes: [ReadWriteOnce], resources: {requests: {storage: 30Gi}}, storageClassName: "%[1]s", volumeMode: Filesystem}`,
	}, {
		name: "EBS by size", target: `{name: t, accessMode: ReadWriteOncePod, ebs: {type: io2, iopsPerGB: 100}}`,
		class: `
provisioner: ebs.csi.aws.com
volumeBindingMode: WaitForFirstConsumer
parameters: {type: io2, iopsPerGB: "100"}
`,
		wantClaim: `{accessModes: [ReadWriteOncePod], resources: {requests: {storage: 10Gi}}, storageClassName: "%[1]s", volumeMode: Filesystem}`,
	}, {
		name: "EFS", target: `{name: t, efs: {fileSystemID: fs-01234567}}`,
		class: `
provisioner: efs.csi.aws.com
volumeBindingMode: Immediate
parameters: {provisioningMode: efs-ap, fileSystemId: fs-01234567, directoryPerms: "700"}
`,
		wantClaim: `{accessModes: [ReadWriteMany], resources: {requests: {storage: 10Gi}}, storageClassName: "%[1]s", volumeMode: Filesystem}`,
	}, {
		name: "EFS with all settings", target: `{name: t, efs: {fileSystemID: fs-01234567, directoryPerms: "755", uid: 1, gid: 2, gidRangeStart: 3, gidRangeEnd: 4, basePath: /b, mountOptions: [iam], throughputMode: Elastic}}`,
		class: `
provisioner: efs.csi.aws.com
volumeBindingMode: Immediate
mountOptions: [iam]
parameters: {provisioningMode: efs-ap, fileSystemId: fs-01234567, directoryPerms: "755", uid: "1", gid: "2", gidRangeStart: "3", gidRangeEnd: "4", basePath: /b}
`,
		wantClaim: `{accessModes: [ReadWriteMany], resources: {requests: {storage: 10Gi}}, storageClassName: "%[1]s", volumeMode: Filesystem}`,
	}, {
		name: "EFS in one zone", target: `{name: t, capacity: 1Gi, efs: {fileSystemID: fs-01234567, fileSystemType: OneZone}}`,
		class: `
provisioner: efs.csi.aws.com
volumeBindingMode: Immediate
parameters: {provisioningMode: efs-ap, fileSystemId: fs-01234567, directoryPerms: "700", enforceZoneAffinity: "true"}
`,
		wantClaim: `{accessModes: [ReadWriteMany], resources: {requests: {storage: 1Gi}}, storageClassName: "%[1]s", volumeMode: Filesystem}`,
	}, {
		name: "EFS's root", target: `{name: t, efs: {fileSystemID: fs-01234567, provisioning: Static, encryptInTransit: false}}`,
		volume:    `  csi: {driver: efs.csi.aws.com, volumeHandle: fs-01234567, volumeAttributes: {encryptInTransit: "false"}}`,
		wantClaim: sharedClaim,
	}, {
		name: "EFS's access point", target: `{name: t, efs: {fileSystemID: fs-01234567, provisioning: Static, accessPointID: fsap-01234567, mountOptions: [iam]}}`,
		volume: `
  csi: {driver: efs.csi.aws.com, volumeHandle: "fs-01234567::fsap-01234567"}
  mountOptions: [iam]`,
		wantClaim: sharedClaim,
	}, {
		name: "S3", target: `{name: t, s3: {bucket: my-bucket}}`,
		volume: `
  csi: {driver: s3.csi.aws.com, volumeHandle: "%[1]s", volumeAttributes: {bucketName: my-bucket}}
  mountOptions: ["prefix %[1]s/", allow-delete, allow-other, uid 1000, gid 2000]`,
		wantClaim: sharedClaim,
	}, {
		name: "S3 with all settings", target: `{name: t, s3: {bucket: my-bucket, prefix: bench/, region: eu-central-1, endpointURL: "http://127.0.0.1:7070", forcePathStyle: true,
  authenticationSource: pod, stsRegion: eu-west-1, cache: {emptyDir: {sizeLimit: 1Gi, medium: Memory}}, mountOptions: [max-threads 32]}}`,
		volume: `
  csi:
    driver: s3.csi.aws.com
    volumeHandle: "%[1]s"
    volumeAttributes: {bucketName: my-bucket, authenticationSource: pod, stsRegion: eu-west-1, cache: emptyDir, cacheEmptyDirSizeLimit: 1Gi, cacheEmptyDirMedium: Memory}
  mountOptions: ["prefix bench/%[1]s/", allow-delete, allow-other, uid 1000, gid 2000, region eu-central-1, "endpoint-url=http://127.0.0.1:7070", force-path-style, max-threads 32]`,
		wantClaim: sharedClaim,
	}, {
		name: "S3 with a cache on a volume", target: `{name: t, s3: {bucket: my-bucket, cache: {ephemeral: {storageClassName: c, storageRequest: 2Gi}}}}`,
		volume: `
  csi:
    driver: s3.csi.aws.com
    volumeHandle: "%[1]s"
    volumeAttributes: {bucketName: my-bucket, cache: ephemeral, cacheEphemeralStorageClassName: c, cacheEphemeralStorageResourceRequest: 2Gi}
  mountOptions: ["prefix %[1]s/", allow-delete, allow-other, uid 1000, gid 2000]`,
		wantClaim: sharedClaim,
	}} {
		t.Run(test.name, func(t *testing.T) {
			sb, target := benchmark(t, test.target)
			got := For(sb, target, User{UID: 1000, GID: 2000})
			for what, pair := range map[string]struct {
				want string
				got  any
				none bool
			}{
				"StorageClass":     {classOf + test.class, got.Class, test.class == ""},
				"PersistentVolume": {volumeOf + test.volume, got.Volume, test.volume == ""},
				"claim":            {claimOf + test.wantClaim, firstClaim(got), test.wantClaim == ""},
			} {
				want := "null\n"
				if !pair.none {
					want = expected(t, pair.want)
				}
				if diff := cmp.Diff(want, asYAML(t, pair.got)); diff != "" {
					t.Errorf("%s (-want +got):\n%s", what, diff)
				}
			}
			if len(got.Claims) > 1 {
				t.Errorf("one client has %d claims", len(got.Claims))
			}
		})
	}
}

// firstClaim returns nil if there is none.
func firstClaim(objects Objects) any {
	if len(objects.Claims) == 0 {
		return nil
	}
	return objects.Claims[0]
}

// Storage that many nodes can mount has one claim, and any other a claim for each client, of one StorageClass. The first
// client's is the claim that a single client has, under the same name.
func TestClaimsOfClients(t *testing.T) {
	for _, test := range []struct {
		target string
		shared bool
		claims []string
	}{
		{"{name: t, storageClassName: fast}", false, []string{"t", "t/client-1", "t/client-2"}},
		{"{name: t, storageClassName: fast, accessMode: ReadWriteOncePod}", false, []string{"t", "t/client-1", "t/client-2"}},
		{"{name: t, storageClassName: fast, accessMode: ReadWriteMany}", true, []string{"t"}},
		{"{name: t, ebs: {type: gp3}, volumeMode: Block}", false, []string{"t", "t/client-1", "t/client-2"}},
		{"{name: t, efs: {fileSystemID: fs-01234567}}", true, []string{"t"}},
		{"{name: t, efs: {fileSystemID: fs-01234567, provisioning: Static}}", true, []string{"t"}},
		{"{name: t, s3: {bucket: my-bucket}}", true, []string{"t"}},
		{"{name: t, claimName: mine}", true, nil},
	} {
		sb, target := benchmark(t, test.target)
		single := For(sb, target, User{})
		var want []string
		for _, parts := range test.claims {
			want = append(want, childmeta.Name(sb, strings.Split(parts, "/")...))
		}
		sb.Spec.Clients = new(int32(3))
		got := For(sb, target, User{})
		if diff := cmp.Diff(want, claimNames(got)); diff != "" || IsShared(target) != test.shared {
			t.Errorf("%s: shared %t, claims (-want +got):\n%s", test.target, IsShared(target), diff)
		}
		for what, diff := range map[string]string{
			"StorageClass":            cmp.Diff(asYAML(t, single.Class), asYAML(t, got.Class)),
			"PersistentVolume":        cmp.Diff(asYAML(t, single.Volume), asYAML(t, got.Volume)),
			"claim of the first":      cmp.Diff(asYAML(t, firstClaim(single)), asYAML(t, firstClaim(got))),
			"what the others ask for": differentClaims(t, got),
			"names that are told":     cmp.Diff(orElse(want, "mine"), ClaimNames(sb, target)),
		} {
			if diff != "" {
				t.Errorf("%s: %s (-want +got):\n%s", test.target, what, diff)
			}
		}
		for client := range int32(3) {
			name := ClaimName(sb, target, client)
			if all := ClaimNames(sb, target); name != all[min(int(client), len(all)-1)] || int32(len(all)) != Claims(sb, target) {
				t.Errorf("%s: client %d has claim %s of the %d %v", test.target, client, name, Claims(sb, target), all)
			}
		}
	}
}

func claimNames(objects Objects) []string {
	var names []string
	for _, claim := range objects.Claims {
		names = append(names, *claim.Name)
	}
	return names
}

// differentClaims compares each claim with the first, apart from its name and the number of its client.
func differentClaims(t *testing.T, objects Objects) string {
	t.Helper()
	diffs := ""
	for i, claim := range objects.Claims {
		other := *claim
		other.ObjectMetaApplyConfiguration = new(*claim.ObjectMetaApplyConfiguration)
		if other.Labels[v1alpha1.LabelClient] != strconv.Itoa(i) {
			diffs += fmt.Sprintf("claim %d is labelled as that of client %s\n", i, other.Labels[v1alpha1.LabelClient])
		}
		other.Labels = maps.Clone(other.Labels)
		other.Name, other.Labels[v1alpha1.LabelClient] = objects.Claims[0].Name, "0"
		diffs += cmp.Diff(asYAML(t, objects.Claims[0]), asYAML(t, other))
	}
	return diffs
}

func orElse(names []string, other string) []string {
	if len(names) == 0 {
		return []string{other}
	}
	return names
}

// The number of claims follows from the run with the most clients, wherever that number is given.
func TestClaimsFollowTheMatrix(t *testing.T) {
	sb, target := benchmark(t, "{name: t, ebs: {}}")
	sb.Spec.Workloads = []v1alpha1.Workload{{Name: "w", Clients: []int32{1, 4, 2}}}
	sb.Spec.Clients = new(int32(9))
	if got := Claims(sb, target); got != 4 {
		t.Errorf("%d claims for at most 4 clients: the only workload says how many itself", got)
	}
	sb.Spec.Workloads = append(sb.Spec.Workloads, v1alpha1.Workload{Name: "v"})
	if got := Claims(sb, target); got != 9 {
		t.Errorf("%d claims for 9 clients of the second workload", got)
	}
}

// Mountpoint knows no root: files that root's pods are to write must be everybody's.
func TestS3FilesOfRoot(t *testing.T) {
	sb, target := benchmark(t, `{name: t, s3: {bucket: my-bucket}}`)
	want := []string{"prefix " + childmeta.Name(sb, "t") + "/", "allow-delete", "allow-other", "dir-mode 0777", "file-mode 0666"}
	if diff := cmp.Diff(want, For(sb, target, User{}).Volume.Spec.MountOptions); diff != "" {
		t.Errorf("mount options (-want +got):\n%s", diff)
	}
}

func TestKinds(t *testing.T) {
	for _, test := range []struct {
		target                                            string
		claim, driver                                     string
		provisioned, isNewVolume, isObjectStore, keepsAll bool
	}{
		{target: "{name: t, storageClassName: c}", provisioned: true, isNewVolume: true},
		{target: "{name: t, claimName: mine}", claim: "mine", keepsAll: true},
		{target: "{name: t, ebs: {}}", driver: EBSDriver, provisioned: true, isNewVolume: true},
		{target: "{name: t, efs: {fileSystemID: fs-01234567}}", driver: EFSDriver, provisioned: true, keepsAll: true},
		{target: "{name: t, s3: {bucket: b}}", driver: S3Driver, provisioned: true, isObjectStore: true, keepsAll: true},
	} {
		sb, target := benchmark(t, test.target)
		if test.claim == "" {
			test.claim = childmeta.Name(sb, "t")
		}
		if Kinds(target) != 1 || ClaimName(sb, target, 0) != test.claim || Driver(target) != test.driver || IsProvisioned(target) != test.provisioned ||
			IsNewVolume(target) != test.isNewVolume || KindOf(target, "").IsObjectStore() != test.isObjectStore ||
			KeepsFiles(target, Driver(target)) != test.keepsAll {
			t.Errorf("%s: kinds %d, claim %s, driver %s, provisioned %t, new volume %t, object store %t, keeps files %t", test.target,
				Kinds(target), ClaimName(sb, target, 0), Driver(target), IsProvisioned(target), IsNewVolume(target),
				KindOf(target, "").IsObjectStore(), KeepsFiles(target, Driver(target)))
		}
	}
	_, class := benchmark(t, "{name: t, storageClassName: c}")
	if !KeepsFiles(class, EFSDriver) || !KeepsFiles(class, S3Driver) || KeepsFiles(class, EBSDriver) {
		t.Error("the EFS and S3 drivers leave files behind, whoever made the StorageClass, and the EBS driver does not")
	}
}

// What was there before the benchmark is somebody's, also where the operator makes the PersistentVolume for it.
func TestIsExisting(t *testing.T) {
	for text, want := range map[string]bool{
		"{name: t, storageClassName: c}":                                    false,
		"{name: t, ebs: {}}":                                                false,
		"{name: t, efs: {fileSystemID: fs-01234567}}":                       false,
		"{name: t, s3: {bucket: b}}":                                        false,
		"{name: t, claimName: mine}":                                        true,
		"{name: t, efs: {fileSystemID: fs-01234567, provisioning: Static}}": true,
	} {
		if _, target := benchmark(t, text); IsExisting(target) != want {
			t.Errorf("%s: foreign %t, want %t", text, IsExisting(target), want)
		}
	}
}
