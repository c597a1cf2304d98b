package cluster

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/storagebench/storagebench/test/localcluster/internal/state"
)

const applyLimit = 60 * time.Second

// addon is something that runs on the cluster, such as a CSI driver.
type addon struct {
	name string
	// build builds what the components need beyond programNames. It may be nil.
	build func(context.Context) error
	// prepare does what must be done between the manifest and the components. It may be nil.
	prepare func(context.Context) error
	// components in the order of their start. They may need the API.
	components func(*Cluster) []component
	// manifest is applied before the components start.
	manifest string
	// drivers that each node has when the addon is up.
	drivers []string
	// about tells users in a line what they need to know to use it, if anything.
	about string
}

func (c *Cluster) drivers() []string {
	var all []string
	for _, a := range c.addons {
		all = append(all, a.drivers...)
	}
	return all
}

// apply applies an addon's objects.
func (c *Cluster) apply(ctx context.Context, a addon) error {
	file := c.state.Path("manifests", a.name+".yaml")
	if err := state.WriteFile(file, []byte(a.manifest), 0o644); err != nil {
		return err
	}
	if err := c.kubectl(ctx, "apply", "--server-side", "--force-conflicts", "--field-manager=localcluster", "--filename="+file); err != nil {
		return fmt.Errorf("apply the objects of addon %s: %w", a.name, err)
	}
	return nil
}

// kubectl runs kubectl as the cluster's administrator.
func (c *Cluster) kubectl(ctx context.Context, args ...string) error {
	// Its cache of the API's shape would outlive the cluster elsewhere.
	global := []string{"--kubeconfig=" + c.state.Kubeconfig(), "--cache-dir=" + c.state.Path("kubectl-cache")}
	return run(ctx, applyLimit, c.programs["kubectl"], append(global, args...)...)
}

// run runs a program. What it says is in the error if it fails.
func run(ctx context.Context, limit time.Duration, program string, args ...string) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if out, err := exec.CommandContext(ctx, program, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w: %s", filepath.Base(program), strings.Join(args, " "), err, bytes.TrimSpace(out))
	}
	return nil
}
