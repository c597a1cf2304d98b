//go:build e2e

// Package e2e tests the installed operator on a real cluster: real pods run real fio on volumes that a real
// CSI driver provisions. It uses the cluster of KUBECONFIG, in namespaces whose pods must satisfy the Pod Security
// Standard "restricted". Tests run side by side as far as they do not disturb each other: stage_test.go.
package e2e

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/test/await"
	"github.com/storagebench/storagebench/test/turns"
)

const (
	// operatorNamespace is where "make deploy" installs the operator.
	operatorNamespace = "storagebench-system"
	// unthrottled is a StorageClass of the local cluster whose disks are as fast as the machine.
	unthrottled = "loop"

	pollInterval = 200 * time.Millisecond
	// callTimeout is how long the API server may take to answer.
	callTimeout = 30 * time.Second
	// patience is how long anything may take that has no deadline of its own.
	patience = 90 * time.Second
)

var (
	k8s       client.Client
	clientset kubernetes.Interface
	// class is a StorageClass of slow disks, for all tests that look at no figures: they leave the processors to others.
	class string
	// nodeNames are the cluster's nodes, first those that tests share.
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
	// Many tests ask at the same time, and none of them may hang in a call.
	config.QPS, config.Timeout = -1, callTimeout
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
	watching, stop := context.WithCancel(ctx)
	defer stop()
	err = errors.Join(share(ctx), makeClass(ctx), awaitOwners(ctx), benchmarkChanges.watch(watching, config))
	if err != nil {
		return 1, err
	}
	queue = turns.New(machineLoad, nodeNames[sharedNodes:]...)
	// The queue decides who runs. To it all tests have to come first.
	flag.Parse()
	if err := flag.Set("test.parallel", "1000"); err != nil {
		return 1, err
	}
	code = m.Run()
	errs := []error{faults.conclude(code == 0), awaitNamespaces(ctx)}
	if code == 0 && !isSelection() {
		errs = append(errs, checkNoFiles())
	}
	for _, do := range ends.all {
		errs = append(errs, do(ctx))
	}
	return code, errors.Join(errs...)
}

// awaitOwners waits until kube-apiserver takes owner references to StorageBenchmarks. It refuses them for some seconds
// after their CustomResourceDefinition was created ("cannot find RESTMapping"). The operator waits for that as for a
// quota, but tests with short deadlines expect other refusals.
func awaitOwners(ctx context.Context) error {
	of := &v1alpha1.StorageBenchmark{ObjectMeta: metav1.ObjectMeta{Name: "none", UID: "none"}}
	owned := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: operatorNamespace, GenerateName: "owned-"}}
	owned.OwnerReferences = []metav1.OwnerReference{
		*metav1.NewControllerRef(of, v1alpha1.GroupVersion.WithKind("StorageBenchmark")),
	}
	wait := await.Wait{For: "owner references to StorageBenchmarks", Patience: patience}
	return wait.Until(ctx, func(ctx context.Context) error { return k8s.Create(ctx, owned.DeepCopy(), client.DryRunAll) })
}

// ends are what is to be done at the end of all tests.
var ends struct {
	sync.Mutex
	all []func(context.Context) error
}

// atEnd has something done at the end of all tests.
func atEnd(do func(context.Context) error) {
	ends.Lock()
	defer ends.Unlock()
	ends.all = append(ends.all, do)
}

// makeClass makes the StorageClass of slow disks.
func makeClass(ctx context.Context) error {
	var fast storagev1.StorageClass
	if err := k8s.Get(ctx, clientKey(unthrottled), &fast); err != nil {
		return fmt.Errorf("find StorageClass %s: %w", unthrottled, err)
	}
	slow := &storagev1.StorageClass{
		ObjectMeta:        metav1.ObjectMeta{Name: newName()},
		Provisioner:       fast.Provisioner,
		Parameters:        map[string]string{"iops": "1000", "throughput": "125"},
		VolumeBindingMode: fast.VolumeBindingMode,
	}
	if err := k8s.Create(ctx, slow); err != nil {
		return fmt.Errorf("create a StorageClass: %w", err)
	}
	class = slow.Name
	atEnd(func(ctx context.Context) error { return k8s.Delete(ctx, slow) })
	return nil
}

// share gives the nodes that tests share their label, and keeps the operator there, wherever it is started anew: the others are
// for tests that take nodes away.
func share(ctx context.Context) error {
	for i, node := range nodeNames {
		if err := clearLabels(ctx, node); err != nil {
			return err
		}
		if i >= sharedNodes {
			continue
		}
		if err := setLabel(ctx, node, sharedLabel, `"yes"`); err != nil {
			return err
		}
		atEnd(func(ctx context.Context) error { return setLabel(ctx, node, sharedLabel, "null") })
	}
	keep := func(ctx context.Context, selector string) error {
		patch := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:%s}}}`, nodeSelector, selector)
		ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: operatorNamespace}}
		return k8s.Patch(ctx, ns, client.RawPatch(types.MergePatchType, patch))
	}
	atEnd(func(ctx context.Context) error { return keep(ctx, "null") })
	return keep(ctx, strconv.Quote(sharedLabel+"=yes"))
}

// clearLabels removes the labels that tests which were broken off have left on a node.
func clearLabels(ctx context.Context, name string) error {
	node := &corev1.Node{}
	if err := k8s.Get(ctx, clientKey(name), node); err != nil {
		return fmt.Errorf("get node %s: %w", name, err)
	}
	patch := client.MergeFrom(node.DeepCopy())
	maps.DeleteFunc(node.Labels, func(label, _ string) bool { return strings.HasPrefix(label, labelDomain) })
	return k8s.Patch(ctx, node, patch)
}

func findNodes(ctx context.Context) error {
	var nodes corev1.NodeList
	if err := k8s.List(ctx, &nodes); err != nil {
		return fmt.Errorf("list nodes: %w", err)
	}
	for i := range nodes.Items {
		nodeNames = append(nodeNames, nodes.Items[i].Name)
	}
	if len(nodeNames) < leastNodes {
		return fmt.Errorf("the cluster has %d nodes, and the tests need %d (make cluster-up NODES=%d)", len(nodeNames), leastNodes, leastNodes)
	}
	deployment, err := findOperator(ctx)
	if err != nil {
		return err
	}
	var pods corev1.PodList
	if err := k8s.List(ctx, &pods, client.InNamespace(operatorNamespace), client.MatchingLabels(deployment.Spec.Selector.MatchLabels)); err != nil {
		return fmt.Errorf("list pods of the operator: %w", err)
	}
	if len(pods.Items) == 0 {
		return errors.New("the operator has no pods")
	}
	// The operator's node is one of those that no test has to itself, because some take it away.
	operatorNode := pods.Items[0].Spec.NodeName
	slices.Sort(nodeNames)
	nodeNames = slices.Concat([]string{operatorNode}, slices.DeleteFunc(nodeNames, func(name string) bool { return name == operatorNode }))
	return nil
}
