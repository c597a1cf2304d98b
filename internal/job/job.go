// Package job turns the runs of a benchmark into batch/v1 Jobs.
package job

import (
	"maps"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	batchv1ac "k8s.io/client-go/applyconfigurations/batch/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/child"
	"github.com/storagebench/storagebench/internal/digest"
)

const (
	// MountPath is where the volume is mounted.
	MountPath = "/volume"
	// DevicePath is where a raw block volume is.
	DevicePath = "/dev/storagebench"

	scratchPath   = "/tmp"
	volumeName    = "target"
	scratchVolume = "scratch"

	// LayoutContainer is the init container that lays out test files.
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

// Volume is what a Job's pod works on.
type Volume struct {
	Claim string
	Mode  corev1.PersistentVolumeMode
	// ReadOnly is for a device that holds somebody's data.
	ReadOnly bool
}

// Run is one attempt of one run.
type Run struct {
	Name    string
	Target  string
	Attempt int32
	// JobFile is the text that fio is given.
	JobFile string
	// Layout says whether files have to be laid out before measuring.
	Layout bool
	Volume Volume
}

// RunName returns the name of the Job that makes an attempt of a run.
func RunName(sb *v1alpha1.StorageBenchmark, run string, attempt int32) string {
	parts := []string{run}
	if attempt > 1 {
		parts = append(parts, strconv.Itoa(int(attempt)))
	}
	return child.Name(sb, parts...)
}

// Directory returns the directory of the benchmark's test files, as the runner sees it.
func Directory(sb *v1alpha1.StorageBenchmark) string {
	return MountPath + "/" + child.Directory(sb)
}

// ForRun returns the Job that makes an attempt of a run. The operator decides about attempts, so the Job
// itself never repeats its pod.
func ForRun(sb *v1alpha1.StorageBenchmark, image Image, run Run) *batchv1ac.JobApplyConfiguration {
	attempt := strconv.Itoa(int(run.Attempt))
	labels := child.Labels(sb, v1alpha1.LabelRole, v1alpha1.RoleRun, v1alpha1.LabelTarget, run.Target, v1alpha1.LabelAttempt, attempt)
	annotations := map[string]string{v1alpha1.AnnotationRun: run.Name}
	deadline := time.Duration(ptr.Deref(sb.Spec.Deadlines.ProgressSeconds, 0)) * time.Second
	flags := []string{"--progress-deadline=" + deadline.String()}
	if run.Volume.Mode == corev1.PersistentVolumeFilesystem {
		flags = append(flags, "--directory="+Directory(sb))
	}
	if run.Volume.ReadOnly {
		flags = append(flags, "--readonly")
	}
	pod := podSpec(sb, run.Volume)
	if run.Layout {
		pod.WithInitContainers(container(sb, image, LayoutContainer, run.Volume, run.JobFile, append([]string{"layout"}, flags...)))
	}
	pod.WithContainers(container(sb, image, MeasureContainer, run.Volume, run.JobFile, append([]string{"measure"}, flags...)))
	return newJob(sb, RunName(sb, run.Name, run.Attempt), labels, annotations, pod, 0)
}

// CleanUpName returns the name of the Job that removes the test files from a target's claim.
func CleanUpName(sb *v1alpha1.StorageBenchmark, target string) string {
	return child.Name(sb, target, v1alpha1.RoleCleanUp)
}

// ForCleanUp returns the Job that removes the benchmark's test files from a claim that existed before.
func ForCleanUp(sb *v1alpha1.StorageBenchmark, image Image, target string, volume Volume) *batchv1ac.JobApplyConfiguration {
	labels := child.Labels(sb, v1alpha1.LabelRole, v1alpha1.RoleCleanUp, v1alpha1.LabelTarget, target)
	pod := podSpec(sb, volume).
		WithContainers(container(sb, image, CleanContainer, volume, "", []string{"clean", "--directory=" + Directory(sb)}))
	return newJob(sb, CleanUpName(sb, target), labels, nil, pod, cleanUpRetries)
}

func newJob(sb *v1alpha1.StorageBenchmark, name string, labels, annotations map[string]string, pod *corev1ac.PodSpecApplyConfiguration, retries int32) *batchv1ac.JobApplyConfiguration {
	settings := podSettings(sb)
	podLabels, podAnnotations := maps.Clone(settings.Labels), maps.Clone(settings.Annotations)
	template := corev1ac.PodTemplateSpec().
		WithLabels(podLabels).WithLabels(labels).
		WithAnnotations(podAnnotations).WithAnnotations(annotations).
		WithSpec(pod)
	return batchv1ac.Job(name, sb.Namespace).
		WithLabels(labels).
		WithAnnotations(annotations).
		WithOwnerReferences(child.OwnerReference(sb)).
		WithSpec(batchv1ac.JobSpec().
			WithBackoffLimit(retries).
			WithTemplate(template))
}

func podSettings(sb *v1alpha1.StorageBenchmark) v1alpha1.PodSettings {
	return ptr.Deref(sb.Spec.Pod, v1alpha1.PodSettings{})
}

func container(sb *v1alpha1.StorageBenchmark, image Image, name string, volume Volume, jobFile string, args []string) *corev1ac.ContainerApplyConfiguration {
	c := corev1ac.Container().
		WithName(name).
		WithImage(image.Name).
		WithImagePullPolicy(image.PullPolicy).
		WithArgs(args...).
		WithTerminationMessagePolicy(corev1.TerminationMessageReadFile).
		WithSecurityContext(containerSecurity()).
		WithVolumeMounts(corev1ac.VolumeMount().WithName(scratchVolume).WithMountPath(scratchPath))
	if jobFile != "" {
		c.WithEnv(corev1ac.EnvVar().WithName(digest.JobFileVariable).WithValue(jobFile))
	}
	if volume.Mode == corev1.PersistentVolumeBlock {
		c.WithVolumeDevices(corev1ac.VolumeDevice().WithName(volumeName).WithDevicePath(DevicePath))
	} else {
		c.WithVolumeMounts(corev1ac.VolumeMount().WithName(volumeName).WithMountPath(MountPath))
	}
	if resources := podSettings(sb).Resources; len(resources.Limits)+len(resources.Requests) > 0 {
		c.WithResources(corev1ac.ResourceRequirements().WithLimits(resources.Limits).WithRequests(resources.Requests))
	}
	return c
}
