package host

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// sysctlNames are the settings that the kubelet, kube-proxy or the bridge plugin
// may change, or that change with those.
var sysctlNames = []string{
	"vm/overcommit_memory",
	"vm/panic_on_oom",
	"kernel/panic",
	"kernel/panic_on_oops",
	"kernel/keys/root_maxkeys",
	"kernel/keys/root_maxbytes",
	"net/ipv4/ip_forward",
	"net/ipv4/conf/all/forwarding",
	"net/ipv4/conf/default/forwarding",
	"net/ipv4/conf/all/accept_redirects",
	"net/ipv4/conf/default/accept_redirects",
	"net/ipv4/conf/all/route_localnet",
	"net/bridge/bridge-nf-call-iptables",
	"net/netfilter/nf_conntrack_max",
	"net/netfilter/nf_conntrack_tcp_be_liberal",
	"net/netfilter/nf_conntrack_tcp_timeout_established",
	"net/netfilter/nf_conntrack_tcp_timeout_close_wait",
}

func sysctlPath(name string) string { return filepath.Join("/proc/sys", name) }

func readSysctl(name string) (string, error) {
	content, err := os.ReadFile(sysctlPath(name))
	return strings.TrimSpace(string(content)), err
}

func writeSysctl(name, value string) error {
	if now, err := readSysctl(name); err == nil && now == value {
		return nil
	}
	if err := os.WriteFile(sysctlPath(name), []byte(value), 0); err != nil {
		return fmt.Errorf("sysctl %s: %w", name, err)
	}
	return nil
}

// readSysctls reads those that this kernel has.
func readSysctls() (map[string]string, error) {
	values := map[string]string{}
	for _, name := range sysctlNames {
		value, err := readSysctl(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		values[name] = value
	}
	return values, nil
}

// EnableForwarding lets pods reach services, also when client and server share a
// bridge: without bridge-nf the answer takes the short way and is not translated
// back.
func EnableForwarding() error {
	err := writeSysctl("net/ipv4/ip_forward", "1")
	if _, statErr := os.Stat(sysctlPath("net/bridge/bridge-nf-call-iptables")); statErr == nil {
		err = errors.Join(err, writeSysctl("net/bridge/bridge-nf-call-iptables", "1"))
	}
	return err
}

// RestoreSysctls undoes all changes of the known settings: twice, because net.ipv4.ip_forward changes others again.
func (j *Journal) RestoreSysctls() (err error) {
	for range 2 {
		err = nil
		for name, value := range j.Sysctls {
			err = errors.Join(err, writeSysctl(name, value))
		}
	}
	return err
}
