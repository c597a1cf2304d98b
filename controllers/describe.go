package controllers

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/child"
	"github.com/storagebench/storagebench/internal/fio"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/plan"
	"github.com/storagebench/storagebench/internal/storage"
)

// describeJob returns what the Job of a client in an attempt of a run is to do, and where. Who creates it adds the layout.
func (s *scope) describeJob(run *v1alpha1.Run, planned *plan.Run, client int32) job.Run {
	volume := s.volumeOf(planned.Target, client)
	volume.Subdirectory = s.subdirectory(planned.Target, client)
	volume.ReadOnly = volume.ReadOnly || isOnlyRead(volume, planned.Job)
	return job.Run{
		Name:      run.Name,
		Attempt:   run.Attempts,
		Client:    client,
		Clients:   clientsOf(run),
		JobFile:   s.jobFile(run, planned, client).On(placeOf(s.sb, volume)).String(),
		ProbeFile: s.probeFile(planned, volume),
		Until:     planned.Until,
		Volume:    volume,
		Node:      s.node(client),

		EBSMetricsURL: s.ebsMetricsFor(planned.Target, volume.Mode),
		VolumeID:      s.volumeID(s.targetStatus(planned.Target.Name), volume.Claim),
	}
}

// ebsMetricsFor returns where runs on a target ask what EBS says, "" if they do not. Of raw block volumes the driver has no metrics.
func (s *scope) ebsMetricsFor(target *v1alpha1.Target, mode corev1.PersistentVolumeMode) string {
	if s.targetStatus(target.Name).Driver != storage.EBSDriver || mode != corev1.PersistentVolumeFilesystem {
		return ""
	}
	return s.ebsMetricsURL
}

// volumeID returns what the driver calls the volume of a claim of a target, "" if that is not known yet.
func (s *scope) volumeID(target *v1alpha1.TargetStatus, claim string) string {
	if len(target.Volumes) == 1 && len(target.Claims) < 2 {
		return target.Volumes[0].Handle
	}
	if c := s.claims[claim]; c != nil && c.Spec.VolumeName != "" {
		if at := volumeIndex(target, c.Spec.VolumeName); at >= 0 {
			return target.Volumes[at].Handle
		}
	}
	return ""
}

// probeFile returns what fio does when it has measured, "" if nothing. Its random offsets are none of those that were measured, which a cache
// may still have.
func (s *scope) probeFile(planned *plan.Run, volume job.Volume) string {
	if planned.Probe == nil {
		return ""
	}
	return planned.Probe.WithSeed(planned.Repetition + 1).On(placeOf(s.sb, volume)).String()
}

// sharesFiles says whether other clients work in the same file system, so that each needs names of its own.
func (s *scope) sharesFiles(target *v1alpha1.Target) bool {
	return storage.IsShared(target) && s.sb.Spec.MostClients() > 1
}

// subdirectory returns where a client's files are on a file system that clients share. An object store has none that
// stay when they are empty.
func (s *scope) subdirectory(target *v1alpha1.Target, client int32) string {
	if !s.sharesFiles(target) || storage.IsObjectStore(target) {
		return ""
	}
	return child.Client(client)
}

// ownNames gives a client names of its own for its files in an object store that clients share.
func (s *scope) ownNames(target *v1alpha1.Target, client int32, file *fio.JobFile) *fio.JobFile {
	if !s.sharesFiles(target) || !storage.IsObjectStore(target) {
		return file
	}
	return file.WithNamePrefix(child.Client(client) + ".")
}

// placeOf returns where fio works on a volume.
func placeOf(sb *v1alpha1.StorageBenchmark, volume job.Volume) fio.Volume {
	if volume.Mode == corev1.PersistentVolumeBlock {
		return fio.Volume{Device: job.DevicePath}
	}
	return fio.Volume{Directory: job.Directory(sb, volume)}
}

// jobFile returns what fio does for a client in an attempt of a run, without the place where it does it. Each repetition has other
// random offsets, and so has each start of one that goes on until it is steady. All targets have the same.
func (s *scope) jobFile(run *v1alpha1.Run, planned *plan.Run, client int32) *fio.JobFile {
	file := planned.Job
	if ptr.Deref(s.sb.Spec.Repetitions, 1) > 1 || planned.Until != nil {
		file = file.WithSeed(planned.Repetition)
	}
	attempt := job.RunName(s.sb, run.Name, run.Attempts, client)
	file = file.WithMetadata()
	if !storage.IsObjectStore(planned.Target) {
		return file.WithMetadataNames(attempt)
	}
	named := file.OnObjectStore().WithObjectNames(attempt)
	return s.ownNames(planned.Target, client, named)
}

// volumeOf returns the volume that a client uses of a target. Whether it was there before is said as far as the kind of the target tells: of others
// existingVolumes does.
func (s *scope) volumeOf(target *v1alpha1.Target, client int32) job.Volume {
	modes := s.volumeModes()
	return job.Volume{
		Target:    target.Name,
		Claim:     storage.ClaimName(s.sb, target, client),
		Mode:      modes.ModeOf(target),
		ReadOnly:  modes.ReadOnly(target),
		Existing:  storage.IsExisting(target),
		Exclusive: storage.IsObjectStore(target),
	}
}

// layoutBefore returns what the clients of a run have to lay out before it, by what was measured on the volumes that are there now.
func (s *scope) layoutBefore(planned *plan.Run) plan.Shares {
	layout := plan.NewLayout(s.runs, s.volumeModes())
	runs := s.sb.Status.Runs[runsBefore(s.targetStatus(planned.Target.Name)):]
	for i := range runs {
		if before, known := s.planned(&runs[i]); known && runs[i].State == v1alpha1.RunSucceeded {
			layout.Measured(before)
		}
	}
	return layout.Before(planned)
}

// layoutFile returns the text of the job file whose files a client lays out, "" if there are none to lay out.
func (s *scope) layoutFile(planned *plan.Run, described job.Run, shares plan.Shares) string {
	file := shares.Of(described.Client)
	if file == nil {
		return ""
	}
	return s.ownNames(planned.Target, described.Client, file).On(placeOf(s.sb, described.Volume)).String()
}
