package cluster

import "context"

// Binaries builds programs and returns the directory they are in.
func (c *Cluster) Binaries(ctx context.Context, names ...string) (string, error) {
	dir, err := c.binaries.Dir(names...)
	if err != nil {
		return "", err
	}
	return dir, c.binaries.Build(ctx, names...)
}
