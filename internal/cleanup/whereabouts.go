package cleanup

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/childmeta"
	"github.com/storagebench/storagebench/internal/humanize"
	"github.com/storagebench/storagebench/internal/storage"
)

// Whereabouts is where test files are that are not removed.
type Whereabouts string

// The whereabouts.
const (
	Nowhere   Whereabouts = ""          // there are none
	InReach   Whereabouts = "InReach"   // on a claim, from which they are being removed
	GivenUp   Whereabouts = "GivenUp"   // on a claim that is there
	ClaimGone Whereabouts = "ClaimGone" // on storage whose claim is gone
)

// LeftFiles says where the test files of a target are, and how to remove them by hand. job is the one that is removing them, "" if there is none.
func LeftFiles(sb *v1alpha1.StorageBenchmark, target *v1alpha1.Target, at Whereabouts, job string) Leftover {
	left := Leftover{
		What:      fmt.Sprintf("directory %s on claim %s", childmeta.Directory(sb), strings.Join(storage.ClaimNames(sb, target), ", ")),
		Command:   "remove that directory in a pod that mounts the claim",
		Abandoned: at != InReach,
	}
	switch handles := handlesOf(sb, target); {
	case target.S3 != nil:
		url := "s3://" + target.S3.Bucket + "/" + storage.S3Prefix(sb, target)
		left.What, left.Command = "objects of "+url, "aws s3 rm --recursive "+url
	case target.EFS != nil:
		left.What = fmt.Sprintf("directory %s on file system %s", childmeta.Directory(sb), target.EFS.FileSystemID)
		left.Command = "mount the file system and remove that directory"
		if at == ClaimGone && !storage.IsExisting(target) && handles != "" { // each access point has a directory of its own
			left.What += ", in the directory of access point " + handles
		}
	case at == GivenUp && storage.IsProvisioned(target) && handles != "": // nobody needs the claim any more, so it is deleted
		left.What = fmt.Sprintf("directory %s on volume %s, whose claim goes with the benchmark", childmeta.Directory(sb), handles)
		left.Command = "mount the storage behind the volume and remove that directory"
	case at == ClaimGone && handles != "":
		left.What = fmt.Sprintf("directory %s on volume %s, whose claim is gone", childmeta.Directory(sb), handles)
		left.Command = "mount the storage behind the volume and remove that directory"
	case at == ClaimGone:
		left.What = fmt.Sprintf("directory %s on the volume of claim %s, which is gone", childmeta.Directory(sb), strings.Join(storage.ClaimNames(sb, target), ", "))
		left.Command = "if the volume is there, mount it and remove that directory"
	}
	if at == InReach && job != "" {
		left.Command += fmt.Sprintf("; kubectl describe job -n %s %s tells why it was not", sb.Namespace, job)
	}
	return left
}

// handlesOf names the volumes of a target as their storage calls them.
func handlesOf(sb *v1alpha1.StorageBenchmark, target *v1alpha1.Target) string {
	var handles []string
	for _, v := range sb.Status.Target(target.Name).Volumes {
		handles = append(handles, cmp.Or(v.Handle, v.Name))
	}
	return humanize.Few(handles, MaxNamed)
}
