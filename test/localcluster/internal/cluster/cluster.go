// Package cluster runs a Kubernetes cluster of host processes on this machine.
package cluster

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/storagebench/storagebench/test/localcluster/internal/binaries"
	"github.com/storagebench/storagebench/test/localcluster/internal/host"
	"github.com/storagebench/storagebench/test/localcluster/internal/s3programs"
	"github.com/storagebench/storagebench/test/localcluster/internal/state"
)

// Cluster is the local cluster of one checkout.
type Cluster struct {
	root     string
	state    state.Dir
	binaries *binaries.Set
	// programs are the paths of programNames.
	programs map[string]string
	// executable is this program, which also is the CSI drivers.
	executable string
	progress   *progress
	// cgroup holds everything: each node's pods and processes in the node's name, the
	// other processes in that of sharedCgroup.
	cgroup host.Cgroup
	nodes  []*node
	addons []addon
	// options that are in force, of this or an earlier Up.
	options Options
	// machinePath is the file that tells which cluster the machine has.
	machinePath string
}

// Open returns the cluster of the checkout that has this program in .cluster/bin, whether it runs or not.
func Open(out io.Writer) (*Cluster, error) {
	executable, err := os.Executable()
	if err != nil {
		return nil, err
	}
	root := filepath.Join(filepath.Dir(executable), "..", "..")
	return open(root, state.In(root), out)
}

// open returns the cluster in a state directory, with the programs of the checkout at root.
func open(root string, dir state.Dir, out io.Writer) (*Cluster, error) {
	c, err := describe(root, dir, out)
	if err != nil {
		return nil, err
	}
	options, err := c.remembered()
	if err != nil {
		return nil, err
	}
	return c, c.enable(options)
}

// describe returns a cluster that has no nodes yet.
func describe(root string, dir state.Dir, out io.Writer) (*Cluster, error) {
	c := &Cluster{
		root: root, state: dir, programs: map[string]string{}, progress: newProgress(out),
		cgroup: host.NewCgroup("storagebench-" + dir.ID()), machinePath: machinePath,
	}
	c.addons = c.csiAddons()
	var err error
	if c.executable, err = os.Executable(); err != nil {
		return nil, err
	}
	if c.binaries, err = binaries.Open(root, c.progress.printf); err != nil {
		return nil, err
	}
	for _, name := range programNames {
		if c.programs[name], err = c.binaries.Path(name); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (c *Cluster) sharedCgroup() host.Cgroup { return c.cgroup.Child("host") }

// BuildS3 builds the programs of S3 volumes, which Up does if they are missing.
func (c *Cluster) BuildS3(ctx context.Context) error {
	programs, err := s3programs.Open(c.root, c.progress.printf)
	if err != nil {
		return err
	}
	return programs.Build(ctx)
}

// Binaries builds programs and returns the directories they are in.
func (c *Cluster) Binaries(ctx context.Context, names ...string) ([]string, error) {
	dirs, err := c.binaries.Dirs(names...)
	if err != nil {
		return nil, err
	}
	return dirs, c.binaries.Build(ctx, names...)
}

// progress prints lines with the time since the start.
type progress struct {
	*log.Logger
	started time.Time
}

func newProgress(out io.Writer) *progress { return &progress{log.New(out, "", 0), time.Now()} }

func (p *progress) printf(format string, args ...any) {
	p.Printf("%6.1fs  %s", time.Since(p.started).Seconds(), fmt.Sprintf(format, args...))
}

// Addresses of the cluster. They exist on lo and the cluster's bridges only.
const (
	podCIDR     = "10.244.0.0/16"
	serviceCIDR = "10.96.0.0/16"
	// kubernetesIP is the first address of serviceCIDR, the service of the API.
	kubernetesIP = "10.96.0.1"
	apiPort      = 6443

	loopbackIP          = "127.0.0.1"
	etcdClientPort      = 12379
	etcdPeerPort        = 12380
	controllerPort      = 10257
	schedulerPort       = 10259
	proxyHealthPort     = 10256
	proxyMetricsPort    = 10249
	provisionerPort     = 10290
	ebsProvisionerPort  = 10291
	efsProvisionerPort  = 10292
	ebsAttacherPort     = 10293
	ebsMetricsPort      = 3302 // as that of the real driver's node plugin
	s3Port              = 10380
	s3ControllerPort    = 10381
	kubeletPort         = 10250
	kubeletHealthPort   = 10248
	nodeHealthPortShift = 100
)

// apiIP is the first node's: clients inside pods reach the API there, and it must
// not be in 127.0.0.0/8, which is a different machine in every pod.
func (c *Cluster) apiIP() string { return c.nodes[0].ip }

func (c *Cluster) apiURL() string { return "https://" + address(c.apiIP(), apiPort) }

func address(ip string, port int) string { return net.JoinHostPort(ip, fmt.Sprint(port)) }
