package cluster

import (
	"fmt"

	external "github.com/storagebench/storagebench/hack/localcluster/internal/provisioner"
)

// ProvisionerCommand is the subcommand of this program that is an external-provisioner.
const ProvisionerCommand = "csi-provisioner"

// provisioner is an external-provisioner, which makes the volumes of one driver.
type provisioner struct {
	name string
	port int
	// driver is the component that it calls, at a socket.
	driver, socket string
	args           []string
}

func (c *Cluster) provisioner(p provisioner) (component, error) {
	program, err := executable()
	endpoint := address(loopbackIP, p.port)
	return component{
		name: p.name,
		argv: append([]string{program, ProvisionerCommand,
			"--kubeconfig=" + c.state.Kubeconfig(),
			"--csi-address=" + p.socket,
			"--http-endpoint=" + endpoint,
			fmt.Sprintf("--kube-api-qps=%d", clientQPS),
			fmt.Sprintf("--kube-api-burst=%d", clientBurst),
		}, p.args...),
		// It ends when it loses the driver, so it is started anew with the driver.
		inputs:  []string{program, c.state.Kubeconfig(), c.state.Record(p.driver)},
		listens: []string{endpoint},
		ready:   httpOK("http://" + endpoint + external.HealthPath),
	}, err
}
