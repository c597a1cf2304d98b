package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/awslabs/mountpoint-s3-csi-driver/pkg/api/v2beta"
	"github.com/awslabs/mountpoint-s3-csi-driver/pkg/driver"
	"github.com/awslabs/mountpoint-s3-csi-driver/pkg/driver/node"
	"github.com/awslabs/mountpoint-s3-csi-driver/pkg/driver/node/credentialprovider"
	"github.com/awslabs/mountpoint-s3-csi-driver/pkg/driver/node/mounter"
	mpmounter "github.com/awslabs/mountpoint-s3-csi-driver/pkg/mountpoint/mounter"
	"github.com/awslabs/mountpoint-s3-csi-driver/pkg/podmounter/mppod/watcher"
	"github.com/awslabs/mountpoint-s3-csi-driver/pkg/util"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// resyncPeriod is the real driver's.
const resyncPeriod = time.Minute

type nodeOptions struct {
	kubeconfig, node, namespace, socket, registration string
}

// runNode runs the CSI driver of one node. It needs what the real one's pod has in
// its environment: MOUNTER_KIND=pod, KUBELET_PATH, MOUNTPOINT_NAMESPACE, and for
// volumes without credentials of their own AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.
func runNode(ctx context.Context, args []string) error {
	var o nodeOptions
	flags := pflag.NewFlagSet("node", pflag.ContinueOnError)
	flags.StringVar(&o.kubeconfig, "kubeconfig", "", "how to reach the API")
	flags.StringVar(&o.node, "node", "", "name of the node")
	flags.StringVar(&o.namespace, "namespace", "", "namespace of the Mountpoint pods")
	flags.StringVar(&o.socket, "socket", "", "socket of the CSI services")
	flags.StringVar(&o.registration, "registration-socket", "", "socket in the kubelet's plugins_registry")
	if err := parse(flags, args); err != nil {
		return err
	}
	if !util.UsePodMounter() {
		return errors.New("MOUNTER_KIND is not pod")
	}
	// The driver calls the Mountpoint pods on sockets below this directory whose whole
	// paths may be longer than a socket's address can be. It then uses relative ones.
	if err := os.Chdir(util.KubeletPath()); err != nil {
		return fmt.Errorf("KUBELET_PATH: %w", err)
	}
	server, err := newNodeServer(ctx, o)
	if err != nil {
		return err
	}
	return serve(ctx, o, server)
}

// newNodeServer puts the parts of the real driver together.
func newNodeServer(ctx context.Context, o nodeOptions) (*node.S3NodeServer, error) {
	config, err := clientConfig(o.kubeconfig)
	if err != nil {
		return nil, err
	}
	clients, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	release, err := clients.Discovery().ServerVersion()
	if err != nil {
		return nil, err
	}
	attachments, err := watchAttachments(ctx, config, o.node)
	if err != nil {
		return nil, err
	}
	pods := watcher.New(clients, o.namespace, o.node, resyncPeriod)
	if err := pods.Start(ctx.Done()); err != nil {
		return nil, err
	}
	credentials := credentialprovider.New(clients.CoreV1(), noRegion)
	mounts := mpmounter.New()
	unmounter := mounter.NewPodUnmounter(o.node, mounts, pods, credentials)
	if _, err := pods.AddEventHandler(toolscache.ResourceEventHandlerFuncs{UpdateFunc: unmounter.HandleMountpointPodUpdate}); err != nil {
		return nil, err
	}
	go unmounter.StartPeriodicCleanup(ctx.Done())
	podMounter, err := mounter.NewPodMounter(pods, attachments, credentials, mounts, nil, nil, release.String(), o.node)
	if err != nil {
		return nil, err
	}
	return node.NewS3NodeServer(o.node, podMounter), nil
}

// noRegion stands for the EC2 metadata service, which there is none of.
func noRegion() (string, error) {
	return "", errors.New("this is no EC2 instance: give the region in the volume's attribute stsRegion")
}

// watchAttachments keeps the node's MountpointS3PodAttachments, in which the
// controller says which Mountpoint pod serves which workload.
func watchAttachments(ctx context.Context, config *rest.Config, nodeName string) (cache.Cache, error) {
	scheme, err := newScheme()
	if err != nil {
		return nil, err
	}
	resync := resyncPeriod
	attachments, err := cache.New(config, cache.Options{
		Scheme:                      scheme,
		SyncPeriod:                  &resync,
		ReaderFailOnMissingInformer: true,
		ByObject: map[client.Object]cache.ByObject{
			&v2beta.MountpointS3PodAttachment{}: {Field: fields.OneTermEqualSelector(v2beta.FieldNodeName, nodeName)},
		},
	})
	if err != nil {
		return nil, err
	}
	if err := v2beta.SetupCacheIndices(attachments); err != nil {
		return nil, err
	}
	// Nothing would be synchronised without an informer that was asked for. The start
	// must not be awaited: it ends with the context.
	if _, err := attachments.GetInformer(ctx, &v2beta.MountpointS3PodAttachment{}, cache.BlockUntilSynced(false)); err != nil {
		return nil, err
	}
	go func() {
		if err := attachments.Start(ctx); err != nil {
			fmt.Fprintln(os.Stderr, "s3-csi: watch MountpointS3PodAttachments:", err)
		}
	}()
	if !attachments.WaitForCacheSync(ctx) {
		return nil, errors.New("MountpointS3PodAttachments could not be listed")
	}
	return attachments, nil
}

// serve answers the kubelet until the context ends.
func serve(ctx context.Context, o nodeOptions, server *node.S3NodeServer) error {
	// A driver that was killed leaves its sockets.
	for _, socket := range []string{o.socket, o.registration} {
		if err := os.Remove(socket); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	csi := &driver.Driver{Endpoint: "unix://" + o.socket, NodeID: o.node, NodeServer: server}
	ended := make(chan error, 2)
	go func() { ended <- csi.Run() }()
	go func() { ended <- register(ctx, o.registration, o.socket) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return nil
	}
}
