package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

const nodeLimit = 60 * time.Second

func (c *Cluster) client() (*kubernetes.Clientset, error) {
	config, err := clientcmd.BuildConfigFromFlags("", c.state.Kubeconfig())
	if err != nil {
		return nil, err
	}
	config.QPS, config.Burst = clientQPS, clientBurst
	config.Timeout = 10 * time.Second
	return kubernetes.NewForConfig(config)
}

// nodeReady says whether pods can be scheduled to a node and use the drivers.
func nodeReady(ctx context.Context, client kubernetes.Interface, name string, drivers []string) error {
	found, err := client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	at := slices.IndexFunc(found.Status.Conditions, func(c corev1.NodeCondition) bool { return c.Type == corev1.NodeReady })
	if at < 0 {
		return errors.New("the kubelet has not reported yet")
	}
	if ready := found.Status.Conditions[at]; ready.Status != corev1.ConditionTrue {
		return fmt.Errorf("%s: %s", ready.Reason, ready.Message)
	}
	for _, taint := range found.Spec.Taints {
		if taint.Effect != corev1.TaintEffectPreferNoSchedule {
			return fmt.Errorf("taint %s", taint.ToString())
		}
	}
	return driversRegistered(ctx, client, name, drivers)
}

func driversRegistered(ctx context.Context, client kubernetes.Interface, name string, drivers []string) error {
	found, err := client.StorageV1().CSINodes().Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	for _, driver := range drivers {
		if !slices.ContainsFunc(found.Spec.Drivers, func(d storagev1.CSINodeDriver) bool { return d.Name == driver }) {
			return fmt.Errorf("CSI driver %s is not registered", driver)
		}
	}
	return nil
}

// podsAdmitted says whether pods can be made in the default namespace.
func podsAdmitted(ctx context.Context, client kubernetes.Interface) error {
	_, err := client.CoreV1().ServiceAccounts("default").Get(ctx, "default", metav1.GetOptions{})
	return err
}

func (c *Cluster) awaitNodes(ctx context.Context) error {
	for _, n := range c.nodes {
		if err := c.awaitNode(ctx, n, c.drivers(), nil); err != nil {
			return err
		}
		c.progress.printf("Node %s is Ready", n.name)
	}
	client, err := c.client()
	if err != nil {
		return err
	}
	ask := func(ctx context.Context) error { return podsAdmitted(ctx, client) }
	if err := poll(ctx, "the default service account", nodeLimit, nil, ask); err != nil {
		return c.failed("kube-controller-manager", err)
	}
	return nil
}

// awaitNode waits for a node to be Ready with drivers, and no longer than its kubelet runs.
func (c *Cluster) awaitNode(ctx context.Context, n *node, drivers []string, exited <-chan error) error {
	client, err := c.client()
	if err != nil {
		return err
	}
	ask := func(ctx context.Context) error { return nodeReady(ctx, client, n.name, drivers) }
	if err := poll(ctx, "node "+n.name+" to be Ready", nodeLimit, exited, ask); err != nil {
		return c.failed(n.component("kubelet"), err)
	}
	return nil
}
