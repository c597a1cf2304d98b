package cluster

import (
	_ "embed"
	"fmt"
)

//go:embed config/audit.yaml
var auditPolicy []byte

// Bounds of the audit log: a run of all tests takes a good part of one file, and an older one is kept.
const (
	auditMegabytes = 256
	auditOldFiles  = 1
)

func (c *Cluster) auditPolicyPath() string { return c.state.Path("audit.yaml") }

// auditFlags have the API server keep a log of requests.
func (c *Cluster) auditFlags() []string {
	return []string{
		"--audit-policy-file=" + c.auditPolicyPath(),
		"--audit-log-path=" + c.state.Log("audit"),
		// A request that has its answer is in the log.
		"--audit-log-mode=blocking",
		fmt.Sprintf("--audit-log-maxsize=%d", auditMegabytes),
		fmt.Sprintf("--audit-log-maxbackup=%d", auditOldFiles),
	}
}
