package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
)

const (
	podStopLimit   = 30 * time.Second
	podStopWorkers = 8
	importLimit    = 2 * time.Minute
)

// onSocket calls a function with a connection to the gRPC server of a socket.
func onSocket(socket string, use func(*grpc.ClientConn) error) error {
	conn, err := grpc.NewClient("unix://"+socket, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	return errors.Join(use(conn), conn.Close())
}

func (n *node) runtimeReady(ctx context.Context) error {
	return onSocket(n.runtimeSocket(), func(conn *grpc.ClientConn) error {
		_, err := cri.NewRuntimeServiceClient(conn).Version(ctx, &cri.VersionRequest{})
		return err
	})
}

// stopPods ends all containers of the node and takes down the pods' networks.
func (n *node) stopPods(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, podStopLimit)
	defer cancel()
	return onSocket(n.runtimeSocket(), func(conn *grpc.ClientConn) error {
		client := cri.NewRuntimeServiceClient(conn)
		pods, err := client.ListPodSandbox(ctx, &cri.ListPodSandboxRequest{})
		if err != nil {
			return err
		}
		// One pod that cannot be stopped is no reason to leave the others.
		var group errgroup.Group
		group.SetLimit(podStopWorkers)
		for _, pod := range pods.GetItems() {
			group.Go(func() error { return stopPod(ctx, client, pod.GetId()) })
		}
		return group.Wait()
	})
}

// stopPod gives the containers no grace: the runtime kills those of a sandbox that it is told to stop.
func stopPod(ctx context.Context, client cri.RuntimeServiceClient, id string) error {
	if _, err := client.StopPodSandbox(ctx, &cri.StopPodSandboxRequest{PodSandboxId: id}); status.Code(err) != codes.NotFound && err != nil {
		return fmt.Errorf("stop pod %s: %w", id, err)
	}
	if _, err := client.RemovePodSandbox(ctx, &cri.RemovePodSandboxRequest{PodSandboxId: id}); status.Code(err) != codes.NotFound && err != nil {
		return fmt.Errorf("remove pod %s: %w", id, err)
	}
	return nil
}

// hasImage says whether pods on the node can use an image.
func (n *node) hasImage(ctx context.Context, image string) error {
	return onSocket(n.runtimeSocket(), func(conn *grpc.ClientConn) error {
		response, err := cri.NewImageServiceClient(conn).ImageStatus(ctx, &cri.ImageStatusRequest{Image: &cri.ImageSpec{Image: image}})
		if err == nil && response.GetImage() == nil {
			err = errors.New("the runtime does not know it")
		}
		return err
	})
}

// images returns the names of the node's images.
func (n *node) images(ctx context.Context) (names []string, err error) {
	err = onSocket(n.runtimeSocket(), func(conn *grpc.ClientConn) error {
		response, err := cri.NewImageServiceClient(conn).ListImages(ctx, &cri.ListImagesRequest{})
		for _, image := range response.GetImages() {
			names = append(names, image.GetRepoTags()...)
		}
		return err
	})
	return names, err
}

// ctr runs containerd's own client in the namespace of the kubelet.
func (n *node) ctr(ctx context.Context, args ...string) error {
	return run(ctx, importLimit, "ctr", append([]string{"--address", n.runtimeSocket(), "--namespace", "k8s.io"}, args...)...)
}
