package cluster

import (
	"io"
	"net"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storagebench/storagebench/test/localcluster/internal/process"
	"github.com/storagebench/storagebench/test/localcluster/internal/state"
)

// checkoutRoot is where the tool modules are, which name the programs.
const checkoutRoot = "../../../.."

// newCluster returns one that is never started, in a directory of the test's.
func newCluster(t *testing.T, dir string) *Cluster {
	t.Helper()
	c, err := describe(checkoutRoot, state.In(dir), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func enable(t *testing.T, c *Cluster, o Options) {
	t.Helper()
	if err := c.enable(o); err != nil {
		t.Fatal(err)
	}
}

func TestNodesAreRememberedAndNotTakenAway(t *testing.T) {
	dir := t.TempDir()
	for _, test := range []struct{ ask, want int }{{1, 1}, {2, 2}, {1, 2}, {3, 3}, {2, 3}} {
		c := newCluster(t, dir)
		before, err := c.remembered()
		if err != nil {
			t.Fatal(err)
		}
		enable(t, c, before)
		enable(t, c, Options{Nodes: test.ask})
		if err := c.remember(); err != nil {
			t.Fatal(err)
		}
		if len(c.nodes) != test.want || c.options.Nodes != test.want {
			t.Errorf("asked for %d: %d nodes, and %d in the options, want %d", test.ask, len(c.nodes), c.options.Nodes, test.want)
		}
	}
}

func TestRememberedOptionsOfOneNode(t *testing.T) {
	c := newCluster(t, t.TempDir())
	// As it was written before there could be several nodes.
	if err := state.WriteFile(c.optionsPath(), []byte(`{"s3": false}`), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := c.remembered()
	if diff := cmp.Diff(Options{Nodes: 1}, got); err != nil || diff != "" {
		t.Errorf("%v, -want +got:\n%s", err, diff)
	}
}

func TestNumberOfNodesIsBounded(t *testing.T) {
	for _, nodes := range []int{-1, 0, maxNodes + 1} {
		c := newCluster(t, t.TempDir())
		if err := c.enable(Options{Nodes: nodes}); err == nil || !strings.Contains(err.Error(), "from 1 to 9") {
			t.Errorf("%d nodes: got %v", nodes, err)
		}
	}
}

func TestNodesShareNoNameAndNoAddress(t *testing.T) {
	c := newCluster(t, t.TempDir())
	enable(t, c, Options{Nodes: maxNodes})
	taken := map[string]string{}
	take := func(what, who string) {
		t.Helper()
		if other, twice := taken[what]; twice {
			t.Errorf("%s is of %s and of %s", what, other, who)
		}
		taken[what] = who
	}
	for _, comp := range c.components() {
		take(comp.name, comp.name)
		for _, listens := range comp.listens {
			take(listens, comp.name)
		}
	}
	take(address(c.nodes[0].ip, s3Port), "s3-server")
	take(address(loopbackIP, s3ControllerPort), "s3-csi-controller")
	const longestLink = 15
	for _, n := range c.nodes {
		for _, own := range []string{n.bridge, n.network, n.dir, n.podCIDR, n.cgroup.Path(), n.servingRequest().Name, n.sockets("efs").CSI} {
			take(own, n.name)
		}
		if len(n.bridge) > longestLink {
			t.Errorf("the kernel cuts the name of bridge %s", n.bridge)
		}
		if _, pods, err := net.ParseCIDR(n.podCIDR); err != nil || pods.Contains(net.ParseIP(c.apiIP())) {
			t.Errorf("pods of %s: %s, %v", n.name, n.podCIDR, err)
		}
	}
}

// Were the EFS driver started anew, pods on other nodes would lose their file systems.
func TestNewNodeRestartsNothing(t *testing.T) {
	dir := t.TempDir()
	one, two := fingerprints(t, dir, 1), fingerprints(t, dir, 2)
	for name, before := range one {
		if two[name] != before {
			t.Errorf("%s is started anew for a second node", name)
		}
	}
	if len(two) <= len(one) {
		t.Errorf("%d components for one node, %d for two", len(one), len(two))
	}
}

// fingerprints returns those of all components of a cluster with so many nodes.
func fingerprints(t *testing.T, dir string, nodes int) map[string]string {
	t.Helper()
	c := newCluster(t, dir)
	enable(t, c, Options{Nodes: nodes})
	if err := c.configure(t.Context()); err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, comp := range c.components() {
		// As if it ran: the provisioners depend on that of their driver.
		if err := state.WriteJSON(c.state.Record(comp.name), process.Record{}, 0o600); err != nil {
			t.Fatal(err)
		}
		fingerprint, err := comp.fingerprint()
		if err != nil {
			t.Fatal(err)
		}
		found[comp.name] = fingerprint
	}
	return found
}
