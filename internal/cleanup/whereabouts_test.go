package cleanup

import (
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/childmeta"
	"github.com/storagebench/storagebench/test/builder"
)

// Who has to remove files by hand reads where they are, and how.
func TestLeftFiles(t *testing.T) {
	bucket := v1alpha1.Target{Name: "t", S3: &v1alpha1.S3Bucket{Bucket: "b", Prefix: new("team/")}}
	access := v1alpha1.Target{Name: "t", EFS: &v1alpha1.EFSFileSystem{FileSystemID: "fs-1"}}
	sb := builder.NewBenchmark("default", "sb").Workload(builder.NewWorkload("w")).With(func(sb *v1alpha1.StorageBenchmark) { sb.UID, sb.Spec.Clients = "uid", new(int32(2)) }).Build()
	claims := childmeta.Name(sb, "t") + ", " + childmeta.Name(sb, "t", childmeta.Client(1))
	const cleaner = "sb-t-cleanup"
	const byPod, byHand = "remove that directory in a pod that mounts the claim", "mount the file system and remove that directory"
	for _, test := range []struct {
		name          string
		target        v1alpha1.Target
		volumes       []v1alpha1.VolumeStatus
		at            Whereabouts
		job           bool
		what, command string
	}{
		{"on a claim", builder.NewClaimTarget("t", "mine"), nil, GivenUp, false, "directory storagebench-uid on claim mine", byPod},
		{"on claims", builder.NewTarget("t"), nil, GivenUp, false, "directory storagebench-uid on claim " + claims, byPod},
		{
			"on a claim that goes", builder.NewTarget("t"), []v1alpha1.VolumeStatus{{Name: "pv", Handle: "fs-1::fsap-1"}}, GivenUp, false,
			"directory storagebench-uid on volume fs-1::fsap-1, whose claim goes with the benchmark", "mount the storage behind the volume and remove that directory",
		},
		{
			"with a Job", builder.NewClaimTarget("t", "mine"), nil, InReach, true, "directory storagebench-uid on claim mine",
			byPod + "; kubectl describe job -n default " + cleaner + " tells why it was not",
		},
		{"with a Job, given up", builder.NewClaimTarget("t", "mine"), nil, GivenUp, true, "directory storagebench-uid on claim mine", byPod},
		{
			"on a claim that is gone", builder.NewClaimTarget("t", "mine"), []v1alpha1.VolumeStatus{{Name: "pv", Handle: "vol-1"}}, ClaimGone, false,
			"directory storagebench-uid on volume vol-1, whose claim is gone", "mount the storage behind the volume and remove that directory",
		},
		{
			"on a claim that is gone, with volumes that were never seen", builder.NewClaimTarget("t", "mine"), nil, ClaimGone, false,
			"directory storagebench-uid on the volume of claim mine, which is gone", "if the volume is there, mount it and remove that directory",
		},
		{"in a bucket", bucket, nil, ClaimGone, false, "objects of s3://b/team/" + childmeta.Name(sb, "t") + "/", "aws s3 rm --recursive s3://b/team/" + childmeta.Name(sb, "t") + "/"},
		{"on EFS", access, []v1alpha1.VolumeStatus{{Handle: "fs-1::fsap-1"}}, GivenUp, false, "directory storagebench-uid on file system fs-1", byHand},
		{
			"on EFS, in an access point's directory", access, []v1alpha1.VolumeStatus{{Handle: "fs-1::fsap-1"}}, ClaimGone, false,
			"directory storagebench-uid on file system fs-1, in the directory of access point fs-1::fsap-1", byHand,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			sb.Status.Targets = []v1alpha1.TargetStatus{{Name: "t", Volumes: test.volumes}}
			by := ""
			if test.job {
				by = cleaner
			}
			if got, want := LeftFiles(sb, &test.target, test.at, by), (Leftover{What: test.what, Command: test.command, Abandoned: test.at != InReach}); got != want {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
		})
	}
}
