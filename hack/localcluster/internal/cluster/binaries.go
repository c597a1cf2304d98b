package cluster

import "context"

// Binaries builds programs and returns the directories they are in.
func (c *Cluster) Binaries(ctx context.Context, names ...string) ([]string, error) {
	dirs, err := c.binaries.Dirs(names...)
	if err != nil {
		return nil, err
	}
	return dirs, c.binaries.Build(ctx, names...)
}
