package audit

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
)

const operator = "system:serviceaccount:storagebench-system:storagebench-operator"

// line is a line of an audit log, as an API server writes it; object is the JSON of objectRef.
func line(user, verb, uri, object string, code int, annotations string) string {
	if object != "" {
		object = `"objectRef":` + object + ","
	}
	return fmt.Sprintf(`{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":"1","stage":"ResponseComplete","requestURI":%q,"verb":%q,`+
		`"user":{"username":%q,"groups":["system:authenticated"]},"sourceIPs":["10.0.0.1"],%s"responseStatus":{"metadata":{},"code":%d},`+
		`"requestReceivedTimestamp":"2026-11-21T12:00:00.000000Z","stageTimestamp":"2026-11-21T12:00:00.000001Z","annotations":{%s}}`+"\n",
		uri, verb, user, object, code, annotations)
}

const (
	allowed = `"authorization.k8s.io/decision":"allow","authorization.k8s.io/reason":"RBAC: allowed by ClusterRoleBinding"`
	refused = `"authorization.k8s.io/decision":"forbid","authorization.k8s.io/reason":""`
)

func read(t *testing.T, log string) []Request {
	t.Helper()
	requests, err := Read(strings.NewReader(log), operator, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	return requests
}

// Each right is used by the requests that need it, and by no other that looks alike.
func TestUnused(t *testing.T) {
	const (
		job   = `{"resource":"jobs","namespace":"a","name":"j","apiGroup":"batch","apiVersion":"v1"}`
		lease = `{"resource":"leases","namespace":"storagebench-system","name":"lock","apiGroup":"coordination.k8s.io","apiVersion":"v1"}`
		logs  = `{"resource":"pods","namespace":"a","name":"p","apiVersion":"v1","subresource":"log"}`
	)
	for _, test := range []struct {
		name      string
		namespace string
		rule      rbacv1.PolicyRule
		log       string
		unused    []string
	}{
		{
			name:   "never asked for",
			rule:   rbacv1.PolicyRule{APIGroups: []string{"batch"}, Resources: []string{"jobs"}, Verbs: []string{"get", "delete"}},
			log:    line(operator, "get", "/apis/batch/v1/namespaces/a/jobs/j", job, 200, allowed),
			unused: []string{"delete jobs.batch (role)"},
		}, {
			name:   "asked for by somebody else",
			rule:   rbacv1.PolicyRule{APIGroups: []string{"batch"}, Resources: []string{"jobs"}, Verbs: []string{"get"}},
			log:    line("kubernetes-admin", "get", "/apis/batch/v1/namespaces/a/jobs/j", job, 200, allowed),
			unused: []string{"get jobs.batch (role)"},
		}, {
			name:   "of another group",
			rule:   rbacv1.PolicyRule{APIGroups: []string{"", "extensions"}, Resources: []string{"jobs"}, Verbs: []string{"get"}},
			log:    line(operator, "get", "/apis/batch/v1/namespaces/a/jobs/j", job, 200, allowed),
			unused: []string{"get jobs (role)", "get jobs.extensions (role)"},
		}, {
			name: "a subresource",
			rule: rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"pods/log"}, Verbs: []string{"get"}},
			log:  line(operator, "get", "/api/v1/namespaces/a/pods/p/log?container=fio", logs, 200, allowed),
		}, {
			name:   "of a subresource, and not the resource",
			rule:   rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"pods", "pods/status"}, Verbs: []string{"get"}},
			log:    line(operator, "get", "/api/v1/namespaces/a/pods/p/log", logs, 200, allowed),
			unused: []string{"get pods (role)", "get pods/status (role)"},
		}, {
			name: "deletecollection is no delete", rule: rbacv1.PolicyRule{APIGroups: []string{"batch"}, Resources: []string{"jobs"}, Verbs: []string{"delete", "deletecollection"}},
			log:    line(operator, "deletecollection", "/apis/batch/v1/namespaces/a/jobs", `{"resource":"jobs","namespace":"a","apiGroup":"batch","apiVersion":"v1"}`, 200, allowed),
			unused: []string{"delete jobs.batch (role)"},
		}, {
			name: "an apply that makes an object", rule: rbacv1.PolicyRule{APIGroups: []string{"batch"}, Resources: []string{"jobs"}, Verbs: []string{"create", "patch"}},
			log: line(operator, "patch", "/apis/batch/v1/namespaces/a/jobs/j?fieldManager=storagebench", job, 201, allowed),
		}, {
			name: "an apply that changes one", rule: rbacv1.PolicyRule{APIGroups: []string{"batch"}, Resources: []string{"jobs"}, Verbs: []string{"create", "patch"}},
			log:    line(operator, "patch", "/apis/batch/v1/namespaces/a/jobs/j?fieldManager=storagebench", job, 200, allowed),
			unused: []string{"create jobs.batch (role)"},
		}, {
			name: "an object by its name", rule: rbacv1.PolicyRule{APIGroups: []string{"coordination.k8s.io"}, Resources: []string{"leases"}, ResourceNames: []string{"lock", "other"}, Verbs: []string{"update"}},
			log:    line(operator, "update", "/apis/coordination.k8s.io/v1/namespaces/storagebench-system/leases/lock", lease, 200, allowed),
			unused: []string{"update leases.coordination.k8s.io other (role)"},
		}, {
			name: "in a namespace", namespace: "storagebench-system", rule: rbacv1.PolicyRule{APIGroups: []string{"coordination.k8s.io"}, Resources: []string{"leases"}, Verbs: []string{"update"}},
			log: line(operator, "update", "/apis/coordination.k8s.io/v1/namespaces/storagebench-system/leases/lock", lease, 200, allowed),
		}, {
			name: "in another namespace", namespace: "default", rule: rbacv1.PolicyRule{APIGroups: []string{"coordination.k8s.io"}, Resources: []string{"leases"}, Verbs: []string{"update"}},
			log:    line(operator, "update", "/apis/coordination.k8s.io/v1/namespaces/storagebench-system/leases/lock", lease, 200, allowed),
			unused: []string{"update leases.coordination.k8s.io in default (role)"},
		}, {
			name: "a watch that has only begun", rule: rbacv1.PolicyRule{APIGroups: []string{"batch"}, Resources: []string{"jobs"}, Verbs: []string{"list", "watch"}},
			log:    strings.ReplaceAll(line(operator, "watch", "/apis/batch/v1/jobs?watch=true", `{"resource":"jobs","apiGroup":"batch","apiVersion":"v1"}`, 200, allowed), "ResponseComplete", "ResponseStarted"),
			unused: []string{"list jobs.batch (role)"},
		}, {
			name: "what was answered with an error", rule: rbacv1.PolicyRule{APIGroups: []string{"batch"}, Resources: []string{"jobs"}, Verbs: []string{"get"}},
			log: line(operator, "get", "/apis/batch/v1/namespaces/a/jobs/j", job, 404, allowed),
		}, {
			name: "what was denied", rule: rbacv1.PolicyRule{APIGroups: []string{"batch"}, Resources: []string{"jobs"}, Verbs: []string{"get"}},
			log:    line(operator, "get", "/apis/batch/v1/namespaces/a/jobs/j", job, 403, refused),
			unused: []string{"get jobs.batch (role)"},
		}, {
			name: "wildcards", rule: rbacv1.PolicyRule{APIGroups: []string{"*"}, Resources: []string{"*"}, Verbs: []string{"*"}},
			log:    line(operator, "get", "/apis/batch/v1/namespaces/a/jobs/j", job, 200, allowed),
			unused: []string{"* *.* (role)"},
		}, {
			name: "paths", rule: rbacv1.PolicyRule{NonResourceURLs: []string{"/healthz", "/metrics"}, Verbs: []string{"get"}},
			log:    line(operator, "get", "/healthz?verbose", "", 200, allowed),
			unused: []string{"get /metrics (role)"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			var unused []string
			for _, g := range Unused(Expand("role", test.namespace, []rbacv1.PolicyRule{test.rule}), read(t, test.log)) {
				unused = append(unused, g.String())
			}
			if diff := cmp.Diff(test.unused, unused); diff != "" {
				t.Errorf("unused (-want +got):\n%s", diff)
			}
		})
	}
}

// A right that was missing is told apart from a request that quota, Pod Security or a policy refused.
func TestDenied(t *testing.T) {
	pod := `{"resource":"pods","namespace":"a","name":"p","apiVersion":"v1"}`
	log := line(operator, "patch", "/api/v1/namespaces/a/pods/p", pod, 403, allowed+`,"validation.policy.admission.k8s.io/x":"y"`) +
		line(operator, "delete", "/api/v1/namespaces/a/pods/p", pod, 403, refused) +
		line(operator, "delete", "/api/v1/namespaces/a/pods/q", strings.ReplaceAll(pod, `"p"`, `"q"`), 403, refused) +
		line("somebody", "update", "/api/v1/namespaces/a/pods/p", pod, 403, refused) +
		line(operator, "get", "/api/v1/namespaces/a/pods/p", pod, 403, refused) + // before the roles were there
		line(operator, "get", "/metrics", "", 403, refused)
	var got []string
	grants := Expand("role", "", []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"get", "patch"}}})
	for _, r := range Denied(grants, read(t, log)) {
		got = append(got, r.String())
	}
	want := []string{"delete pods (/api/v1/namespaces/a/pods/p)", "get /metrics"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("denied (-want +got):\n%s", diff)
	}
}

func TestRead(t *testing.T) {
	const uri = "/api/v1/nodes/n"
	whole := line(operator, "get", uri, `{"resource":"nodes","name":"n","apiVersion":"v1"}`, 200, allowed)
	t.Run("since", func(t *testing.T) {
		noon := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
		for since, want := range map[time.Time]int{noon: 1, noon.Add(time.Microsecond): 0} {
			requests, err := Read(strings.NewReader(whole), operator, since)
			if err != nil || len(requests) != want {
				t.Errorf("since %v: %d requests, error %v", since, len(requests), err)
			}
		}
	})
	t.Run("a line that was broken off", func(t *testing.T) {
		if got := len(read(t, whole+whole[:40]+whole+whole)); got != 2 {
			t.Errorf("%d requests of 2", got)
		}
	})
	t.Run("no log at all", func(t *testing.T) {
		_, err := Read(strings.NewReader(strings.Repeat("I1121 12:00:00 kube-apiserver\n", 100)), operator, time.Time{})
		if err == nil || !strings.Contains(err.Error(), "100 lines are no requests") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("the last line without an end", func(t *testing.T) {
		if got := len(read(t, strings.TrimSuffix(whole, "\n"))); got != 1 {
			t.Errorf("%d requests", got)
		}
	})
}

func TestFiles(t *testing.T) {
	directory := t.TempDir()
	path := filepath.Join(directory, "audit.log")
	names := []string{"audit-2026-11-21T11-00-00.000.log", "audit-2026-11-21T12-00-00.000.log", "audit.log"}
	for _, name := range append(slices.Clone(names), "kube-apiserver.log") {
		if err := os.WriteFile(filepath.Join(directory, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	files, err := Files(path)
	for i := range files {
		files[i] = filepath.Base(files[i])
	}
	if diff := cmp.Diff(names, files); diff != "" || err != nil {
		t.Errorf("files (-want +got):\n%s error %v", diff, err)
	}
}
