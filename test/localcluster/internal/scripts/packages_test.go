package scripts

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// packages runs debian-packages.sh with a fake apt-get, and a policy that is nobody's but the test's.
type packages struct {
	dir, policy, path string
}

func newPackages(t *testing.T, install string) *packages {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("it installs packages for root only")
	}
	p := &packages{dir: t.TempDir()}
	p.policy = filepath.Join(p.dir, "policy-rc.d")
	p.path = "PATH=" + fake(t, map[string]string{
		"dpkg-query": `[ ! -e "$DIR/installed" ] || echo installed fio`,
		"dpkg":       `echo "dpkg $*" >>"$DIR/calls"; rm -f "$DIR/interrupted"`,
		"apt-get":    `echo "apt-get $*" >>"$DIR/calls"; case "$*" in *" install "*) cat "$DIR/policy-rc.d" >>"$DIR/calls"; ` + install + `; touch "$DIR/installed";; esac`,
		"sleep":      "",
	}) + ":" + os.Getenv("PATH")
	return p
}

func (p *packages) run(t *testing.T) (calls string, err error) {
	t.Helper()
	output, err := script(t, []string{p.path, "DIR=" + p.dir, "STORAGEBENCH_POLICY_RC_D=" + p.policy}, "debian-packages.sh", "fio").CombinedOutput()
	t.Logf("%s", output)
	said, _ := os.ReadFile(filepath.Join(p.dir, "calls"))
	return string(said), err
}

func TestPackages(t *testing.T) {
	t.Parallel()
	p := newPackages(t, ":")
	calls, err := p.run(t)
	if err != nil || !strings.Contains(calls, "install fio\n") || !strings.Contains(calls, "\nexit 101\n") {
		t.Errorf("%v\n%s", err, calls)
	}
	if _, err := os.Stat(p.policy); err == nil {
		t.Error("services may not be started for ever")
	}
	if again, err := p.run(t); err != nil || again != calls {
		t.Errorf("they are there, and yet: %v\n%s", err, again)
	}
}

// The policy of a machine stays. One that the script has left, because it was killed, does not.
func TestPackagesKeepAPolicyThatIsNotTheirs(t *testing.T) {
	t.Parallel()
	p := newPackages(t, ":")
	const policy = "#!/bin/sh\nexit 0\n"
	if err := os.WriteFile(p.policy, []byte(policy), 0o600); err != nil {
		t.Fatal(err)
	}
	if calls, err := p.run(t); err != nil || !strings.Contains(calls, "\nexit 0\n") {
		t.Errorf("%v\n%s", err, calls)
	}
	if left, _ := os.ReadFile(p.policy); string(left) != policy {
		t.Errorf("the policy is %q", left)
	}
}

func TestPackagesRemoveAPolicyThatIsTheirs(t *testing.T) {
	t.Parallel()
	p := newPackages(t, "kill -KILL $PPID; exit")
	if _, err := p.run(t); err == nil {
		t.Fatal("it was not killed")
	}
	if _, err := os.Stat(p.policy); err != nil {
		t.Fatal(err)
	}
	p.path = newPackages(t, ":").path
	if calls, err := p.run(t); err != nil || !strings.HasSuffix(calls, "\nexit 101\n") {
		t.Errorf("%v\n%s", err, calls)
	}
	if _, err := os.Stat(p.policy); err == nil {
		t.Error("services may not be started for ever")
	}
}

// An installation that was cut off has to be finished before the next.
func TestPackagesAfterAnInstallationThatWasCutOff(t *testing.T) {
	t.Parallel()
	p := newPackages(t, `[ ! -e "$DIR/interrupted" ] || exit 100`)
	if err := os.WriteFile(filepath.Join(p.dir, "interrupted"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if calls, err := p.run(t); err != nil || !strings.Contains(calls, "dpkg --configure -a\n") {
		t.Errorf("%v\n%s", err, calls)
	}
}
