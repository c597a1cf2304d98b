package cluster

import (
	"fmt"
	"net"

	"github.com/storagebench/storagebench/test/localcluster/internal/pki"
)

// API clients of a local cluster are few and wait for each other: the usual limits
// of client-go only make them slow.
const (
	clientQPS   = 200
	clientBurst = 400
)

// credentials makes the certificates and kubeconfigs of the control plane.
func (c *Cluster) credentials() error {
	authority, err := pki.Open(c.state.Path("pki"))
	if err != nil {
		return err
	}
	servers := []pki.Request{{
		Name:       "kube-apiserver",
		CommonName: "kube-apiserver",
		IPs:        []net.IP{net.ParseIP(loopbackIP), net.ParseIP(c.apiIP()), net.ParseIP(kubernetesIP)},
		DNSNames:   []string{"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local"},
	}, {
		Name:         "kubelet-client",
		CommonName:   "kube-apiserver-kubelet-client",
		Organization: []string{"system:masters"},
	}}
	for _, n := range c.nodes {
		servers = append(servers, n.servingRequest())
	}
	for _, request := range servers {
		if _, _, err := authority.Certificate(request); err != nil {
			return err
		}
	}
	if _, err := authority.SigningKey("service-account"); err != nil {
		return err
	}
	return c.kubeconfigs(authority)
}

func (c *Cluster) kubeconfigs(authority *pki.Authority) error {
	if err := authority.Kubeconfig(c.state.Kubeconfig(), c.apiURL(), pki.Request{
		Name: "admin", CommonName: "storagebench-admin", Organization: []string{"system:masters"},
	}); err != nil {
		return err
	}
	clients := []pki.Request{
		{Name: "kube-controller-manager", CommonName: "system:kube-controller-manager"},
		{Name: "kube-scheduler", CommonName: "system:kube-scheduler"},
		{Name: "kube-proxy", CommonName: "system:kube-proxy"},
	}
	for _, n := range c.nodes {
		clients = append(clients, n.clientRequest())
	}
	for _, request := range clients {
		if err := authority.Kubeconfig(c.kubeconfigOf(request.Name), c.apiURL(), request); err != nil {
			return err
		}
	}
	return nil
}

func (c *Cluster) kubeconfigOf(client string) string { return c.state.PKI(client + ".kubeconfig") }

func (c *Cluster) etcd() component {
	client := fmt.Sprintf("http://%s", address(loopbackIP, etcdClientPort))
	peer := fmt.Sprintf("http://%s", address(loopbackIP, etcdPeerPort))
	return component{
		name: "etcd",
		argv: []string{c.programs["etcd"],
			"--name=local",
			"--data-dir=" + c.state.Path("etcd"),
			"--listen-client-urls=" + client,
			"--advertise-client-urls=" + client,
			"--listen-peer-urls=" + peer,
			"--initial-advertise-peer-urls=" + peer,
			"--initial-cluster=local=" + peer,
			"--log-level=warn",
			// The data need not survive a power cut, and a sync would wait for the
			// writes of a benchmark on the same disk.
			"--unsafe-no-fsync",
		},
		listens: []string{address(loopbackIP, etcdClientPort), address(loopbackIP, etcdPeerPort)},
		ready:   httpOK(client + "/health"),
	}
}

func (c *Cluster) apiserver() component {
	cert, key := c.state.PKI("kube-apiserver.crt"), c.state.PKI("kube-apiserver.key")
	return component{
		name: "kube-apiserver",
		argv: append([]string{c.programs["kube-apiserver"],
			"--etcd-servers=http://" + address(loopbackIP, etcdClientPort),
			"--bind-address=" + c.apiIP(),
			"--advertise-address=" + c.apiIP(),
			fmt.Sprintf("--secure-port=%d", apiPort),
			"--service-cluster-ip-range=" + serviceCIDR,
			"--authorization-mode=Node,RBAC",
			// The second one asks for rights to finalizers of owners, as some distributions of Kubernetes do. The third one keeps
			// the pods of a namespace on some nodes, for tests that run side by side.
			"--enable-admission-plugins=NodeRestriction,OwnerReferencesPermissionEnforcement,PodNodeSelector",
			"--allow-privileged=true",
			"--client-ca-file=" + c.state.PKI("ca.crt"),
			"--tls-cert-file=" + cert,
			"--tls-private-key-file=" + key,
			"--service-account-issuer=https://kubernetes.default.svc",
			"--service-account-key-file=" + c.state.PKI("service-account.key"),
			"--service-account-signing-key-file=" + c.state.PKI("service-account.key"),
			// Node names do not resolve here.
			"--kubelet-preferred-address-types=InternalIP",
			"--kubelet-certificate-authority=" + c.state.PKI("ca.crt"),
			"--kubelet-client-certificate=" + c.state.PKI("kubelet-client.crt"),
			"--kubelet-client-key=" + c.state.PKI("kubelet-client.key"),
			"--profiling=false",
			"--v=1",
		}, c.auditFlags()...),
		// With Go's defaults half of what it computes is to collect garbage, of a heap of a fifth of this limit.
		env:     []string{"GOGC=400", "GOMEMLIMIT=1536MiB"},
		inputs:  []string{cert, c.state.PKI("service-account.key"), c.auditPolicyPath()},
		listens: []string{address(c.apiIP(), apiPort)},
		ready:   httpOK(c.apiURL() + "/readyz"),
	}
}

func (c *Cluster) controllerManager() component {
	kubeconfig := c.kubeconfigOf("kube-controller-manager")
	return component{
		name: "kube-controller-manager",
		argv: []string{c.programs["kube-controller-manager"],
			"--kubeconfig=" + kubeconfig,
			"--bind-address=" + loopbackIP,
			fmt.Sprintf("--secure-port=%d", controllerPort),
			"--leader-elect=false",
			// A node that has become ready keeps its taint up to this long.
			"--node-monitor-period=1s",
			"--use-service-account-credentials=true",
			"--service-account-private-key-file=" + c.state.PKI("service-account.key"),
			"--root-ca-file=" + c.state.PKI("ca.crt"),
			"--cluster-signing-cert-file=" + c.state.PKI("ca.crt"),
			"--cluster-signing-key-file=" + c.state.PKI("ca.key"),
			fmt.Sprintf("--kube-api-qps=%d", clientQPS),
			fmt.Sprintf("--kube-api-burst=%d", clientBurst),
			"--profiling=false",
			"--v=1",
		},
		inputs:  []string{kubeconfig},
		listens: []string{address(loopbackIP, controllerPort)},
		ready:   httpOK("https://" + address(loopbackIP, controllerPort) + "/healthz"),
	}
}

func (c *Cluster) scheduler() component {
	kubeconfig, config := c.kubeconfigOf("kube-scheduler"), c.state.Path("kube-scheduler.yaml")
	return component{
		name: "kube-scheduler",
		argv: []string{c.programs["kube-scheduler"],
			"--config=" + config,
			"--bind-address=" + loopbackIP,
			fmt.Sprintf("--secure-port=%d", schedulerPort),
			"--v=1",
		},
		inputs:  []string{kubeconfig, config},
		listens: []string{address(loopbackIP, schedulerPort)},
		ready:   httpOK("https://" + address(loopbackIP, schedulerPort) + "/healthz"),
	}
}

func (c *Cluster) proxy() component {
	kubeconfig, config := c.kubeconfigOf("kube-proxy"), c.state.Path("kube-proxy.yaml")
	return component{
		name:    "kube-proxy",
		argv:    []string{c.programs["kube-proxy"], "--config=" + config, "--v=1"},
		inputs:  []string{kubeconfig, config},
		listens: []string{address(loopbackIP, proxyHealthPort), address(loopbackIP, proxyMetricsPort)},
		// Not /healthz: that is false until the node is Ready, in some releases.
		ready: httpOK("http://" + address(loopbackIP, proxyHealthPort) + "/livez"),
	}
}
