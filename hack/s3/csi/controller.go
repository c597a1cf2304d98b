package main

import (
	"context"

	"github.com/awslabs/mountpoint-s3-csi-driver/cmd/aws-s3-csi-controller/csicontroller"
	"github.com/awslabs/mountpoint-s3-csi-driver/pkg/api/v2beta"
	"github.com/awslabs/mountpoint-s3-csi-driver/pkg/cluster"
	"github.com/awslabs/mountpoint-s3-csi-driver/pkg/driver/version"
	"github.com/awslabs/mountpoint-s3-csi-driver/pkg/podmounter/mppod"
	"github.com/spf13/pflag"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// newScheme knows Kubernetes' objects and the driver's MountpointS3PodAttachment.
func newScheme() (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return nil, err
	}
	return scheme, v2beta.AddToScheme(scheme)
}

// runController runs what starts and ends the Mountpoint pods.
func runController(ctx context.Context, args []string) error {
	flags := pflag.NewFlagSet("controller", pflag.ContinueOnError)
	kubeconfig := flags.String("kubeconfig", "", "how to reach the API")
	namespace := flags.String("namespace", "", "namespace of the Mountpoint pods")
	image := flags.String("image", "", "image of the Mountpoint pods, which is never pulled")
	mountpoint := flags.String("mountpoint-version", "", "version of Mountpoint, a label of its pods")
	metrics := flags.String("metrics-address", "", "IP:PORT for metrics")
	if err := parse(flags, args); err != nil {
		return err
	}
	ctrl.SetLogger(zap.New())
	config, err := clientConfig(*kubeconfig)
	if err != nil {
		return err
	}
	scheme, err := newScheme()
	if err != nil {
		return err
	}
	mgr, err := manager.New(config, manager.Options{Scheme: scheme, Metrics: server.Options{BindAddress: *metrics}})
	if err != nil {
		return err
	}
	if err := v2beta.SetupManagerIndices(mgr); err != nil {
		return err
	}
	if err := addReconciler(mgr, mppod.Config{
		Namespace:         *namespace,
		MountpointVersion: *mountpoint,
		Container: mppod.ContainerConfig{
			Command:         "/bin/aws-s3-csi-mounter",
			Image:           *image,
			ImagePullPolicy: corev1.PullNever,
		},
		CSIDriverVersion: version.GetVersion().DriverVersion,
		ClusterVariant:   cluster.DefaultKubernetes,
	}); err != nil {
		return err
	}
	return mgr.Start(ctx)
}

func addReconciler(mgr manager.Manager, pods mppod.Config) error {
	reconciler := csicontroller.NewReconciler(mgr.GetClient(), pods, mgr.GetLogger())
	if err := reconciler.SetupWithManager(mgr); err != nil {
		return err
	}
	return mgr.Add(csicontroller.NewStaleAttachmentCleaner(reconciler))
}
