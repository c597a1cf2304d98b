package world

import (
	"context"
	"io"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
)

// LogReader reads the log of one of a pod's containers.
type LogReader func(ctx context.Context, pod *corev1.Pod, options *corev1.PodLogOptions) (io.ReadCloser, error)

// PodLogs returns a LogReader that asks the API server.
func PodLogs(clientset kubernetes.Interface) LogReader {
	return func(ctx context.Context, pod *corev1.Pod, options *corev1.PodLogOptions) (io.ReadCloser, error) {
		return clientset.CoreV1().Pods(pod.Namespace).GetLogs(pod.Name, options).Stream(ctx)
	}
}
