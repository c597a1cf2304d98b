package cluster

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/storagebench/storagebench/hack/localcluster/internal/loopcsi"
	"github.com/storagebench/storagebench/hack/localcluster/internal/state"
)

const applyLimit = 60 * time.Second

// addon is something that runs on the cluster, such as a CSI driver.
type addon struct {
	name string
	// components in the order of their start. They may need the API.
	components func(*Cluster) ([]component, error)
	// manifest is applied before the components start.
	manifest string
	// drivers that each node has when the addon is up.
	drivers []string
}

//go:embed config/loop.yaml
var loopManifest string

// loopAddon gives volumes on loop devices.
var loopAddon = addon{
	name:       "loop",
	components: (*Cluster).loopComponents,
	manifest:   loopManifest,
	drivers:    []string{loopcsi.DriverName},
}

func (c *Cluster) drivers() []string {
	var all []string
	for _, a := range c.addons {
		all = append(all, a.drivers...)
	}
	return all
}

func (c *Cluster) volumesDir() string { return c.state.Path("volumes") }

func (c *Cluster) loopComponents() ([]component, error) {
	var all []component
	for _, n := range c.nodes {
		driver, err := n.loopDriver()
		if err != nil {
			return nil, err
		}
		all = append(all, driver)
	}
	provisioner, err := c.loopProvisioner()
	return append(all, provisioner), err
}

// LoopDriverCommand is the subcommand of this program that is the CSI driver.
const LoopDriverCommand = "csi-loop"

func (n *node) loopSocket() string { return n.path("csi-loop.sock") }

func (n *node) loopDriver() (component, error) {
	program, err := executable()
	return component{
		name: n.component(LoopDriverCommand),
		argv: []string{program, LoopDriverCommand,
			"--node=" + n.name,
			"--volumes=" + n.cluster.volumesDir(),
			"--socket=" + n.loopSocket(),
			"--registration-socket=" + n.path("kubelet", "plugins_registry", "loop.sock"),
			"--kubepods=" + filepath.Join(n.cgroup.Dir("blkio"), "kubepods"),
		},
		inputs: []string{program},
		ready:  driverReady(n.loopSocket()),
	}, err
}

func (c *Cluster) loopProvisioner() (component, error) {
	program, err := c.program("csi-provisioner")
	endpoint := address(loopbackIP, provisionerPort)
	return component{
		name: "csi-provisioner",
		argv: []string{program,
			"--kubeconfig=" + c.state.Kubeconfig(),
			"--csi-address=" + c.nodes[0].loopSocket(),
			"--http-endpoint=" + endpoint,
			"--feature-gates=Topology=false",
			"--default-fstype=ext4",
			"--extra-create-metadata",
			fmt.Sprintf("--kube-api-qps=%d", clientQPS),
			fmt.Sprintf("--kube-api-burst=%d", clientBurst),
			"--worker-threads=20",
			"--retry-interval-start=250ms",
			"--retry-interval-max=10s",
			"--timeout=30s",
			"--v=2",
		},
		// It would take that of the environment, which may be of another cluster, before that of its argument.
		env: []string{"KUBECONFIG=" + c.state.Kubeconfig()},
		// It ends when it loses the driver, so it is started anew with the driver.
		inputs:  []string{c.state.Kubeconfig(), c.state.Record(c.nodes[0].component(LoopDriverCommand))},
		listens: []string{endpoint},
		ready:   httpOK("http://" + endpoint + "/metrics"),
	}, err
}

// apply applies an addon's objects.
func (c *Cluster) apply(ctx context.Context, a addon) error {
	ctx, cancel := context.WithTimeout(ctx, applyLimit)
	defer cancel()
	kubectl, err := c.program("kubectl")
	if err != nil {
		return err
	}
	file := c.state.Path("manifests", a.name+".yaml")
	if err := state.WriteFile(file, []byte(a.manifest), 0o644); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, kubectl, "--kubeconfig="+c.state.Kubeconfig(),
		"apply", "--server-side", "--force-conflicts", "--field-manager=localcluster", "--filename="+file)
	// Its cache of the API's shape would outlive the cluster.
	cmd.Env = append(os.Environ(), "KUBECACHEDIR="+c.state.Path("kubectl-cache"))
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("apply the objects of addon %s: %w: %s", a.name, err, strings.TrimSpace(string(out)))
	}
	return nil
}
