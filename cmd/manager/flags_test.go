package main

import (
	"flag"
	"math"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/fields"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestNamespaceList(t *testing.T) {
	for name, test := range map[string]struct{ text, want, problem string }{
		"none":               {"", "", ""},
		"one":                {"team-a", "team-a", ""},
		"several":            {"team-a, team-b,team-a", "team-a,team-b", ""},
		"a comma alone":      {",", "", `"" is no name of a namespace`},
		"a comma at the end": {"team-a,", "", `"" is no name of a namespace`},
		"a name of no kind":  {"Team_A", "", `"Team_A" is no name of a namespace`},
		"all, as a star":     {"*", "", `"*" is no name of a namespace`},
	} {
		t.Run(name, func(t *testing.T) {
			list := namespaceList{"before"}
			err := list.Set(test.text)
			if test.problem != "" {
				if err == nil || !strings.Contains(err.Error(), test.problem) {
					t.Errorf("error is %v, want %q", err, test.problem)
				}
				return
			}
			if err != nil || list.String() != test.want {
				t.Errorf("%q, %v, want %q", list.String(), err, test.want)
			}
		})
	}
}

func TestWatchedAndExcludedNamespaces(t *testing.T) {
	if err := (&options{watched: namespaceList{"a"}, excluded: namespaceList{"b"}}).checkNamespaces(); err == nil {
		t.Error("an operator that watches namespaces takes some that are excluded")
	}
	for _, o := range []options{{}, {watched: namespaceList{"a"}}, {excluded: namespaceList{"b"}}} {
		if err := o.checkNamespaces(); err != nil {
			t.Error(err)
		}
	}
}

// An address that no pod could ask, or with a password that all could read, ends the operator.
func TestAddressOfEBSMetrics(t *testing.T) {
	for address, want := range map[string]bool{
		"": true, "http://ebs-csi-node.kube-system.svc:3302/metrics": true, "https://10.0.0.1:3302/metrics": true,
		"ebs-csi-node.kube-system.svc:3302": false, "ftp://ebs-csi-node/metrics": false, "http:///metrics": false, "http://me:secret@ebs-csi-node/metrics": false, "http://%zz": false,
	} {
		if err := (&options{ebsMetricsURL: address}).checkEBSMetrics(); (err == nil) != want {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// Pods of excluded namespaces may hold nodes, so only their benchmarks are left out.
func TestCacheOfNamespaces(t *testing.T) {
	all := (&options{}).cacheOptions()
	if len(all.DefaultNamespaces) != 0 || all.DefaultFieldSelector != nil {
		t.Errorf("an operator of the whole cluster has %v, %v", all.DefaultNamespaces, all.DefaultFieldSelector)
	}
	watched := (&options{watched: namespaceList{"a", "b"}}).cacheOptions()
	if _, found := watched.DefaultNamespaces["b"]; len(watched.DefaultNamespaces) != 2 || !found {
		t.Errorf("namespaces are %v", watched.DefaultNamespaces)
	}
	excluded := (&options{excluded: namespaceList{"a", "b"}}).cacheOptions()
	if got := excluded.DefaultFieldSelector.String(); got != "metadata.namespace!=a,metadata.namespace!=b" {
		t.Errorf("StorageBenchmarks are selected by %s", got)
	}
	for object, by := range excluded.ByObject {
		if by.Field == nil || by.Field.String() != fields.Everything().String() {
			t.Errorf("%T are selected by %v", object, by.Field)
		}
	}
	if excluded.NewInformer == nil {
		t.Error("what the cache holds takes as much memory as anybody likes")
	}
	if !hasJobs(excluded.ByObject) {
		t.Error("the operator's Jobs are not selected")
	}
}

func hasJobs[V any](objects map[client.Object]V) bool {
	for object := range objects {
		if _, ok := object.(*batchv1.Job); ok {
			return true
		}
	}
	return false
}

// Go's own limit is a tenth below that of the container. Without one there is none.
func TestSpareMemory(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
	for limit, want := range map[int64]int64{256 << 20: 256<<20 - 256<<20/10, math.MaxInt64: math.MaxInt64} {
		debug.SetMemoryLimit(limit)
		spareMemory()
		if got := debug.SetMemoryLimit(-1); got != want {
			t.Errorf("of %d the limit is %d, want %d", limit, got, want)
		}
	}
}

func TestElection(t *testing.T) {
	var defaults election
	defaults.bind(flag.NewFlagSet("", flag.ContinueOnError))
	if err := defaults.check(); err != nil {
		t.Errorf("the defaults: %v", err)
	}
	for name, test := range map[string]struct {
		change  func(*election)
		problem string
	}{
		"no time between tries":             {func(e *election) { e.retry = 0 }, "--leader-elect-retry-period is 0s"},
		"no second try":                     {func(e *election) { e.renew = 6 * time.Second }, "--leader-elect-renew-deadline is 6s, and must be above 6s"},
		"two leaders for a moment":          {func(e *election) { e.lease = e.renew }, "--leader-elect-lease-duration is 45s"},
		"the least that Kubernetes accepts": {func(e *election) { *e = election{lease: 3 * time.Second, renew: 2 * time.Second, retry: time.Second} }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			e := defaults
			test.change(&e)
			err := e.check()
			if (err != nil) != (test.problem != "") || (err != nil && !strings.Contains(err.Error(), test.problem)) {
				t.Errorf("error is %v, want %q", err, test.problem)
			}
		})
	}
}
