package cluster

import (
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/storagebench/storagebench/test/localcluster/internal/state"
)

// The audit log is below the cluster's directory, of a bounded size, and about service accounts alone: nobody else's requests
// take its room.
func TestAuditLog(t *testing.T) {
	c := &Cluster{state: state.In(t.TempDir())}
	flags := c.auditFlags()
	for _, want := range []string{
		"--audit-policy-file=" + c.state.Path("audit.yaml"), "--audit-log-path=" + c.state.Path("log", "audit.log"),
		"--audit-log-maxsize=256", "--audit-log-maxbackup=1", "--audit-log-mode=blocking",
	} {
		if !slices.Contains(flags, want) {
			t.Errorf("there is no %s in %q", want, flags)
		}
	}
	var policy struct {
		APIVersion string   `json:"apiVersion"`
		Kind       string   `json:"kind"`
		OmitStages []string `json:"omitStages"`
		Rules      []struct {
			Level      string   `json:"level"`
			UserGroups []string `json:"userGroups"`
		} `json:"rules"`
	}
	if err := yaml.UnmarshalStrict(auditPolicy, &policy); err != nil {
		t.Fatal(err)
	}
	last := len(policy.Rules) - 1
	for i, rule := range policy.Rules {
		ofAccounts := len(rule.UserGroups) == 1 && strings.HasPrefix(rule.UserGroups[0], "system:serviceaccounts:") && rule.Level == "Metadata"
		if nothing := len(rule.UserGroups) == 0 && rule.Level == "None"; (i < last && !ofAccounts) || (i == last && !nothing) {
			t.Errorf("rule %d is %+v", i, rule)
		}
	}
}
