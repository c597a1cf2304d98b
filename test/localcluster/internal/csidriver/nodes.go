package csidriver

import (
	"context"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/storagebench/storagebench/test/localcluster/internal/state"
)

// nodesInterval is how late a driver may be to learn of a new node.
const nodesInterval = 200 * time.Millisecond

// Node is a node that drivers serve.
type Node struct {
	Name string `json:"name"`
	// Zone is the zone of the cloud that it is in.
	Zone string `json:"zone"`
	// Dir is the node's own directory, with that of its kubelet below.
	Dir string `json:"dir"`
}

// Sockets returns those of a driver on the node.
func (n Node) Sockets(driver string) Sockets {
	return Sockets{
		CSI:          filepath.Join(n.Dir, "csi-"+driver+".sock"),
		Registration: filepath.Join(n.Dir, "kubelet", "plugins_registry", driver+".sock"),
	}
}

// WriteNodes writes the list of nodes that FollowNodes reads.
func WriteNodes(file string, nodes []Node) error { return state.WriteJSON(file, nodes, 0o644) }

// FollowNodes serves each node of a list, and each that is added to it meanwhile, until
// the context ends or one of them cannot be served. A driver that had to be started anew
// for a new node would end the file systems that it serves to others.
func FollowNodes(ctx context.Context, file string, serve func(context.Context, Node) error) error {
	group, ctx := errgroup.WithContext(ctx)
	served := map[string]bool{}
	group.Go(func() error {
		err := wait.PollUntilContextCancel(ctx, nodesInterval, true, func(context.Context) (bool, error) {
			var nodes []Node
			if err := state.ReadJSON(file, &nodes); err != nil {
				return false, err
			}
			for _, node := range nodes {
				if !served[node.Name] {
					served[node.Name] = true
					group.Go(func() error { return serve(ctx, node) })
				}
			}
			return false, nil
		})
		if wait.Interrupted(err) {
			return nil
		}
		return err
	})
	return group.Wait()
}
