// Package fakecluster plays, in tests with an API server and nothing else, those parts of a cluster that a
// benchmark needs: provisioner, attach and protection of volumes, Job controller, scheduler, kubelet and
// garbage collector. What becomes of claims and pods is decided by functions that a test gives.
package fakecluster

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/storage"
	"github.com/storagebench/storagebench/test/await"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/envtest"
)

const (
	// Node is the name of the node that all pods come to but those of further clients.
	Node = "fake-node"
	// Nodes is how many nodes there are: clients that measure together can be as many.
	Nodes = 4
	// Zone is the node's zone.
	Zone = "zone-a"
	// InstanceType is the node's type.
	InstanceType = "m6i.large"
	// RetainClass is a StorageClass like builder.StorageClass, whose volumes outlive their claims.
	RetainClass = "fake-retain"
	// Driver is the name of the CSI driver.
	Driver = "csi.fake"

	// interval is how often everything is looked at. What a thing's life consists of happens step by step,
	// one in an interval, so that all of its states can be seen.
	interval = 20 * time.Millisecond
	// quiet is for how long nothing is looked at where nothing has changed. What a test decides can depend on anything.
	quiet = 100 * time.Millisecond
)

// Cluster plays a cluster for the objects of one namespace.
type Cluster struct {
	client    client.Client // reads what the API server has, and writes
	cache     cache.Cache
	namespace string
	clock     *Clock
	changes   *changes

	mu       sync.Mutex
	onClaim  func(*corev1.PersistentVolumeClaim) Provisioning
	onPod    func(*corev1.Pod) Outcome
	onAnchor func(*corev1.Pod) Outcome
	onVolume func(*corev1.PersistentVolume) bool
	onJob    func(*batchv1.Job) bool
	refused  map[types.UID]bool
}

// Start plays the cluster until the test ends, by the clock that the operator has as well. Until they are told otherwise,
// claims are bound, runs succeed, and volumes are deleted.
func Start(t testing.TB, namespace string, clock *Clock) *Cluster {
	t.Helper()
	config := envtest.Config(t)
	informers, err := cache.New(config, cache.Options{
		Scheme:            envtest.Scheme(),
		Mapper:            envtest.Mapper(t),
		DefaultNamespaces: map[string]cache.Config{namespace: {}},
	})
	if err != nil {
		t.Fatal(err)
	}
	c := &Cluster{
		client:    envtest.Client(t),
		cache:     informers,
		namespace: namespace,
		clock:     clock,
		changes:   newChanges(),
		onClaim:   func(*corev1.PersistentVolumeClaim) Provisioning { return Bind() },
		onPod:     func(*corev1.Pod) Outcome { return Succeed(builder.Report()) },
		onAnchor:  func(*corev1.Pod) Outcome { return Hang(job.AnchorContainer) },
		onVolume:  func(*corev1.PersistentVolume) bool { return true },
		onJob:     func(*batchv1.Job) bool { return true },
		refused:   map[types.UID]bool{},
	}
	if err := errors.Join(install(c.client), c.watch(t.Context())); err != nil {
		t.Fatal(err)
	}
	// Not the test's own context, which ends before its clean-up functions are called.
	ctx, cancel := context.WithCancel(context.Background())
	var playing sync.WaitGroup
	playing.Go(func() {
		if err := informers.Start(ctx); err != nil {
			t.Errorf("fake cluster: %v", err)
		}
	})
	playing.Go(func() {
		if err := c.play(ctx); err != nil {
			t.Errorf("fake cluster: %v", err)
		}
	})
	t.Cleanup(func() {
		cancel()
		playing.Wait()
	})
	return c
}

// OnClaim has the function decide about claims that are not bound.
func (c *Cluster) OnClaim(decide func(*corev1.PersistentVolumeClaim) Provisioning) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.onClaim = decide
	c.changes.tell()
}

// OnAnchor has the function decide about the pods that hold nodes.
func (c *Cluster) OnAnchor(decide func(*corev1.Pod) Outcome) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.onAnchor = decide
	c.changes.tell()
}

// OnPod has the function decide about all other pods. It is asked again at each step of a pod's life.
func (c *Cluster) OnPod(decide func(*corev1.Pod) Outcome) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.onPod = decide
	c.changes.tell()
}

// OnVolume has the function decide whether a volume without a claim is deleted.
func (c *Cluster) OnVolume(decide func(*corev1.PersistentVolume) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.onVolume = decide
	c.changes.tell()
}

// OnJob has the function decide whether a Job whose pod has ended is said to have ended.
func (c *Cluster) OnJob(decide func(*batchv1.Job) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.onJob = decide
	c.changes.tell()
}

// AllPods has one outcome for all pods.
func (c *Cluster) AllPods(outcome Outcome) {
	c.OnPod(func(*corev1.Pod) Outcome { return outcome })
}

func (c *Cluster) provisioning(claim *corev1.PersistentVolumeClaim) Provisioning {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.onClaim(claim)
}

func (c *Cluster) outcome(pod *corev1.Pod) Outcome {
	c.mu.Lock()
	defer c.mu.Unlock()
	if pod.Labels[v1alpha1.LabelRole] == v1alpha1.RoleAnchor {
		return ofAnchor(pod, c.onAnchor(pod))
	}
	return c.onPod(pod)
}

// ofAnchor has an outcome be that of the container that the pod of an anchor has: one that only has claims bound has
// another.
func ofAnchor(pod *corev1.Pod, outcome Outcome) Outcome {
	if outcome.hangs == job.AnchorContainer {
		outcome.hangs = pod.Spec.Containers[0].Name
	}
	return outcome
}

// LaysOut says whether a pod's container that is to measure still lays out files, which only its log tells.
func (c *Cluster) LaysOut(pod *corev1.Pod) bool {
	return job.LaysOutFirst(&pod.Spec) && c.outcome(pod).hangs == job.LayoutContainer
}

func (c *Cluster) deletes(volume *corev1.PersistentVolume) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.onVolume(volume)
}

func (c *Cluster) ends(job *batchv1.Job) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.onJob(job)
}

var installing struct {
	sync.Mutex
	done bool
}

// install makes what the clusters of all namespaces share, for the first of them.
func install(c client.Client) error {
	installing.Lock()
	defer installing.Unlock()
	if installing.done {
		return nil
	}
	class := func(name string, policy corev1.PersistentVolumeReclaimPolicy) *storagev1.StorageClass {
		return &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Provisioner: Driver, ReclaimPolicy: &policy}
	}
	labels := map[string]string{corev1.LabelTopologyZone: Zone, corev1.LabelInstanceTypeStable: InstanceType}
	objects := []client.Object{
		class(builder.StorageClass, corev1.PersistentVolumeReclaimDelete),
		class(RetainClass, corev1.PersistentVolumeReclaimRetain),
		&storagev1.CSIDriver{ObjectMeta: metav1.ObjectMeta{Name: Driver}},
		&storagev1.CSIDriver{ObjectMeta: metav1.ObjectMeta{Name: storage.EBSDriver}},
		&storagev1.CSIDriver{ObjectMeta: metav1.ObjectMeta{Name: storage.EFSDriver}},
		&storagev1.CSIDriver{ObjectMeta: metav1.ObjectMeta{Name: storage.S3Driver}},
	}
	for client := range Nodes {
		objects = append(objects, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: NodeOf(client), Labels: labels}})
	}
	for _, object := range objects {
		if err := c.Create(context.Background(), object); err != nil && !apierrors.IsAlreadyExists(err) {
			return err
		}
	}
	installing.done = true
	return nil
}

// NodeOf returns the name of the node that the pods of a client come to.
func NodeOf(client int) string {
	if client == 0 {
		return Node
	}
	return fmt.Sprintf("%s-%d", Node, client)
}

func (c *Cluster) play(ctx context.Context) error {
	if !c.cache.WaitForCacheSync(ctx) {
		return nil
	}
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		changed, quiet := c.changes.Next(), time.After(quiet)
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		for _, part := range []func(context.Context) error{c.provision, c.reclaim, c.runJobs, c.runPods, c.collectGarbage} {
			if err := part(ctx); err != nil && ctx.Err() == nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
		case <-changed:
		case <-quiet:
		}
	}
}

// outdated drops errors that come of looking at the cache, because what it had is not so any more, or of an API server that has too much to do. The next look
// sees to it, as the controllers of a real cluster do.
func outdated(err error) error {
	if err == nil || apierrors.IsNotFound(err) || apierrors.IsAlreadyExists(err) || await.IsTransient(err) {
		return nil
	}
	return err
}

// each calls the function for the elements of a list of objects in the namespace.
func each[T any, L interface {
	*T
	client.ObjectList
}, E any](ctx context.Context, c *Cluster, items func(L) []E, do func(*E) error) error {
	list := L(new(T))
	if err := c.cache.List(ctx, list, client.InNamespace(c.namespace)); err != nil {
		return err
	}
	var errs []error
	for i := range items(list) {
		errs = append(errs, outdated(do(&items(list)[i])))
	}
	return errors.Join(errs...)
}

func (c *Cluster) eachClaim(ctx context.Context, do func(*corev1.PersistentVolumeClaim) error) error {
	return each(ctx, c, func(l *corev1.PersistentVolumeClaimList) []corev1.PersistentVolumeClaim { return l.Items }, do)
}

func (c *Cluster) eachConfigMap(ctx context.Context, do func(*corev1.ConfigMap) error) error {
	return each(ctx, c, func(l *corev1.ConfigMapList) []corev1.ConfigMap { return l.Items }, do)
}

func (c *Cluster) eachJob(ctx context.Context, do func(*batchv1.Job) error) error {
	return each(ctx, c, func(l *batchv1.JobList) []batchv1.Job { return l.Items }, do)
}

func (c *Cluster) eachPod(ctx context.Context, do func(*corev1.Pod) error) error {
	return each(ctx, c, func(l *corev1.PodList) []corev1.Pod { return l.Items }, do)
}

func (c *Cluster) eachBenchmark(ctx context.Context, do func(*v1alpha1.StorageBenchmark) error) error {
	return each(ctx, c, func(l *v1alpha1.StorageBenchmarkList) []v1alpha1.StorageBenchmark { return l.Items }, do)
}

// removeFinalizer lets go of an object that the finalizer holds back.
func (c *Cluster) removeFinalizer(ctx context.Context, object client.Object, finalizer string) error {
	var rest []string
	for _, f := range object.GetFinalizers() {
		if f != finalizer {
			rest = append(rest, f)
		}
	}
	if len(rest) == len(object.GetFinalizers()) {
		return nil
	}
	object.SetFinalizers(rest)
	if err := c.client.Update(ctx, object); err != nil {
		return fmt.Errorf("remove finalizer %s of %s: %w", finalizer, object.GetName(), err)
	}
	return nil
}

// warn writes an event as a component of the cluster does.
func (c *Cluster) warn(ctx context.Context, component string, about client.Object, kind, reason, message string) error {
	now := c.now()
	return c.client.Create(ctx, &corev1.Event{
		ObjectMeta:     metav1.ObjectMeta{Namespace: c.namespace, GenerateName: about.GetName() + "."},
		InvolvedObject: corev1.ObjectReference{Kind: kind, Namespace: c.namespace, Name: about.GetName(), UID: about.GetUID()},
		Type:           corev1.EventTypeWarning, Reason: reason, Message: message,
		Source: corev1.EventSource{Component: component}, FirstTimestamp: now, LastTimestamp: now, Count: 1,
	})
}

// immediately deletes an object without a grace period, and only the very one that was seen.
func immediately(object client.Object) []client.DeleteOption {
	return []client.DeleteOption{
		client.GracePeriodSeconds(0),
		client.Preconditions{UID: new(object.GetUID())},
		client.PropagationPolicy(metav1.DeletePropagationBackground),
	}
}
