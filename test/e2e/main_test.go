//go:build e2e

// Package e2e tests the installed operator on a real cluster: real pods run real fio on volumes that a real
// CSI driver provisions. It uses the cluster of KUBECONFIG, in a namespace of its own whose pods must satisfy
// the Pod Security Standard "restricted".
package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

const (
	// operatorNamespace is where "make deploy" installs the operator.
	operatorNamespace = "storagebench-system"
	// class is an unthrottled StorageClass of the local cluster.
	class = "loop"

	pollInterval = 100 * time.Millisecond
	// patience is how long anything may take that has no deadline of its own.
	patience = 90 * time.Second
)

var (
	k8s       client.Client
	clientset kubernetes.Interface
	namespace string
	// nodeNames are the cluster's nodes.
	nodeNames []string
)

func TestMain(m *testing.M) {
	ctrl.SetLogger(logr.Discard())
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (code int, err error) {
	ctx := context.Background()
	config, err := ctrl.GetConfig()
	if err != nil {
		return 1, fmt.Errorf("find the cluster (KUBECONFIG): %w", err)
	}
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			return 1, err
		}
	}
	if k8s, err = client.New(config, client.Options{Scheme: scheme}); err != nil {
		return 1, err
	}
	if clientset, err = kubernetes.NewForConfig(config); err != nil {
		return 1, err
	}
	if err := findNodes(ctx); err != nil {
		return 1, err
	}
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		GenerateName: "storagebench-e2e-",
		Labels:       map[string]string{"pod-security.kubernetes.io/enforce": "restricted"},
	}}
	if err := k8s.Create(ctx, ns); err != nil {
		return 1, fmt.Errorf("create a namespace: %w", err)
	}
	namespace = ns.Name
	code = m.Run()
	return code, errors.Join(faults.conclude(code == 0), removeNamespace(ctx, ns))
}

func findNodes(ctx context.Context) error {
	var nodes corev1.NodeList
	if err := k8s.List(ctx, &nodes); err != nil {
		return fmt.Errorf("list nodes: %w", err)
	}
	for i := range nodes.Items {
		nodeNames = append(nodeNames, nodes.Items[i].Name)
	}
	if len(nodeNames) == 0 {
		return errors.New("the cluster has no nodes")
	}
	slices.Sort(nodeNames)
	return nil
}

func removeNamespace(ctx context.Context, ns *corev1.Namespace) error {
	if err := client.IgnoreNotFound(k8s.Delete(ctx, ns)); err != nil {
		return fmt.Errorf("delete the namespace: %w", err)
	}
	err := wait.PollUntilContextTimeout(ctx, pollInterval, patience, true, func(ctx context.Context) (bool, error) {
		err := k8s.Get(ctx, client.ObjectKeyFromObject(ns), &corev1.Namespace{})
		return apierrors.IsNotFound(err), client.IgnoreNotFound(err)
	})
	if err != nil {
		return fmt.Errorf("wait for namespace %s to be gone: %w", ns.Name, err)
	}
	return nil
}
