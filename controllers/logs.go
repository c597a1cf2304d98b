package controllers

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"time"

	corev1 "k8s.io/api/core/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/kubernetes"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/child"
	"github.com/storagebench/storagebench/internal/job"
)

const (
	// maxLog is the most bytes of a pod's log that are read. fio's output for the most sections that a job
	// file may have is about half of that.
	maxLog = 8 << 20
	// maxKept is the most bytes of a gzipped log that are kept: a ConfigMap holds 1 MiB in all.
	maxKept = 256 << 10
	// maxLogs is the most logs that are kept for a benchmark: etcd holds a few GiB in all.
	maxLogs = 128
	// logPatience is how long a log may take to read. A node that does not answer must not hold up others.
	logPatience = 10 * time.Second
	// logKey is the key of a ConfigMap that holds a gzipped log.
	logKey = "fio.log.gz"
)

// LogReader reads the log of a pod's container, at most limit bytes of it.
type LogReader func(ctx context.Context, pod *corev1.Pod, container string, limit int64) (io.ReadCloser, error)

// PodLogs returns a LogReader that asks the API server.
func PodLogs(clientset kubernetes.Interface) LogReader {
	return func(ctx context.Context, pod *corev1.Pod, container string, limit int64) (io.ReadCloser, error) {
		options := &corev1.PodLogOptions{Container: container, LimitBytes: new(limit)}
		return clientset.CoreV1().Pods(pod.Namespace).GetLogs(pod.Name, options).Stream(ctx)
	}
}

// keepLog copies the log of an attempt into a ConfigMap, because the pod has to go before its volume can.
// The result does not depend on it, so trouble is only logged.
func (s *scope) keepLog(ctx context.Context, run *v1alpha1.Run, pod *corev1.Pod) {
	if s.keptLogs() >= maxLogs {
		return
	}
	name := child.Name(s.sb, run.Name, "log")
	ctx, cancel := context.WithTimeout(ctx, logPatience)
	defer cancel()
	zipped, err := s.zipLog(ctx, pod)
	if err == nil {
		labels := child.Labels(s.sb, v1alpha1.LabelTarget, run.Target)
		err = s.Client.Apply(ctx, corev1ac.ConfigMap(name, s.sb.Namespace).
			WithLabels(labels).
			WithAnnotations(map[string]string{v1alpha1.AnnotationRun: run.Name}).
			WithOwnerReferences(child.OwnerReference(s.sb)).
			WithBinaryData(map[string][]byte{logKey: zipped}), applyOptions...)
	}
	if err != nil {
		ctrl.LoggerFrom(ctx).Info("Log of a run is not kept", "run", run.Name, "pod", pod.Name, "why", err.Error())
		return
	}
	run.LogConfigMap = name
}

func (s *scope) keptLogs() int {
	kept := 0
	for i := range s.sb.Status.Runs {
		if s.sb.Status.Runs[i].LogConfigMap != "" {
			kept++
		}
	}
	return kept
}

func (s *scope) zipLog(ctx context.Context, pod *corev1.Pod) ([]byte, error) {
	log, err := s.Logs(ctx, pod, endedContainer(pod), maxLog)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	if _, err := io.Copy(w, io.LimitReader(log, maxLog)); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	if zipped.Len() > maxKept {
		return nil, fmt.Errorf("it takes %d bytes, and at most %d are kept", zipped.Len(), maxKept)
	}
	return zipped.Bytes(), nil
}

// endedContainer returns the container whose end was the end of the attempt.
func endedContainer(pod *corev1.Pod) string {
	status := containerStatus(pod.Status.InitContainerStatuses, job.LayoutContainer)
	if status != nil && status.State.Terminated != nil && status.State.Terminated.ExitCode != 0 {
		return job.LayoutContainer
	}
	return job.MeasureContainer
}
