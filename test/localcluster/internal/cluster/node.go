package cluster

import (
	_ "embed"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/storagebench/storagebench/test/localcluster/internal/host"
	"github.com/storagebench/storagebench/test/localcluster/internal/pki"
	"github.com/storagebench/storagebench/test/localcluster/internal/state"
)

// node is a kubelet with a container runtime and a pod network of its own. Nodes
// share the machine, and differ in everything that is named here.
type node struct {
	cluster *Cluster
	index   int
	name    string
	ip      string
	podCIDR string
	// bridge that the node's pods are plugged into.
	bridge string
	// network is the name of the pod network in CNI's notes.
	network string
	dir     string
	cgroup  host.Cgroup
}

func (c *Cluster) newNode(index int) *node {
	name := fmt.Sprintf("node-%d", index)
	return &node{
		cluster: c,
		index:   index,
		name:    name,
		ip:      fmt.Sprintf("10.88.0.%d", index),
		podCIDR: fmt.Sprintf("10.244.%d.0/24", index),
		bridge:  fmt.Sprintf("sb%d-%s", index, c.state.ID()),
		network: fmt.Sprintf("storagebench-%s-%d", c.state.ID(), index),
		dir:     c.state.Path(name),
		cgroup:  c.cgroup.Child(name),
	}
}

func (n *node) path(elem ...string) string {
	return filepath.Join(append([]string{n.dir}, elem...)...)
}

func (n *node) runtimeSocket() string { return n.path("containerd.sock") }

func (n *node) healthPort() int32 {
	return int32(kubeletHealthPort + nodeHealthPortShift*(n.index-1))
}

// component names a process of this node. The first node's have the plain names.
func (n *node) component(program string) string {
	if n.index == 1 {
		return program
	}
	return n.name + "-" + program
}

func (n *node) servingRequest() pki.Request {
	return pki.Request{
		Name:         n.name + "-serving",
		CommonName:   "system:node:" + n.name,
		Organization: []string{"system:nodes"},
		IPs:          []net.IP{net.ParseIP(n.ip)},
		DNSNames:     []string{n.name},
	}
}

func (n *node) clientRequest() pki.Request {
	return pki.Request{
		Name:         n.name,
		CommonName:   "system:node:" + n.name,
		Organization: []string{"system:nodes"},
	}
}

//go:embed config/containerd.toml
var containerdTemplate string

//go:embed config/cni.conflist
var cniTemplate string

// writeConfig writes the files that the node's processes read.
func (n *node) writeConfig() error {
	values := map[string]string{
		"Dir":     n.dir,
		"Socket":  n.runtimeSocket(),
		"Pause":   pauseImage,
		"Network": n.network,
		"Bridge":  n.bridge,
		"PodCIDR": n.podCIDR,
	}
	for path, text := range map[string]string{
		n.path("containerd.toml"):                 containerdTemplate,
		n.path("cni", "net.d", "10-pod.conflist"): cniTemplate,
	} {
		if err := render(path, text, values); err != nil {
			return err
		}
	}
	return writeYAML(n.path("kubelet.yaml"), n.kubeletConfig())
}

func render(path, text string, values map[string]string) error {
	parsed, err := template.New(filepath.Base(path)).Option("missingkey=error").Parse(text)
	if err != nil {
		return err
	}
	var out strings.Builder
	if err := parsed.Execute(&out, values); err != nil {
		return err
	}
	return state.WriteFile(path, []byte(out.String()), 0o644)
}

func (n *node) containerd() component {
	config := n.path("containerd.toml")
	return component{
		name:   n.component("containerd"),
		argv:   []string{"containerd", "--config", config},
		cgroup: n.cgroup,
		inputs: []string{config, n.path("cni", "net.d", "10-pod.conflist")},
		ready:  n.runtimeReady,
	}
}

// nodeLabels are those of a node of EKS, of the instance type whose limits are known to
// go with the stand-ins for AWS' storage.
const nodeLabels = "node.kubernetes.io/instance-type=m6i.large,topology.kubernetes.io/zone=" + zone

// zone is the one that all nodes are in.
const zone = "local-a"

func (n *node) kubelet() component {
	config, kubeconfig := n.path("kubelet.yaml"), n.cluster.kubeconfigOf(n.name)
	return component{
		name: n.component("kubelet"),
		argv: []string{n.cluster.programs["kubelet"],
			"--config=" + config,
			"--kubeconfig=" + kubeconfig,
			"--hostname-override=" + n.name,
			"--node-ip=" + n.ip,
			"--root-dir=" + n.path("kubelet"),
			"--cert-dir=" + n.path("kubelet", "pki"),
			"--node-labels=" + nodeLabels,
			"--v=1",
		},
		cgroup:  n.cgroup,
		inputs:  []string{config, kubeconfig, n.cluster.state.PKI(n.servingRequest().Name + ".crt")},
		listens: []string{address(n.ip, kubeletPort), address(loopbackIP, int(n.healthPort()))},
		ready:   httpOK("http://" + address(loopbackIP, int(n.healthPort())) + "/healthz"),
	}
}
