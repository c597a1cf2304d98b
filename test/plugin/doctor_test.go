package plugin

import (
	"encoding/json"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// TestDoctor: a cluster without operator, nodes and drivers fails where no benchmark can run, and each finding has a
// remedy.
func TestDoctor(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	code, out, notes := u.run(t, "doctor", "-o", "json")
	var found []struct{ Check, Result, Message string }
	if err := json.Unmarshal([]byte(out), &found); err != nil || code != 1 {
		t.Fatalf("exit code %d, %v:\n%s%s", code, err, out, notes)
	}
	results := map[string]string{}
	for _, one := range found {
		results[one.Check] = one.Result
		if one.Message == "" || strings.HasPrefix(one.Message, "unknown") {
			t.Errorf("%s: %s: %q", one.Check, one.Result, one.Message)
		}
	}
	for check, want := range map[string]string{
		"Kubernetes": "OK", "API": "OK", "operator": "Failed", "nodes": "Failed", "your rights": "OK", "EBS driver": "Warning", "snapshots": "Warning",
	} {
		if results[check] != want {
			t.Errorf("%s: %q, want %q\n%s", check, results[check], want, out)
		}
	}
}

// TestDoctorWithoutCluster: where nobody answers, the first check tells, and no other one is made.
func TestDoctorWithoutCluster(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	code, out, _ := u.run(t, "doctor", "--server", "https://127.0.0.1:1", "--request-timeout", "5s")
	if code != 1 || !strings.HasPrefix(out, "Failed   Kubernetes") || strings.Count(out, "\n") != 1 {
		t.Errorf("exit code %d:\n%s", code, out)
	}
}

// TestStorage: StorageClasses have their driver, and tell where it is missing.
func TestStorage(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	code, out, notes := u.run(t, "storage", "-o", "yaml")
	var found struct {
		StorageClasses []struct {
			Name, Driver string
			Installed    bool
		}
		Targets []struct {
			Field string
			Works bool
			Why   string
		}
	}
	if err := yaml.Unmarshal([]byte(out), &found); err != nil || code != 0 || len(found.StorageClasses) < 2 || len(found.Targets) != 3 {
		t.Fatalf("exit code %d, %v:\n%s%s", code, err, out, notes)
	}
	if class := found.StorageClasses[0]; class.Driver != "example.com/none" {
		t.Errorf("the first class is %+v", class)
	}
	if ebs := found.Targets[0]; ebs.Field != "ebs" || ebs.Works || !strings.Contains(ebs.Why, "aws-ebs-csi-driver") {
		t.Errorf("ebs is %+v", ebs)
	}
}
