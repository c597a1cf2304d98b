package plugin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/client-go/discovery"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/humanize"
	"github.com/storagebench/storagebench/internal/storage"
)

func checkKubernetes(_ context.Context, c *cluster) (string, string, error) {
	asks, err := discovery.NewDiscoveryClientForConfig(c.config)
	if err != nil {
		return "", "", err
	}
	info, err := asks.ServerVersion()
	if err != nil {
		return "", "", fmt.Errorf("the API server does not answer: %w", err)
	}
	is, err := version.ParseGeneric(info.GitVersion)
	if err != nil {
		return "", "", err
	}
	if is.LessThan(oldestKubernetes) {
		return checkFailed, fmt.Sprintf("%s is older than %s, the oldest that the operator works with: upgrade the cluster", info.GitVersion, oldestKubernetes), nil
	}
	return checkOK, info.GitVersion, nil
}

func checkAPI(ctx context.Context, c *cluster) (string, string, error) {
	err := c.List(ctx, &v1alpha1.StorageBenchmarkList{}, client.InNamespace(c.namespace), client.Limit(1))
	if apierrors.IsForbidden(err) || err == nil {
		return checkOK, v1alpha1.GroupVersion.String() + " is served", nil // the API server refuses before it looks
	}
	return checkFailed, "the cluster does not know StorageBenchmarks: install storagebench (" + installPage + ")", nil
}

func checkOperator(ctx context.Context, c *cluster) (string, string, error) {
	var found appsv1.DeploymentList
	if err := c.List(ctx, &found, client.MatchingLabels{"app.kubernetes.io/name": "storagebench"}); err != nil {
		return "", "", err
	}
	if len(found.Items) == 0 {
		return checkFailed, "no operator is installed: " + installPage, nil
	}
	var words []string
	available := false
	for i := range found.Items {
		one := &found.Items[i]
		state := "available"
		if one.Status.AvailableReplicas == 0 {
			state = fmt.Sprintf("not available: kubectl -n %s describe deployment %s", one.Namespace, one.Name)
		}
		available = available || one.Status.AvailableReplicas > 0
		words = append(words, fmt.Sprintf("%s/%s %s is %s", one.Namespace, one.Name, one.Labels[versionLabel], state))
	}
	text := strings.Join(words, "; ")
	switch {
	case !available:
		return checkFailed, text, nil
	case len(words) > 1:
		return checkWarning, text + "; each namespace must belong to one operator only (watchNamespaces)", nil
	}
	return checkOK, text, nil
}

func checkPolicy(ctx context.Context, c *cluster) (string, string, error) {
	policies := &metav1.PartialObjectMetadataList{}
	policies.SetGroupVersionKind(schema.GroupVersionKind{Group: "admissionregistration.k8s.io", Version: "v1", Kind: "ValidatingAdmissionPolicyBindingList"})
	if err := c.List(ctx, policies, client.MatchingLabels{"app.kubernetes.io/name": "storagebench"}); err != nil {
		return "", "", err
	}
	if len(policies.Items) == 0 {
		return checkWarning, "there is none: users of namespaces can have the operator make StorageClasses and PersistentVolumes; set admissionPolicy.enabled in the chart", nil
	}
	return checkOK, policies.Items[0].Name + " holds users to their own rights", nil
}

// right is what a user needs for something.
type right struct {
	verb, group, resource, forWhat string
	// isCluster is for resources without a namespace.
	isCluster bool
}

var rights = []right{
	{verb: "create", group: v1alpha1.GroupVersion.Group, resource: "storagebenchmarks", forWhat: "run benchmarks"},
	{verb: "get", resource: "pods/log", forWhat: "logs of runs under way"},
	{verb: "create", resource: "pods", forWhat: "fields that affect other pods"},
	{verb: "create", group: "storage.k8s.io", resource: "storageclasses", forWhat: "targets of ebs", isCluster: true},
	{verb: "create", resource: "persistentvolumes", forWhat: "targets of efs and s3", isCluster: true},
}

func checkRights(ctx context.Context, c *cluster) (string, string, error) {
	var lacks []string
	for i, one := range rights {
		resource, sub, _ := strings.Cut(one.resource, "/")
		ask := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &authorizationv1.ResourceAttributes{
			Namespace: c.namespace, Verb: one.verb, Group: one.group, Resource: resource, Subresource: sub,
		}}}
		if one.isCluster {
			ask.Spec.ResourceAttributes.Namespace = ""
		}
		if err := c.Create(ctx, ask); err != nil {
			return "", "", err
		}
		if ask.Status.Allowed {
			continue
		}
		if i == 0 {
			return checkFailed, fmt.Sprintf("you may not create StorageBenchmarks in namespace %s: ask for ClusterRole storagebench-editor", c.namespace), nil
		}
		lacks = append(lacks, fmt.Sprintf("%s %s (%s)", one.verb, one.resource, one.forWhat))
	}
	if len(lacks) > 0 {
		return checkWarning, fmt.Sprintf("you may run benchmarks in namespace %s, and may not %s", c.namespace, strings.Join(lacks, ", ")), nil
	}
	return checkOK, "all that benchmarks in namespace " + c.namespace + " need", nil
}

// checkNamespace looks for what refuses pods of benchmarks in the namespace: quotas and limits. Pods satisfy the Pod
// Security Standard "restricted" by themselves.
func checkNamespace(ctx context.Context, c *cluster) (string, string, error) {
	var quotas corev1.ResourceQuotaList
	if err := c.List(ctx, &quotas, client.InNamespace(c.namespace)); err != nil {
		return "", "", err
	}
	var full []string
	for i := range quotas.Items {
		status := quotas.Items[i].Status
		for name, hard := range status.Hard {
			if used := status.Used[name]; used.Cmp(hard) >= 0 {
				full = append(full, fmt.Sprintf("%s of quota %s is used up (%s)", name, quotas.Items[i].Name, hard.String()))
			}
		}
	}
	slices.Sort(full)
	if len(full) > 0 {
		return checkWarning, "namespace " + c.namespace + ": " + strings.Join(full, ", "), nil
	}
	return checkOK, fmt.Sprintf("%s has %s", c.namespace, humanize.Plural(len(quotas.Items), "quota")), nil
}

func checkNodes(ctx context.Context, c *cluster) (string, string, error) {
	var nodes corev1.NodeList
	if err := c.List(ctx, &nodes); err != nil {
		return "", "", err
	}
	ready := 0
	types := map[string]bool{}
	for i := range nodes.Items {
		node := &nodes.Items[i]
		isReady := slices.ContainsFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool {
			return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
		})
		if isReady && !node.Spec.Unschedulable {
			ready++
		}
		if kind := node.Labels[corev1.LabelInstanceTypeStable]; kind != "" {
			types[kind] = true
		}
	}
	switch {
	case ready == 0:
		return checkFailed, fmt.Sprintf("none of %s is ready and takes pods", humanize.Plural(len(nodes.Items), "node")), nil
	case len(types) == 0:
		return checkWarning, humanize.Plural(ready, "node") + " take pods; without label node.kubernetes.io/instance-type limits of instances are unknown", nil
	}
	return checkOK, fmt.Sprintf("%s take pods; a benchmark can have as many clients", humanize.Plural(ready, "node")), nil
}

// checkDriver returns the check of the CSI driver of a kind of target.
func checkDriver(driver string) func(context.Context, *cluster) (string, string, error) {
	return func(ctx context.Context, c *cluster) (string, string, error) {
		drivers, err := csiDrivers(ctx, c)
		if err != nil {
			return "", "", err
		}
		if !drivers[driver] {
			return checkWarning, storage.MissingDriver(driver, "") + ", if you want targets of " + storage.AddOnOf(driver).Field, nil
		}
		nodes, err := nodesWith(ctx, c, driver)
		if err == nil && nodes == 0 {
			return checkWarning, driver + " runs on no node: look at its pods in kube-system", nil
		}
		return checkOK, fmt.Sprintf("%s runs on %s", driver, humanize.Plural(nodes, "node")), err
	}
}

// nodesWith returns on how many nodes a CSI driver runs.
func nodesWith(ctx context.Context, c *cluster, driver string) (n int, err error) {
	var nodes storagev1.CSINodeList
	if err := c.List(ctx, &nodes); err != nil {
		return 0, err
	}
	for i := range nodes.Items {
		if slices.ContainsFunc(nodes.Items[i].Spec.Drivers, func(d storagev1.CSINodeDriver) bool { return d.Name == driver }) {
			n++
		}
	}
	return n, nil
}

func checkClasses(ctx context.Context, c *cluster) (string, string, error) {
	found, err := storageOf(ctx, c)
	if err != nil {
		return "", "", err
	}
	var broken []string
	for i := range found.StorageClasses {
		if class := &found.StorageClasses[i]; !class.Installed {
			broken = append(broken, class.Name+" ("+class.Driver+")")
		}
	}
	if len(broken) > 0 {
		return checkWarning, "no driver is installed for " + strings.Join(broken, ", "), nil
	}
	return checkOK, fmt.Sprintf("%d, all with a driver: %s lists them", len(found.StorageClasses), humanize.Plugin+" storage"), nil
}

// served reports whether the cluster has a kind of objects.
func served(c *cluster, kind schema.GroupKind) (bool, error) {
	_, err := c.RESTMapper().RESTMapping(kind)
	if err == nil {
		return true, nil
	}
	if _, incomplete := errors.AsType[*discovery.ErrGroupDiscoveryFailed](err); incomplete {
		return false, err
	}
	return false, nil
}

func checkSnapshots(_ context.Context, c *cluster) (string, string, error) {
	has, err := served(c, schema.GroupKind{Group: "snapshot.storage.k8s.io", Kind: "VolumeSnapshot"})
	if err != nil || has {
		return checkOK, "VolumeSnapshots can be restored with dataSource", err
	}
	return checkWarning, "the cluster has no VolumeSnapshots: for dataSource, install the snapshot controller (on EKS the add-on snapshot-controller)", nil
}

// checkEBSMetrics looks whether runs ask the EBS driver for its own counters.
func checkEBSMetrics(ctx context.Context, c *cluster) (string, string, error) {
	drivers, err := csiDrivers(ctx, c)
	if err != nil {
		return "", "", err
	}
	if !drivers[storage.EBSDriver] {
		return checkOK, "not needed without the EBS driver", nil
	}
	var found appsv1.DeploymentList
	if err := c.List(ctx, &found, client.MatchingLabels{"app.kubernetes.io/name": "storagebench"}); err != nil {
		return "", "", err
	}
	for i := range found.Items {
		for _, container := range found.Items[i].Spec.Template.Spec.Containers {
			if slices.ContainsFunc(container.Args, func(arg string) bool { return strings.HasPrefix(arg, "--ebs-metrics-url=") }) {
				return checkOK, "runs ask EBS for the seconds in which a limit was exceeded", nil
			}
		}
	}
	return checkWarning, "runs do not ask EBS whether a limit was exceeded: set runner.ebsMetricsURL in the chart, and node.enableMetrics in the driver's", nil
}

// checkPrometheus looks whether a Prometheus of the cluster selects the operator's ServiceMonitor by its labels.
func checkPrometheus(ctx context.Context, c *cluster) (string, string, error) {
	has, err := served(c, schema.GroupKind{Group: "monitoring.coreos.com", Kind: "ServiceMonitor"})
	if err != nil || !has {
		return checkOK, "no Prometheus operator: metrics can be scraped at the operator's Service", err
	}
	monitors, proms := unstructuredList("ServiceMonitorList"), unstructuredList("PrometheusList")
	if err := errors.Join(c.List(ctx, monitors, client.MatchingLabels{"app.kubernetes.io/name": "storagebench"}), c.List(ctx, proms)); err != nil {
		return "", "", err
	}
	if len(monitors.Items) == 0 {
		return checkWarning, "a Prometheus operator is there, and no ServiceMonitor: set metrics.serviceMonitor.enabled in the chart", nil
	}
	for i := range proms.Items {
		if selects(&proms.Items[i], monitors.Items[0].GetLabels()) {
			return checkOK, "Prometheus " + proms.Items[i].GetName() + " selects the operator's ServiceMonitor", nil
		}
	}
	return checkWarning, "no Prometheus selects the labels of ServiceMonitor " + monitors.Items[0].GetName() + ": set metrics.serviceMonitor.labels in the chart", nil
}

func unstructuredList(kind string) *unstructured.UnstructuredList {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(schema.GroupVersionKind{Group: "monitoring.coreos.com", Version: "v1", Kind: kind})
	return list
}

// selects reports whether a Prometheus selects ServiceMonitors with these labels. Without a selector it selects none.
func selects(prometheus *unstructured.Unstructured, has map[string]string) bool {
	text, found, err := unstructured.NestedMap(prometheus.Object, "spec", "serviceMonitorSelector")
	if err != nil || !found {
		return false
	}
	var selector metav1.LabelSelector
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(text, &selector); err != nil {
		return false
	}
	chosen, err := metav1.LabelSelectorAsSelector(&selector)
	return err == nil && chosen.Matches(labels.Set(has))
}
