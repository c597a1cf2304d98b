// Command manager is the operator: it drives StorageBenchmarks from their spec to their results, and makes them as StorageBenchmarkSchedules say.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"net/url"
	"os"
	"runtime/debug"
	"time"
	_ "time/tzdata" // the image has no time zones

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/kubernetes"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers"
	"github.com/storagebench/storagebench/controllers/crd"
	"github.com/storagebench/storagebench/controllers/failing"
	"github.com/storagebench/storagebench/controllers/resultmetrics"
	"github.com/storagebench/storagebench/controllers/schedule"
	"github.com/storagebench/storagebench/controllers/servertime"
	"github.com/storagebench/storagebench/controllers/watches"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/internal/job"
)

// version is set by the linker: -ldflags "-X main.version=...".
var version = "dev"

type options struct {
	leaderElect    bool
	election       election
	watched        namespaceList
	excluded       namespaceList
	probeAddress   string
	metricsAddress string
	image          string
	pullPolicy     string
	ebsMetricsURL  string
	resultLimit    int
	// watches compares the caches with the cluster.
	watches *watches.Check
	// clock is the API server's time.
	clock *servertime.Clock
	// caches hold what the operator reads again and again.
	caches *world.Caches
}

func main() {
	o := options{watches: &watches.Check{Clock: clock.RealClock{}}}
	flag.BoolVar(&o.leaderElect, "leader-elect", false, "whether to work only while being the leader of all replicas")
	o.election.bind(flag.CommandLine)
	flag.Var(&o.watched, "watch-namespaces", "namespaces whose StorageBenchmarks to run, with commas between them, where the operator has Roles and no rights elsewhere; empty for the whole cluster")
	flag.Var(&o.excluded, "exclude-namespaces", "namespaces, with commas between them, whose StorageBenchmarks are another operator's")
	flag.StringVar(&o.probeAddress, "health-probe-bind-address", ":8081", "address of the health and readiness probes")
	flag.StringVar(&o.metricsAddress, "metrics-bind-address", "0", "address of the metrics; 0 for none")
	flag.StringVar(&o.image, "runner-image", "", "image of the pods that run fio")
	flag.StringVar(&o.pullPolicy, "runner-image-pull-policy", string(corev1.PullIfNotPresent), "when to pull the runner image: Always, IfNotPresent or Never")
	flag.StringVar(&o.ebsMetricsURL, "ebs-metrics-url", "", "where pods that run fio on EBS volumes ask how long these exceeded their limits: the metrics of aws-ebs-csi-driver on their node, such as http://ebs-csi-node.kube-system.svc:3302/metrics; empty: they ask nobody")
	flag.IntVar(&o.resultLimit, "result-metrics-limit", resultmetrics.DefaultLimit, "how many series the metrics of schedules and of results may have; 0 for none")
	logging := zap.Options{}
	logging.BindFlags(flag.CommandLine)
	flag.Parse()
	ctrl.SetLogger(zap.New(zap.UseFlagOptions(&logging)))
	o.caches = world.NewCaches(spareMemory() / cachedPart)
	ctrl.Log.Info("Starting manager", "version", version, "watched", o.watched.String(), "excluded", o.excluded.String())
	if err := run(&o); err != nil {
		ctrl.Log.Error(err, "Manager ended")
		os.Exit(1)
	}
}

// cachedPart is which part of the memory the caches may take with what others write, an eighth. Garbage may take as much
// again, and passes work on copies.
const cachedPart = 8

// spareMemory has Go stay below what GOMEMLIMIT says, which is the limit of the operator's container: Go does not count all that is held to that, such as
// the pages of the program itself. It returns that limit, or the chart's where there is none.
func spareMemory() int64 {
	const sparePart, usual = 10, 256 << 20
	limit := debug.SetMemoryLimit(-1)
	if limit == math.MaxInt64 {
		return usual
	}
	debug.SetMemoryLimit(limit - limit/sparePart)
	return limit
}

func run(o *options) error {
	if o.image == "" {
		return errors.New("--runner-image is required: the image of the pods that run fio")
	}
	if err := errors.Join(o.checkNamespaces(), o.election.check(), o.checkEBSMetrics()); err != nil {
		return err
	}
	config, err := ctrl.GetConfig()
	if err != nil {
		return fmt.Errorf("find the cluster: %w", err)
	}
	o.clock = servertime.New(tellOffset)
	config.Wrap(o.clock.Wrap)
	undecodable := world.LeaveOutUndecodable(config)
	world.SlimAnswers(config)
	mgr, err := o.newManager(config)
	if err != nil {
		return err
	}
	undecodable.Events = mgr.GetEventRecorder("storagebench")
	if err := o.addControllers(mgr, undecodable.Events); err != nil {
		return err
	}
	return mgr.Start(ctrl.SetupSignalHandler())
}

// checkEBSMetrics refuses an address that nobody could ask, and one with a password: whoever sees a benchmark's pods sees it.
func (o *options) checkEBSMetrics() error {
	if o.ebsMetricsURL == "" {
		return nil
	}
	if u, err := url.Parse(o.ebsMetricsURL); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return fmt.Errorf("--ebs-metrics-url is %q: give an address without user and password, such as http://ebs-csi-node.kube-system.svc:3302/metrics, or nothing", o.ebsMetricsURL)
	}
	return nil
}

// tellOffset tells that the clock of the operator's node is off.
func tellOffset(offset time.Duration) {
	ctrl.Log.Info("The clock of the operator's node differs from the API server's. Deadlines count by the API server's, and schedules start by "+
		"the node's: check the node's time synchronization", "ahead", offset.Round(time.Second).String())
}

// newManager returns a manager with the probes and nothing to do.
func (o *options) newManager(config *rest.Config) (ctrl.Manager, error) {
	scheme := runtime.NewScheme()
	utilruntime.Must(clientgoscheme.AddToScheme(scheme))
	utilruntime.Must(v1alpha1.AddToScheme(scheme))
	var lock resourcelock.Interface
	var err error
	if o.leaderElect {
		if lock, err = o.election.lock(config, scheme); err != nil {
			return nil, fmt.Errorf("make the lease: %w", err)
		}
	}
	mgr, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:                              scheme,
		Cache:                               o.cacheOptions(),
		LeaderElection:                      o.leaderElect,
		LeaderElectionID:                    leaseName,
		LeaderElectionResourceLockInterface: lock,
		LeaderElectionReleaseOnCancel:       true,
		LeaseDuration:                       &o.election.lease,
		RenewDeadline:                       &o.election.renew,
		RetryPeriod:                         &o.election.retry,
		HealthProbeBindAddress:              o.probeAddress,
		Metrics:                             metricsserver.Options{BindAddress: o.metricsAddress},
	})
	if err != nil {
		return nil, fmt.Errorf("make the manager: %w", err)
	}
	if err := errors.Join(
		mgr.AddHealthzCheck("ping", healthz.Ping), mgr.AddHealthzCheck("watches", o.watches.Live), mgr.AddReadyzCheck("ping", healthz.Ping),
		mgr.Add(o.watches),
	); err != nil {
		return nil, fmt.Errorf("add the probes: %w", err)
	}
	return mgr, nil
}

// addControllers has the manager drive benchmarks, count them, and remove what is left of those that are gone.
func (o *options) addControllers(mgr ctrl.Manager, recorder events.EventRecorder) error {
	clientset, err := kubernetes.NewForConfigAndClient(mgr.GetConfig(), mgr.GetHTTPClient())
	if err != nil {
		return fmt.Errorf("make a client for logs: %w", err)
	}
	counts := controllers.NewMetrics(metrics.Registry)
	results := &resultmetrics.Store{Limit: o.resultLimit}
	failures := &failing.Objects{}
	metrics.Registry.MustRegister(controllers.NewActiveBenchmarks(mgr.GetCache()), results, failures, o.clock)
	reconciler := &controllers.Reconciler{
		Client:     mgr.GetClient(),
		Live:       mgr.GetAPIReader(),
		Caches:     o.caches,
		Logs:       world.PodLogs(clientset),
		Events:     recorder,
		Metrics:    counts,
		Failing:    failures,
		Results:    results,
		Clock:      o.clock,
		Image:      job.Image{Name: o.image, PullPolicy: corev1.PullPolicy(o.pullPolicy)},
		Namespaces: o.watched,

		EBSMetricsURL: o.ebsMetricsURL,
	}
	if err := reconciler.SetupWithManager(mgr); err != nil {
		return fmt.Errorf("set up the controller: %w", err)
	}
	sweeper := &controllers.OrphanCollector{Client: mgr.GetClient(), Live: mgr.GetAPIReader(), Clock: o.clock, Metrics: counts, Namespaces: o.watched, Excluded: o.excluded}
	if err := mgr.Add(sweeper); err != nil {
		return fmt.Errorf("add the sweep of orphaned objects: %w", err)
	}
	return errors.Join(addSchemaCheck(mgr, clientset), o.addSchedules(mgr, recorder, results, failures))
}

// addSchemaCheck keeps the manager from being ready while the CustomResourceDefinitions lack fields that it writes.
func addSchemaCheck(mgr ctrl.Manager, clientset kubernetes.Interface) error {
	check := &crd.Check{OpenAPI: clientset.Discovery().OpenAPIV3()}
	if err := errors.Join(mgr.AddReadyzCheck("customresourcedefinitions", check.Ready), mgr.Add(check)); err != nil {
		return fmt.Errorf("add the check of CustomResourceDefinitions: %w", err)
	}
	return nil
}

// addSchedules has the manager make benchmarks as schedules say, where there can be schedules.
func (o *options) addSchedules(
	mgr ctrl.Manager, recorder events.EventRecorder, results *resultmetrics.Store, failures *failing.Objects,
) error {
	if err := schedule.Index(context.Background(), mgr); err != nil {
		return fmt.Errorf("index StorageBenchmarks: %w", err)
	}
	starter := &schedule.Starter{Manager: mgr, Reconciler: &schedule.Reconciler{
		Client: mgr.GetClient(), Live: mgr.GetAPIReader(), Events: recorder, Failing: failures, Results: results,
		Clock: clock.RealClock{}, Version: version, Namespaces: o.watched,
	}}
	if err := mgr.Add(starter); err != nil {
		return fmt.Errorf("add schedules: %w", err)
	}
	return nil
}
