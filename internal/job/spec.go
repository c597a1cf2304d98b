package job

import (
	"math"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/childmeta"
	"github.com/storagebench/storagebench/internal/fio"
	"github.com/storagebench/storagebench/internal/owned"
	"github.com/storagebench/storagebench/internal/plan"
	"github.com/storagebench/storagebench/internal/storage"
)

// Spec is what is known of a benchmark whose Jobs are described.
type Spec struct {
	*v1alpha1.StorageBenchmark
	// Plan has the runs of the spec.
	Plan []plan.Run
	// Claims are those that were made for the benchmark.
	Claims owned.Claims
	// EBSMetricsURL is where runs on EBS volumes ask what EBS itself says of them. "": they do not.
	EBSMetricsURL string
	// MountPaths are where volumes are mounted on a machine without pods, by the names of their targets.
	MountPaths map[string]string
}

// ForRun returns what the Job of a client in an attempt of a run is to do, and where. Before it measures, it lays out its share, and writes what has to be written.
// existing says that the volume of the client's claim was there before, which not each kind of target tells.
func (b Spec) ForRun(run *v1alpha1.Run, planned *plan.Run, client int32, shares plan.Shares, existing bool) Run {
	described := b.ForMeasuring(run, planned, client)
	described.Volume.Existing = described.Volume.Existing || existing
	described.LayoutFile = b.layoutFile(planned, described, shares)
	if !b.Preconditions(planned, client, shares) {
		return described
	}
	described.Precondition = plan.PreconditionOf(planned.Target)
	if described.Volume.Mode == corev1.PersistentVolumeBlock {
		described.Volume.ReadOnly = false // also where the workload only reads
	}
	return described
}

// ForMeasuring is ForRun without what comes before it measures.
func (b Spec) ForMeasuring(run *v1alpha1.Run, planned *plan.Run, client int32) Run {
	target := b.Status.Target(planned.Target.Name)
	volume := VolumeOf(b.StorageBenchmark, planned.Target, client)
	volume.Subdirectory = b.subdirectory(planned.Target, client)
	volume.MountPath = b.MountPaths[volume.Target]
	volume.ReadOnly = volume.ReadOnly || isOnlyRead(volume, planned.Job)
	return Run{
		Name:      run.Name,
		Attempt:   run.Attempts,
		Client:    client,
		Clients:   run.ClientCount(),
		JobFile:   b.jobFile(run, planned, client).On(b.placeOf(volume)).String(),
		ProbeFile: b.probeFile(planned, volume),
		Until:     planned.Until,
		Volume:    volume,

		NeededSeconds: plan.RunDeadlineSeconds(b.Plan),

		Node: b.Status.NodeOf(client),

		EBSMetricsURL: b.ebsMetricsFor(target, volume.Mode),
		VolumeID:      owned.HandleOf(target, b.Claims, volume.Claim),
	}
}

// VolumeOf returns the volume that a client uses of a target. Whether it was there before is said as far as the kind of the target tells.
func VolumeOf(sb *v1alpha1.StorageBenchmark, target *v1alpha1.Target, client int32) Volume {
	found := plan.VolumesOf(sb.Status.Targets)
	return Volume{
		Target:    target.Name,
		Claim:     storage.ClaimName(sb, target, client),
		Mode:      found.ModeOf(target),
		ReadOnly:  found.ReadOnly(target),
		Existing:  storage.IsExisting(target),
		OwnClaim:  !storage.IsExisting(target),
		Exclusive: storage.HasOwnPrefix(target),
		Objects:   found.KindOf(target).IsObjectStore(),

		FreeSpaceReserve: reserveOf(target),
	}
}

// reserveOf returns how many bytes of a target's file system stay free, nil for the default.
func reserveOf(target *v1alpha1.Target) *int64 {
	reserve := target.FreeSpaceReserve
	if reserve == nil {
		return nil
	}
	if reserve.CmpInt64(math.MaxInt64) > 0 {
		return new(int64(math.MaxInt64)) // 8Ei and more, which Value cannot return
	}
	return new(reserve.Value())
}

func (b Spec) found() plan.Volumes { return plan.VolumesOf(b.Status.Targets) }

func (b Spec) isObjectStore(target *v1alpha1.Target) bool {
	return b.found().KindOf(target).IsObjectStore()
}

// ebsMetricsFor returns where runs on a target ask what EBS says, "" if they do not. Of raw block volumes the driver has no metrics.
func (b Spec) ebsMetricsFor(target *v1alpha1.TargetStatus, mode corev1.PersistentVolumeMode) string {
	if target.Driver != storage.EBSDriver || mode != corev1.PersistentVolumeFilesystem {
		return ""
	}
	return b.EBSMetricsURL
}

// probeFile returns what fio does when it has measured, "" if nothing. Its random offsets are none of those that were measured, which a cache
// may still have.
func (b Spec) probeFile(planned *plan.Run, volume Volume) string {
	if planned.Probe == nil {
		return ""
	}
	return planned.Probe.WithSeed(planned.Repetition + 1).On(b.placeOf(volume)).String()
}

// isOnlyRead says whether a run only reads the device that it works on. A raw block volume has no files, and nothing is ever laid out on it or removed from it: all
// that is written there is what a workload asks fio to write. On somebody's claim the plan refuses such workloads. A claim of a StorageClass is new, but Kubernetes
// may bind it to a device that was there before, which an administrator has freed, or made by hand. So fio opens a device to write only where a job writes.
func isOnlyRead(volume Volume, file *fio.JobFile) bool {
	return volume.Mode == corev1.PersistentVolumeBlock && !file.Overwrites()
}

// sharesFiles says whether other clients work in the same file system, so that each needs names of its own.
func (b Spec) sharesFiles(target *v1alpha1.Target) bool {
	return storage.IsShared(target) && b.Spec.MostClients() > 1
}

// subdirectory returns where a client's files are on a file system that clients share. An object store has none that
// stay when they are empty.
func (b Spec) subdirectory(target *v1alpha1.Target, client int32) string {
	if !b.sharesFiles(target) || b.isObjectStore(target) {
		return ""
	}
	return childmeta.Client(client)
}

// ownNames gives a client names of its own for its files in an object store that clients share.
func (b Spec) ownNames(target *v1alpha1.Target, client int32, file *fio.JobFile) *fio.JobFile {
	if !b.sharesFiles(target) || !b.isObjectStore(target) {
		return file
	}
	return file.WithNamePrefix(childmeta.Client(client) + ".")
}

// placeOf returns where fio works on a volume.
func (b Spec) placeOf(volume Volume) fio.Volume {
	if volume.Mode == corev1.PersistentVolumeBlock {
		return fio.Volume{Device: DevicePath}
	}
	return fio.Volume{Directory: Directory(b.StorageBenchmark, volume)}
}

// jobFile returns what fio does for a client in an attempt of a run, without the place where it does it. Each repetition has other
// random offsets, and so has each start of one that goes on until it is steady. All targets have the same.
func (b Spec) jobFile(run *v1alpha1.Run, planned *plan.Run, client int32) *fio.JobFile {
	file := planned.Job
	if ptr.Deref(b.Spec.Repetitions, 1) > 1 || planned.Until != nil {
		file = file.WithSeed(planned.Repetition)
	}
	attempt := childmeta.RunName(b.StorageBenchmark, run.Name, run.Attempts, client)
	file = file.WithMetadata()
	if !b.isObjectStore(planned.Target) {
		return file.WithMetadataNames(attempt)
	}
	named := file.OnObjectStore().WithObjectNames(attempt)
	return b.ownNames(planned.Target, client, named)
}
