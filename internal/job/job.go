// Package job describes what the Jobs of a benchmark do, from the plan, the earlier results and the known volumes, and
// builds these batch/v1 Jobs and the pods that hold nodes.
package job

import (
	"cmp"
	"maps"
	"path"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	batchv1ac "k8s.io/client-go/applyconfigurations/batch/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/childmeta"
	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/fio"
	"github.com/storagebench/storagebench/internal/steady"
)

const (
	// MountPath is where the volume is mounted.
	MountPath = "/volume"
	// DevicePath is where a raw block volume is.
	DevicePath = "/dev/storagebench"

	scratchPath   = "/tmp"
	volumeName    = "target"
	scratchVolume = "scratch"

	// LayoutContainer is the init container that lays out the test files of clients that begin together.
	LayoutContainer = "layout"
	// MeasureContainer is the container that measures.
	MeasureContainer = "fio"
	// CleanContainer is the container that removes test files.
	CleanContainer = "clean"

	// gracePeriodSeconds is enough for the runner to end fio and to leave its message.
	gracePeriodSeconds = 10

	// cleanUpRetries is how often Kubernetes repeats a pod that removes test files, such as one that was evicted.
	cleanUpRetries = 4
)

// Image is the runner's image.
type Image struct {
	Name       string
	PullPolicy corev1.PullPolicy
}

// Volume is what a pod works on.
type Volume struct {
	// Target is the name of the target that the volume belongs to.
	Target string
	Claim  string
	Mode   corev1.PersistentVolumeMode
	// ReadOnly is for a device that holds somebody's data, or that the run does not write.
	ReadOnly bool
	// Existing is for a volume that was there before the benchmark: what is on it stays as it is.
	Existing bool
	// OwnClaim is set where the claim was made for the benchmark: no other pod uses it, also where the volume
	// existed before.
	OwnClaim bool
	// FreeSpaceReserve is how many bytes of the file system stay free. Nil: the runner's default.
	FreeSpaceReserve *int64
	// Exclusive is for a file system that holds nothing but the benchmark's files.
	Exclusive bool
	// Objects is for an object store, where a directory is gone with the last object in it.
	Objects bool
	// MountPath is where the volume is mounted, "" for MountPath, where pods have it.
	MountPath string
	// Subdirectory is where the files of a client are that shares the file system with others. "": no other does.
	Subdirectory string
}

// Run is the part of one client in one attempt of one run.
type Run struct {
	Name    string
	Attempt int32
	// Client is the number of the client, from 0, and Clients how many begin together.
	Client, Clients int32
	// JobFile is the text that fio is given.
	JobFile string
	// LayoutFile is the text of the job file whose files fio lays out before. "": they are there.
	LayoutFile string
	// ProbeFile is the text of the job file that fio is given when it has measured. "": none.
	ProbeFile string
	// Precondition is how the files that are laid out, or else the device, are written before. Nil: they are not.
	Precondition *fio.Precondition
	// Until is until when fio does the same before it measures. Nil: it measures at once.
	Until  *steady.Until
	Volume Volume
	// EBSMetricsURL is where the runner asks what EBS itself says of the volume. "": it does not ask. VolumeID is what the driver calls the volume,
	// "" if that is not known yet.
	EBSMetricsURL, VolumeID string
	// NeededSeconds is the deadline that the planned runs need where the spec sets none, 0 if the default is enough.
	NeededSeconds int32
	// Node is the one that the benchmark's anchor holds. Without an anchor it is empty, and the run's pod
	// itself holds the node that it comes to.
	Node string
}

// Directory returns the directory of the benchmark's test files on a volume, as the runner sees it. On one that is the
// benchmark's alone it is the root: an object store has no directories that stay when they are empty.
func Directory(sb *v1alpha1.StorageBenchmark, volume Volume) string {
	mount := cmp.Or(volume.MountPath, MountPath)
	if volume.Exclusive {
		return mount
	}
	return path.Join(mount, childmeta.Directory(sb), volume.Subdirectory)
}

// ForRun returns the Job of a client in an attempt of a run. The operator decides about attempts, so the Job
// itself never repeats its pod.
func ForRun(sb *v1alpha1.StorageBenchmark, image Image, run Run) *batchv1ac.JobApplyConfiguration {
	labels := childmeta.Labels(sb, v1alpha1.LabelRole, v1alpha1.RoleRun, v1alpha1.LabelTarget, run.Volume.Target,
		v1alpha1.LabelAttempt, strconv.Itoa(int(run.Attempt)), v1alpha1.LabelClient, strconv.Itoa(int(run.Client)))
	annotations := map[string]string{v1alpha1.AnnotationRun: run.Name}
	maps.Copy(annotations, keepNode)
	deadline := time.Duration(ptr.Deref(sb.Spec.Deadlines.IOProgressSeconds, 0)) * time.Second
	flags := []string{"--progress-deadline=" + deadline.String()}
	if run.Volume.Mode == corev1.PersistentVolumeFilesystem {
		flags = append(flags, "--directory="+Directory(sb, run.Volume))
		flags = append(flags, reserveFlags(run.Volume)...)
		flags = append(flags, run.otherDirectories()...)
	}
	if run.Volume.Objects && !run.Volume.Exclusive {
		flags = append(flags, "--hold-directory")
	}
	if run.Volume.ReadOnly {
		flags = append(flags, "--readonly")
	}
	pod := podSpec(sb, podSecurity(sb, run.Volume)).WithVolumes(claimVolume(volumeName, run.Volume)).
		WithActiveDeadlineSeconds(atLast(int64(sb.RunSeconds(run.NeededSeconds)), sb.Spec.Deadlines.PodStartSeconds))
	if run.Node != "" {
		pin(pod, sb, run.Node)
	} else {
		maps.Copy(labels, holderLabels(sb))
		hold(pod, sb)
	}
	measure := container(sb, image, MeasureContainer, run.Volume, run.JobFile, append([]string{"measure"}, flags...))
	nameInReport(measure)
	askEBS(measure, run)
	if run.Until != nil {
		measure.WithArgs("--until=" + run.Until.String())
	}
	if run.ProbeFile != "" {
		measure.WithArgs(probeFlag).WithEnv(corev1ac.EnvVar().WithName(digest.ProbeVariable).WithValue(run.ProbeFile))
	}
	if run.Precondition != nil {
		flags = append(flags, preconditionFlag+run.Precondition.String())
	}
	switch {
	case run.LayoutFile == "" && !run.writesDevice():
	case run.Clients > 1:
		// By its end the operator knows of each client that it waits for the start.
		text := run.LayoutFile
		if run.writesDevice() {
			text = run.JobFile
		}
		pod.WithInitContainers(container(sb, image, LayoutContainer, run.Volume, text, append([]string{"layout"}, flags...)))
	default:
		if run.LayoutFile != "" {
			layOutFirst(measure, run.LayoutFile)
		}
		if run.Precondition != nil {
			measure.WithArgs(preconditionFlag + run.Precondition.String())
		}
	}
	if run.Clients > 1 {
		awaitStart(pod, measure, sb.RunSeconds(run.NeededSeconds))
	}
	pod.WithContainers(measure)
	return newJob(sb, childmeta.RunName(sb, run.Name, run.Attempt, run.Client), labels, annotations, pod, 0)
}

// writesDevice says whether all of a raw block volume is written before.
func (r *Run) writesDevice() bool {
	return r.Precondition != nil && r.Volume.Mode == corev1.PersistentVolumeBlock
}

// otherDirectories tells the runner where the other clients work that share its file system. An object store has no
// reserve.
func (r *Run) otherDirectories() []string {
	if r.Volume.Subdirectory == "" || r.Clients < 2 {
		return nil
	}
	var names []string
	for client := range r.Clients {
		if client != r.Client {
			names = append(names, childmeta.Client(client))
		}
	}
	return []string{"--other-directories=" + strings.Join(names, ",")}
}

// reserveFlags tell the runner what of the volume's file system stays free.
func reserveFlags(volume Volume) (flags []string) {
	if volume.OwnClaim {
		flags = append(flags, "--own-claim")
	}
	if volume.FreeSpaceReserve != nil {
		flags = append(flags, "--free-space-reserve="+strconv.FormatInt(*volume.FreeSpaceReserve, 10))
	}
	return flags
}

// ForCleanUp returns the Job that removes the benchmark's test files from storage on which they would stay.
func ForCleanUp(sb *v1alpha1.StorageBenchmark, image Image, volume Volume, client int32) *batchv1ac.JobApplyConfiguration {
	labels := childmeta.Labels(sb, v1alpha1.LabelRole, v1alpha1.RoleCleanUp, v1alpha1.LabelTarget, volume.Target, v1alpha1.LabelClient, strconv.Itoa(int(client)))
	args := []string{"clean", "--directory=" + Directory(sb, volume)}
	if volume.Exclusive {
		args = append(args, "--keep-directory")
	}
	pod := podSpec(sb, podSecurity(sb, volume)).
		WithVolumes(claimVolume(volumeName, volume)).
		WithActiveDeadlineSeconds(atLast(0, sb.Spec.Deadlines.CleanUpSeconds)).
		WithContainers(container(sb, image, CleanContainer, volume, "", args))
	place(pod, sb)
	return newJob(sb, childmeta.CleanUpName(sb, volume.Target, client), labels, keepNode, pod, cleanUpRetries)
}

func newJob(sb *v1alpha1.StorageBenchmark, name string, labels, annotations map[string]string, pod *corev1ac.PodSpecApplyConfiguration, retries int32) *batchv1ac.JobApplyConfiguration {
	settings := podSettings(sb)
	template := corev1ac.PodTemplateSpec().
		WithLabels(maps.Clone(settings.Labels)).WithLabels(labels).
		WithAnnotations(maps.Clone(settings.Annotations)).WithAnnotations(annotations).
		WithSpec(pod)
	return batchv1ac.Job(name, sb.Namespace).
		WithLabels(labels).
		WithAnnotations(annotations).
		WithOwnerReferences(childmeta.OwnerReference(sb)).
		WithSpec(batchv1ac.JobSpec().
			WithBackoffLimit(retries).
			WithTemplate(template))
}
