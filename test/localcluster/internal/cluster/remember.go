package cluster

import (
	"fmt"

	"github.com/storagebench/storagebench/test/localcluster/internal/state"
)

// Options is what a cluster has beyond what every one has. It is remembered until the
// cluster is taken down.
type Options struct {
	// S3 gives S3 volumes.
	S3 bool `json:"s3"`
	// Nodes is how many there are, from 1 to maxNodes. All share the machine.
	Nodes int `json:"nodes"`
}

// maxNodes keeps the nodes' names as short as the paths of their sockets need it.
const maxNodes = 9

func (c *Cluster) optionsPath() string { return c.state.Path("options.json") }

// remembered returns the options of the last Up.
func (c *Cluster) remembered() (Options, error) {
	o := Options{Nodes: 1}
	err := state.ReadJSONIfThere(c.optionsPath(), &o)
	return o, err
}

// enable adds what the options ask for and is not there yet. Nothing is taken away.
func (c *Cluster) enable(o Options) error {
	if o.Nodes < 1 || o.Nodes > maxNodes {
		return fmt.Errorf("nodes is %d: give a number from 1 to %d", o.Nodes, maxNodes)
	}
	for index := len(c.nodes) + 1; index <= o.Nodes; index++ {
		c.nodes = append(c.nodes, c.newNode(index))
	}
	c.options.Nodes = len(c.nodes)
	if !o.S3 || c.options.S3 {
		return nil
	}
	s3, err := c.newS3Addon()
	if err != nil {
		return err
	}
	c.addons = append(c.addons, s3)
	c.options.S3 = true
	return nil
}

func (c *Cluster) remember() error { return state.WriteJSON(c.optionsPath(), c.options, 0o644) }
