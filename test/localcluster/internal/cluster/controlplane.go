package cluster

import (
	"errors"
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

// credentials makes the certificates and kubeconfigs of the control plane and of the nodes.
func (c *Cluster) credentials() error {
	authority, err := pki.Open(c.state.Path("pki"))
	if err != nil {
		return err
	}
	masters := []string{"system:masters"}
	certificates := []pki.Request{{
		Name:       "kube-apiserver",
		CommonName: "kube-apiserver",
		IPs:        []net.IP{net.ParseIP(loopbackIP), net.ParseIP(c.apiIP()), net.ParseIP(kubernetesIP)},
		DNSNames:   []string{"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local"},
	}, {
		Name:         "kubelet-client",
		CommonName:   "kube-apiserver-kubelet-client",
		Organization: masters,
	}}
	clients := map[string]pki.Request{c.state.Kubeconfig(): {Name: "admin", CommonName: "storagebench-admin", Organization: masters}}
	for _, name := range []string{"kube-controller-manager", "kube-scheduler", "kube-proxy"} {
		clients[c.kubeconfigOf(name)] = pki.Request{Name: name, CommonName: "system:" + name}
	}
	for _, n := range c.nodes {
		certificates = append(certificates, n.servingRequest())
		clients[c.kubeconfigOf(n.name)] = n.clientRequest()
	}
	errs := []error{authority.SigningKey("service-account")}
	for _, request := range certificates {
		_, _, err := authority.Certificate(request)
		errs = append(errs, err)
	}
	for file, request := range clients {
		errs = append(errs, authority.Kubeconfig(file, c.apiURL(), request))
	}
	return errors.Join(errs...)
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
