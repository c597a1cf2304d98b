package cluster

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	componentbase "k8s.io/component-base/config/v1alpha1"
	kubeproxy "k8s.io/kube-proxy/config/v1alpha1"
	kubescheduler "k8s.io/kube-scheduler/config/v1"
	kubelet "k8s.io/kubelet/config/v1beta1"
	"sigs.k8s.io/yaml"

	"github.com/storagebench/storagebench/test/localcluster/internal/state"
)

func writeYAML(path string, v any) error {
	content, err := yaml.Marshal(v)
	if err != nil {
		return err
	}
	return state.WriteFile(path, content, 0o644)
}

func (c *Cluster) schedulerConfig() *kubescheduler.KubeSchedulerConfiguration {
	return &kubescheduler.KubeSchedulerConfiguration{
		TypeMeta: metav1.TypeMeta{APIVersion: "kubescheduler.config.k8s.io/v1", Kind: "KubeSchedulerConfiguration"},
		ClientConnection: componentbase.ClientConnectionConfiguration{
			Kubeconfig: c.kubeconfigOf("kube-scheduler"), QPS: clientQPS, Burst: clientBurst,
		},
		LeaderElection: componentbase.LeaderElectionConfiguration{LeaderElect: new(false)},
		// A pod that waits for its volume should not wait for a back-off as well.
		PodInitialBackoffSeconds: new(int64(1)),
		PodMaxBackoffSeconds:     new(int64(2)),
	}
}

// proxyConfig is of the one kube-proxy, which serves the pods of all nodes: these share
// the machine's tables and routes.
func (c *Cluster) proxyConfig() *kubeproxy.KubeProxyConfiguration {
	return &kubeproxy.KubeProxyConfiguration{
		TypeMeta: metav1.TypeMeta{APIVersion: "kubeproxy.config.k8s.io/v1alpha1", Kind: "KubeProxyConfiguration"},
		ClientConnection: componentbase.ClientConnectionConfiguration{
			Kubeconfig: c.kubeconfigOf("kube-proxy"),
		},
		Mode:               "nftables",
		HostnameOverride:   c.nodes[0].name,
		BindAddress:        c.nodes[0].ip,
		HealthzBindAddress: address(loopbackIP, proxyHealthPort),
		MetricsBindAddress: address(loopbackIP, proxyMetricsPort),
		ClusterCIDR:        podCIDR,
		DetectLocalMode:    "ClusterCIDR",
		NodePortAddresses:  []string{"127.0.0.0/8"},
		NFTables:           kubeproxy.KubeProxyNFTablesConfiguration{MinSyncPeriod: metav1.Duration{Duration: 100 * time.Millisecond}},
		// A lower value than this process' own is not permitted everywhere.
		OOMScoreAdj: new(int32(0)),
		// Zeros leave the machine's own settings alone.
		Conntrack: kubeproxy.KubeProxyConntrackConfiguration{
			MaxPerCore:            new(int32(0)),
			Min:                   new(int32(0)),
			TCPEstablishedTimeout: &metav1.Duration{},
			TCPCloseWaitTimeout:   &metav1.Duration{},
		},
	}
}

func (n *node) kubeletConfig() *kubelet.KubeletConfiguration {
	pki := n.cluster.state.PKI
	return &kubelet.KubeletConfiguration{
		TypeMeta:                 metav1.TypeMeta{APIVersion: "kubelet.config.k8s.io/v1beta1", Kind: "KubeletConfiguration"},
		Address:                  n.ip,
		Port:                     kubeletPort,
		HealthzBindAddress:       loopbackIP,
		HealthzPort:              new(n.healthPort()),
		TLSCertFile:              pki(n.servingRequest().Name + ".crt"),
		TLSPrivateKeyFile:        pki(n.servingRequest().Name + ".key"),
		ContainerRuntimeEndpoint: "unix://" + n.runtimeSocket(),
		VolumePluginDir:          n.path("kubelet", "volumeplugins"),
		PodLogsDir:               n.path("podlogs"),
		CgroupRoot:               n.cgroup.Path(),
		CgroupDriver:             "cgroupfs",
		FailCgroupV1:             new(false),
		FailSwapOn:               new(false),
		Authentication: kubelet.KubeletAuthentication{
			Anonymous: kubelet.KubeletAnonymousAuthentication{Enabled: new(false)},
			Webhook:   kubelet.KubeletWebhookAuthentication{Enabled: new(true)},
			X509:      kubelet.KubeletX509Authentication{ClientCAFile: pki("ca.crt")},
		},
		Authorization: kubelet.KubeletAuthorization{Mode: kubelet.KubeletAuthorizationModeWebhook},
		// There is no DNS in the cluster. An address that refuses lets a look-up fail at
		// once; with none, the kubelet would warn about every pod.
		ClusterDNS:             []string{loopbackIP},
		ClusterDomain:          "cluster.local",
		ResolverConfig:         new(""),
		MakeIPTablesUtilChains: new(false),
		// A process without CAP_SYS_RESOURCE cannot lower it.
		OOMScoreAdj: new(int32(0)),
		// Images are loaded by hand: what is collected could not be pulled again.
		ImageGCHighThresholdPercent: new(int32(100)),
		ImageGCLowThresholdPercent:  new(int32(99)),
		EvictionHard: map[string]string{
			"memory.available":  "50Mi",
			"nodefs.available":  "1%",
			"nodefs.inodesFree": "1%",
			"imagefs.available": "1%",
		},
		SerializeImagePulls: new(false),
		RegistryPullQPS:     new(int32(0)),
		KubeAPIQPS:          new(int32(clientQPS)),
		KubeAPIBurst:        clientBurst,
		EventRecordQPS:      new(int32(0)),
		// A volume that is attached is mounted when the node says that it is in use. By default it says so every 10 s, and each test would wait for that.
		NodeStatusUpdateFrequency: metav1.Duration{Duration: 2 * time.Second},
		NodeStatusReportFrequency: metav1.Duration{Duration: 5 * time.Minute}, // as by default, where nothing has changed
	}
}
