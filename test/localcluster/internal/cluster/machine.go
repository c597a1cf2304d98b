package cluster

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/storagebench/storagebench/test/localcluster/internal/state"
)

// machinePath tells which cluster this machine has. Addresses, links and nft tables are the machine's, so there is one at
// most. A restart of the machine removes the file with them.
const machinePath = "/run/storagebench-cluster.json"

// machine is what machinePath holds.
type machine struct {
	// State is the state directory of the cluster, which is in its checkout.
	State state.Dir `json:"state"`
}

// takeMachine makes this cluster the machine's. Another cluster that runs is an error. One whose processes were all killed is
// taken down first: what it left would be in the way of this one.
func (c *Cluster) takeMachine(ctx context.Context) error {
	var holder machine
	if err := state.ReadJSONIfThere(c.machinePath, &holder); err != nil {
		return err
	}
	if holder.State != "" && holder.State != c.state {
		if err := c.replace(ctx, holder.State); err != nil {
			return fmt.Errorf("the cluster in %s: %w", holder.State, err)
		}
	}
	return state.WriteJSON(c.machinePath, machine{State: c.state}, 0o644)
}

// replace takes down another cluster, unless it runs. It does so with this checkout's programs: the other checkout may be half
// deleted.
func (c *Cluster) replace(ctx context.Context, dir state.Dir) error {
	if _, err := os.Stat(string(dir)); errors.Is(err, fs.ErrNotExist) {
		return nil // deleted, and with it what is known of its changes
	}
	other, err := open(c.root, dir, c.progress.Writer())
	if err != nil {
		return err
	}
	running, err := other.running(ctx)
	if err != nil {
		return err
	}
	if running != "" {
		return fmt.Errorf("its %s runs, and a machine has room for one cluster: end it there with `make cluster-down`", running)
	}
	c.progress.printf("The cluster in %s was killed: it is taken down first", dir)
	return other.Down(ctx)
}

// running names a component that runs, if one does. It waits for a start that is under way.
func (c *Cluster) running(ctx context.Context) (string, error) {
	unlock, err := c.prepare(ctx)
	if err != nil {
		return "", err
	}
	defer unlock()
	names, err := c.recorded()
	if err != nil {
		return "", err
	}
	for _, name := range names {
		record, err := c.record(name)
		if err != nil {
			return "", err
		}
		if record.Alive() {
			return name, nil
		}
	}
	return "", nil
}

// leaveMachine forgets that the machine has this cluster.
func (c *Cluster) leaveMachine() error {
	var holder machine
	err := state.ReadJSONIfThere(c.machinePath, &holder)
	if err == nil && holder.State != c.state {
		return nil
	}
	return errors.Join(err, os.Remove(c.machinePath))
}
