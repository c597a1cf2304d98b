package csidriver

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"testing"
	"time"
)

const testLimit = 10 * time.Second

func await(t *testing.T, served <-chan Node, want string) {
	t.Helper()
	select {
	case node := <-served:
		if node.Name != want {
			t.Errorf("serves %s, want %s", node.Name, want)
		}
	case <-time.After(testLimit):
		t.Fatalf("%s is not served", want)
	}
}

func TestFollowNodesServesWhatIsAddedBesideTheRest(t *testing.T) {
	file := filepath.Join(t.TempDir(), "nodes.json")
	write := func(names ...string) {
		t.Helper()
		var nodes []Node
		for _, name := range names {
			nodes = append(nodes, Node{Name: name})
		}
		if err := WriteNodes(file, nodes); err != nil {
			t.Fatal(err)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	served, ended := make(chan Node, 1), make(chan error, 1)
	serve := func(ctx context.Context, node Node) error {
		select {
		case served <- node:
			<-ctx.Done()
			return nil
		default:
			return errors.New("told of too many nodes")
		}
	}
	write("node-1")
	go func() { ended <- FollowNodes(ctx, file, serve) }()
	await(t, served, "node-1")
	write("node-1", "node-2")
	// The next one is node-2 only if node-1 is not begun anew.
	await(t, served, "node-2")
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestFollowNodesEndsWithTheFirstFailure(t *testing.T) {
	dir := t.TempDir()
	if err := FollowNodes(t.Context(), filepath.Join(dir, "none"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a list: %v", err)
	}
	file := filepath.Join(dir, "nodes.json")
	if err := WriteNodes(file, []Node{{Name: "node-1"}}); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("no socket")
	if err := FollowNodes(t.Context(), file, func(context.Context, Node) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("got %v, want %v", err, broken)
	}
}

func TestSocketsDifferByNodeAndDriver(t *testing.T) {
	node := Node{Name: "node-2", Dir: "/state/node-2"}
	want := Sockets{CSI: "/state/node-2/csi-efs.sock", Registration: "/state/node-2/kubelet/plugins_registry/efs.sock"}
	if got := node.Sockets("efs"); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
