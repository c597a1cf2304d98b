package cluster

import (
	"errors"
	"io/fs"

	"github.com/storagebench/storagebench/hack/localcluster/internal/state"
)

// Options is what a cluster has beyond what every one has. It is remembered until the
// cluster is taken down.
type Options struct {
	// S3 gives S3 volumes.
	S3 bool `json:"s3"`
}

func (c *Cluster) optionsPath() string { return c.state.Path("options.json") }

// remembered returns the options of the last Up.
func (c *Cluster) remembered() (Options, error) {
	var o Options
	err := state.ReadJSON(c.optionsPath(), &o)
	if errors.Is(err, fs.ErrNotExist) {
		return o, nil
	}
	return o, err
}

// enable adds what the options ask for to the addons.
func (c *Cluster) enable(o Options) error {
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
