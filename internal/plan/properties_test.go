package plan

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/yaml"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/test/builder"
)

// decode reads a spec from YAML.
func decode(t testing.TB, text []byte) *v1alpha1.StorageBenchmarkSpec {
	t.Helper()
	s := &v1alpha1.StorageBenchmarkSpec{}
	if err := yaml.UnmarshalStrict(text, s); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return s
}

// randomSpecs calls a test with many specs, of which the test's log has the seed.
func randomSpecs(t *testing.T, test func(*testing.T, *rand.Rand, *v1alpha1.StorageBenchmarkSpec)) {
	t.Helper()
	first := time.Now().UnixNano()
	for i := range int64(200) {
		seed := first + i
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			r := rand.New(rand.NewSource(seed))
			test(t, r, randomSpec(r))
		})
	}
}

// randomSpec returns a spec that is valid, with no more results than there is room for.
func randomSpec(r *rand.Rand) *v1alpha1.StorageBenchmarkSpec {
	for {
		s := &v1alpha1.StorageBenchmarkSpec{Order: []v1alpha1.Order{"", v1alpha1.OrderInterleaved, v1alpha1.OrderByTarget}[r.Intn(3)]}
		if r.Intn(3) > 0 {
			s.Repetitions = new(int32(1 + r.Intn(4)))
		}
		if r.Intn(3) == 0 {
			s.Clients = new(int32(1 + r.Intn(v1alpha1.MaxClients)))
		}
		for _, name := range randomNames(r) {
			target := builder.NewTarget(name)
			target.Capacity = new(resource.MustParse("100Ti")) // more than all files of any of them take
			if r.Intn(2) == 0 {
				target.AccessMode = new(corev1.ReadWriteMany)
			}
			s.Targets = append(s.Targets, target)
		}
		for _, name := range randomNames(r) {
			w := builder.NewWorkload(name)
			if r.Intn(2) == 0 {
				w = builder.NewJobFile(name, "[global]\nrw=read\nsize=1M\nnumjobs=3\n[a]\nbs=16k\n[global]\nbs=8k\n[b]\n")
			}
			w.Matrix = randomMatrix(r)
			s.Workloads = append(s.Workloads, w)
		}
		if 2*len(expected(s)) <= maxResults(s, s.MostClients()) { // the job file has two results
			return s
		}
	}
}

func randomNames(r *rand.Rand) []string {
	names := []string{"a", "b", "a-b", "b-a", "a-a", "bs-4k", "1", "2", strings.Repeat("x", 32), strings.Repeat("x", 31) + "y"}
	r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	return names[:1+r.Intn(4)]
}

func randomMatrix(r *rand.Rand) matrix {
	values := map[string][]string{
		"bs": {"4k", "16K", "1m", "4k,8k", "4k,,8k", "8k,4k"}, "numjobs": {"1", "2", "16"}, "rw": {"read", "randwrite", "randrw:8"},
		"rate_iops": {"100", "100,50", "1005"}, "nrfiles": {"1", "10"}, "random_distribution": {"zipf:1.2", "zipf:12", "pareto:0.9"},
		"bssplit": {strings.Repeat("4k/50:", 9) + "4k/50", strings.Repeat("4k/50:", 9) + "8k/50", "4k/50:8k/50"}, "buffer_compress_percentage": {"0", "50"},
	}
	m := matrix{}
	for name := range values {
		if r.Intn(3) > 0 {
			continue
		}
		list := values[name]
		r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		for _, text := range list[:1+r.Intn(len(list))] {
			m[name] = append(m[name], intstr.Parse(text))
		}
	}
	return m
}

// key is what a run measures, apart from its name.
func key(target, workload string, parameters map[string]string, repetition int32) string {
	return fmt.Sprint(target, " ", workload, " ", parameters, " ", repetition)
}

func keys(runs []Run) []string {
	var all []string
	for _, run := range runs {
		all = append(all, key(run.Target.Name, run.Workload.Name, run.Parameters, run.Repetition))
	}
	return all
}

// choices returns the product of a matrix, by a way of its own.
func choices(m matrix) []map[string]string {
	if len(m) == 0 {
		return []map[string]string{{}}
	}
	first := slices.Min(slices.Collect(maps.Keys(m)))
	rest := maps.Clone(m)
	delete(rest, first)
	var all []map[string]string
	for _, value := range m[first] {
		for _, choice := range choices(rest) {
			choice[first] = value.String()
			all = append(all, choice)
		}
	}
	return all
}

// expected returns the keys of all runs in their order.
func expected(s *v1alpha1.StorageBenchmarkSpec) []string {
	var all []string
	times := int32(1)
	if s.Repetitions != nil {
		times = *s.Repetitions
	}
	workloads := func(add func(string, map[string]string)) {
		for _, w := range s.Workloads {
			for _, choice := range choices(w.Matrix) {
				add(w.Name, choice)
			}
		}
	}
	if s.Order == v1alpha1.OrderByTarget {
		for _, target := range s.Targets {
			for repetition := range times {
				workloads(func(w string, choice map[string]string) { all = append(all, key(target.Name, w, choice, repetition+1)) })
			}
		}
		return all
	}
	for repetition := range times {
		workloads(func(w string, choice map[string]string) {
			for _, target := range inTurn(s.Targets, repetition+1) { // TestNoTargetIsAlwaysFirst is about it
				all = append(all, key(target.Name, w, choice, repetition+1))
			}
		})
	}
	return all
}

var runNames = regexp.MustCompile(`^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$`)

// TestProduct: targets, cases and repetitions are covered exactly once, in order, under names of their own.
func TestProduct(t *testing.T) {
	randomSpecs(t, func(t *testing.T, _ *rand.Rand, s *v1alpha1.StorageBenchmarkSpec) {
		runs, problems := Runs(s, nil)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		if diff := cmp.Diff(expected(s), keys(runs)); diff != "" {
			t.Errorf("runs (-want +got):\n%s", diff)
		}
		seen := map[string]bool{}
		for _, run := range runs {
			if seen[run.Name] || len(run.Name) > 128 || !runNames.MatchString(run.Name) {
				t.Errorf("run %q: twice %t, %d characters", run.Name, seen[run.Name], len(run.Name))
			}
			seen[run.Name] = true
			sections := 1
			if run.Workload.JobFile != nil {
				sections = 2
			}
			options := maps.Clone(run.Parameters)
			if clients, chosen := options["clients"]; chosen && clients != fmt.Sprint(run.Clients) || run.Clients < 1 {
				t.Errorf("run %s has %d clients", run.Name, run.Clients)
			}
			delete(options, "clients")
			if strings.Contains(run.Job.String(), "clients") {
				t.Errorf("clients are told to fio:\n%s", run.Job)
			}
			for name, value := range options {
				if text := run.Job.String(); strings.Count(text, "\n"+name+"="+value+"\n") != sections || strings.Count(text, "\n"+name+"=") != sections {
					t.Errorf("%s=%s is not in each section of\n%s", name, value, text)
				}
			}
		}
	})
}

// TestNamesStandAlone: a run has the same name in a benchmark of nothing else.
func TestNamesStandAlone(t *testing.T) {
	randomSpecs(t, func(t *testing.T, _ *rand.Rand, s *v1alpha1.StorageBenchmarkSpec) {
		runs, _ := Runs(s, nil)
		for _, run := range runs {
			alone := *run.Workload
			alone.Matrix = matrix{}
			for name, value := range run.Parameters {
				alone.Matrix[name] = v1alpha1.MatrixValues{intstr.Parse(value)}
			}
			got, problems := Runs(&v1alpha1.StorageBenchmarkSpec{
				Targets: []v1alpha1.Target{*run.Target}, Workloads: []v1alpha1.Workload{alone}, Repetitions: s.Repetitions, Clients: s.Clients,
			}, nil)
			if len(problems) > 0 || !slices.Contains(names(got), run.Name) {
				t.Errorf("run %s is one of %v alone, problems %v", run.Name, names(got), problems)
			}
		}
	})
}

// TestKeyOrder: the plan does not depend on the order of keys, in memory or in YAML.
func TestKeyOrder(t *testing.T) {
	randomSpecs(t, func(t *testing.T, r *rand.Rand, s *v1alpha1.StorageBenchmarkSpec) {
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var tree any
		if err := json.Unmarshal(text, &tree); err != nil {
			t.Fatal(err)
		}
		want, _ := Runs(s, nil)
		for range 2 {
			got, problems := Runs(decode(t, shuffled(r, tree)), nil)
			if diff := cmp.Diff(names(want), names(got)); diff != "" || len(problems) > 0 {
				t.Errorf("problems %v, runs (-before +after):\n%s", problems, diff)
			}
			if diff := cmp.Diff(keys(want), keys(got)); diff != "" {
				t.Errorf("what runs measure (-before +after):\n%s", diff)
			}
		}
	})
}

// shuffled writes a tree as JSON, which is YAML, with the keys of objects in any order.
func shuffled(r *rand.Rand, tree any) []byte {
	var parts []string
	switch node := tree.(type) {
	case map[string]any:
		for name, value := range node {
			parts = append(parts, fmt.Sprintf("%q: %s", name, shuffled(r, value)))
		}
		slices.Sort(parts)
		r.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		return []byte("{" + strings.Join(parts, ", ") + "}")
	case []any:
		for _, value := range node {
			parts = append(parts, string(shuffled(r, value)))
		}
		return []byte("[" + strings.Join(parts, ", ") + "]")
	default:
		text, err := json.Marshal(node)
		if err != nil {
			panic(err)
		}
		return text
	}
}

// TestTargetOrder: another order of the targets gives the same runs in another order.
func TestTargetOrder(t *testing.T) {
	randomSpecs(t, func(t *testing.T, r *rand.Rand, s *v1alpha1.StorageBenchmarkSpec) {
		before, _ := Runs(s, nil)
		moved := s.DeepCopy()
		r.Shuffle(len(moved.Targets), func(i, j int) { moved.Targets[i], moved.Targets[j] = moved.Targets[j], moved.Targets[i] })
		after, _ := Runs(moved, nil)
		if diff := cmp.Diff(slices.Sorted(slices.Values(names(before))), slices.Sorted(slices.Values(names(after)))); diff != "" || len(after) == 0 {
			t.Errorf("runs (-before +after):\n%s", diff)
		}
		if diff := cmp.Diff(expected(moved), keys(after)); diff != "" {
			t.Errorf("order (-want +got):\n%s", diff)
		}
	})
}

// FuzzRuns holds that no spec brings the planner down, and that what it plans can be told apart.
func FuzzRuns(f *testing.F) {
	for _, text := range []string{
		"targets: [{name: t}]\nworkloads: [{name: w, fio: {rw: read, size: 1M}, matrix: {bs: [4k, 1]}}]\nrepetitions: 2\n",
		"targets: [{name: t}, {name: u, volumeMode: Block}]\nworkloads: [{name: w, jobFile: \"[a]\\nrw=read\\nsize=1M\\n\"}]\norder: ByTarget\n",
		"targets: [{name: t, capacity: 1Gi}]\nworkloads: [{name: w}, {name: w}]\nbaseline: x\n", "{}", "workloads: [{matrix: {bs: []}}]\n",
		"targets: [{name: t, storageClassName: c}]\nclients: 200\nworkloads: [{name: w, fio: {rw: read, size: 1M}, clients: [2, 300]}]\n",
		"targets: [{name: t, claimName: c}]\nworkloads: [{name: w, fio: {rw: read, size: 9P, numjobs: 999}, matrix: {readwrite: [rw], rw: [a]}}]\n",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := &v1alpha1.StorageBenchmarkSpec{}
		if yaml.Unmarshal([]byte(text), s) != nil {
			return
		}
		runs, problems := Runs(s, nil)
		if (len(runs) > 0) == (len(problems) > 0) || len(runs) > MaxResults {
			t.Errorf("%d runs, problems %v", len(runs), problems)
		}
		seen := map[string]bool{}
		for _, run := range runs {
			if seen[run.Name] || len(run.Name) > 128 || !runNames.MatchString(run.Name) || run.Job == nil {
				t.Errorf("run %q: twice %t", run.Name, seen[run.Name])
			}
			seen[run.Name] = true
		}
	})
}
