package cluster

import "fmt"

// provisioner is an external-provisioner, which makes the volumes of one driver.
type provisioner struct {
	name string
	port int
	// driver is the component that it calls, at a socket.
	driver, socket string
	args           []string
}

func (c *Cluster) provisioner(p provisioner) (component, error) {
	program, err := c.program("csi-provisioner")
	endpoint := address(loopbackIP, p.port)
	return component{
		name: p.name,
		argv: append([]string{program,
			"--kubeconfig=" + c.state.Kubeconfig(),
			"--csi-address=" + p.socket,
			"--http-endpoint=" + endpoint,
			"--feature-gates=Topology=false",
			"--extra-create-metadata",
			fmt.Sprintf("--kube-api-qps=%d", clientQPS),
			fmt.Sprintf("--kube-api-burst=%d", clientBurst),
			"--worker-threads=20",
			"--retry-interval-start=250ms",
			"--retry-interval-max=10s",
			"--timeout=30s",
			"--v=2",
		}, p.args...),
		// It would take that of the environment, which may be of another cluster, before that of its argument.
		env: []string{"KUBECONFIG=" + c.state.Kubeconfig()},
		// It ends when it loses the driver, so it is started anew with the driver.
		inputs:  []string{c.state.Kubeconfig(), c.state.Record(p.driver)},
		listens: []string{endpoint},
		ready:   httpOK("http://" + endpoint + "/metrics"),
	}, err
}
