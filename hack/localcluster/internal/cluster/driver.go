package cluster

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/storagebench/storagebench/hack/localcluster/internal/csiserve"
)

// served is the node as drivers know it.
func (n *node) served() csiserve.Node {
	return csiserve.Node{Name: n.name, Dir: n.dir, Kubepods: filepath.Join(n.cgroup.Dir("blkio"), "kubepods")}
}

func (n *node) sockets(driver string) csiserve.Sockets { return n.served().Sockets(driver) }

func (c *Cluster) nodesPath() string { return c.state.Path("nodes.json") }

// writeNodes writes the list of nodes that the drivers follow.
func (c *Cluster) writeNodes() error {
	var nodes []csiserve.Node
	for _, n := range c.nodes {
		nodes = append(nodes, n.served())
	}
	return csiserve.WriteNodes(c.nodesPath(), nodes)
}

// localDriver is a CSI driver that is a subcommand of this program, with its
// provisioner. There is one of each for all nodes: what the nodes share, such as the
// limits of a file system, is in one process then.
func (c *Cluster) localDriver(command, socketName string, args []string, p provisioner) ([]component, error) {
	program, err := executable()
	if err != nil {
		return nil, err
	}
	driver := component{
		name: command,
		argv: append([]string{program, command, "--nodes=" + c.nodesPath()}, args...),
		// Not the list of nodes, which the driver follows.
		inputs: []string{program},
		ready: func(ctx context.Context) error {
			for _, n := range c.nodes {
				if err := driverReady(n.sockets(socketName).CSI)(ctx); err != nil {
					return fmt.Errorf("%s: %w", n.name, err)
				}
			}
			return nil
		},
	}
	// Any node's socket serves for the volumes of all.
	p.driver, p.socket = command, c.nodes[0].sockets(socketName).CSI
	provisioner, err := c.provisioner(p)
	return []component{driver, provisioner}, err
}
