//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// imageFlag is the operator's flag for the image of the pods that run fio.
const imageFlag = "--runner-image="

// runnerImage returns the image that the installed operator runs fio with.
func runnerImage(t *testing.T) string {
	t.Helper()
	for _, arg := range operator(t.Context(), t).Spec.Template.Spec.Containers[0].Args {
		if image, ok := strings.CutPrefix(arg, imageFlag); ok {
			return image
		}
	}
	t.Fatal("the operator has no flag --runner-image")
	return ""
}

// operator returns the operator's Deployment.
func operator(ctx context.Context, t *testing.T) *appsv1.Deployment {
	t.Helper()
	deployment, err := findOperator(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return deployment
}

func findOperator(ctx context.Context) (*appsv1.Deployment, error) {
	var deployments appsv1.DeploymentList
	if err := k8s.List(ctx, &deployments, client.InNamespace(operatorNamespace)); err != nil {
		return nil, fmt.Errorf("find the operator: %w", err)
	}
	if n := len(deployments.Items); n != 1 {
		return nil, fmt.Errorf("there are %d Deployments in %s, and the operator is one (make deploy)", n, operatorNamespace)
	}
	return &deployments.Items[0], nil
}

// runFio runs fio by hand in a pod that mounts the claim at /volume, and returns its exit code and output.
func runFio(t *testing.T, name, claim string, args ...string) (exitCode int32, output string) {
	t.Helper()
	pod := fioPod(t, name, claim, args...)
	if err := k8s.Create(t.Context(), pod); err != nil {
		t.Fatalf("create pod: %v", err)
	}
	eventually(t.Context(), t, "the end of pod "+name, func(ctx context.Context) (bool, error) {
		err := k8s.Get(ctx, client.ObjectKeyFromObject(pod), pod)
		return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed, err
	})
	return pod.Status.ContainerStatuses[0].State.Terminated.ExitCode, podLog(t.Context(), t, pod, "fio")
}

// fioPod returns a pod that runs fio by hand and mounts the claim at /volume.
func fioPod(t *testing.T, name, claim string, args ...string) *corev1.Pod {
	t.Helper()
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespaceOf(t), Name: name},
		Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever,
			SecurityContext: &corev1.PodSecurityContext{
				RunAsNonRoot: new(true), RunAsUser: new(int64(65532)), FSGroup: new(int64(65532)),
				SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
			},
			Containers: []corev1.Container{{
				Name: "fio", Image: runnerImage(t), ImagePullPolicy: corev1.PullIfNotPresent,
				Command:      append([]string{"fio", "--name=by-hand"}, args...),
				WorkingDir:   "/volume",
				VolumeMounts: []corev1.VolumeMount{{Name: "volume", MountPath: "/volume"}},
				SecurityContext: &corev1.SecurityContext{
					AllowPrivilegeEscalation: new(false),
					Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
				},
			}},
			Volumes: []corev1.Volume{{Name: "volume", VolumeSource: corev1.VolumeSource{
				PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim},
			}}},
		},
	}
}
