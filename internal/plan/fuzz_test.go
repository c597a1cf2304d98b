package plan

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// choices are what the fuzzer chose, from the front; 0 when they are used up.
type fuzzChoices []byte

func (c *fuzzChoices) next(n int) int {
	if len(*c) == 0 {
		return 0
	}
	first := (*c)[0]
	*c = (*c)[1:]
	return int(first) % n
}

func choose[T any](c *fuzzChoices, values ...T) T { return values[c.next(len(values))] }

// maybe returns nil, or one of the values.
func maybe[T any](c *fuzzChoices, values ...T) *T {
	at := c.next(len(values) + 1)
	if at == 0 {
		return nil
	}
	return &values[at-1]
}

func (c *fuzzChoices) spec() *v1alpha1.StorageBenchmarkSpec {
	s := &v1alpha1.StorageBenchmarkSpec{
		Order: choose(c, v1alpha1.OrderInterleaved, v1alpha1.OrderByTarget, "", "x"), Baseline: maybe(c, "a", "b", "", "A"),
		Repetitions: maybe[int32](c, 1, 2, 64, 0, -1, 1<<31-1), Clients: maybe[int32](c, 1, 2, 128, 0, -1, 129, 1<<31-1),
	}
	for range c.next(4) {
		s.Targets = append(s.Targets, c.target())
	}
	for range c.next(4) {
		s.Workloads = append(s.Workloads, c.workload())
	}
	return s
}

var fuzzNames = []string{"a", "b", "a-b", "", "A", "a.b", "-a", "a\x1b", "../a", strings.Repeat("x", 32), strings.Repeat("x", 33)}

// fuzzQuantities are sizes on both sides of all limits, of which some are none.
func (c *fuzzChoices) quantity() *resource.Quantity {
	text := choose(c, "", "1Gi", "10Gi", "125Gi", "1", "0", "-1Gi", "1m", "16Ti", "64Ti", "65Ti", "9E", "8Ei", "1e30", "0.5")
	if text == "" {
		return nil
	}
	return new(resource.MustParse(text))
}

func (c *fuzzChoices) target() v1alpha1.Target {
	t := v1alpha1.Target{
		Name: choose(c, fuzzNames...), Capacity: c.quantity(), FreeSpaceReserve: c.quantity(),
		AccessMode:                maybe(c, corev1.ReadWriteMany, corev1.ReadWriteOnce, "x"),
		VolumeMode:                maybe(c, corev1.PersistentVolumeBlock, corev1.PersistentVolumeFilesystem, "x"),
		VolumeAttributesClassName: maybe(c, "", "fast"),
	}
	if choose(c, false, true) {
		t.DataSource = &v1alpha1.DataSource{
			APIGroup: maybe(c, v1alpha1.SnapshotGroup, "", "x"), Kind: choose[v1alpha1.DataSourceKind](c, "VolumeSnapshot", "PersistentVolumeClaim", ""),
			Name: choose(c, "db", "", "../db"),
		}
	}
	kinds := choose(c, 1, 2, 4, 8, 16, 0, 3, 31)
	if kinds&1 != 0 {
		t.StorageClassName = new(choose(c, "fast", ""))
	}
	if kinds&2 != 0 {
		t.EBS = &v1alpha1.EBSVolume{
			Type: choose[v1alpha1.EBSVolumeType](c, "gp3", "gp2", "io1", "io2", "st1", "sc1", "standard", "", "x"),
			IOPS: maybe[int32](c, 3000, 80000, 80001, 100, 0, -1, 1<<31-1), IOPSPerGB: maybe[int32](c, 1, 500, 0, -1, 1<<31-1),
			Throughput: maybe[int32](c, 125, 2000, 2001, 0, -1, 1<<31-1),
		}
	}
	if kinds&4 != 0 {
		t.EFS = &v1alpha1.EFSFileSystem{
			FileSystemID: choose(c, "fs-0123456789abcdef0", ""), ThroughputMode: maybe[v1alpha1.EFSThroughputMode](c, "Bursting", "Provisioned", "x"),
			ProvisionedThroughput: maybe[int32](c, 1, 3414, 0, -1, 1<<31-1), MeteredSize: c.quantity(),
		}
	}
	if kinds&8 != 0 {
		t.S3 = &v1alpha1.S3Bucket{Bucket: choose(c, "my-bucket", "")}
	}
	if kinds&16 != 0 {
		t.ClaimName = new(choose(c, "data", ""))
	}
	return t
}

func (c *fuzzChoices) workload() v1alpha1.Workload {
	w := v1alpha1.Workload{Name: choose(c, fuzzNames...)}
	kinds := choose(c, 1, 2, 0, 3)
	if kinds&1 != 0 {
		w.Fio = c.parameters()
	}
	if kinds&2 != 0 {
		w.JobFile = new(choose(c, "[a]\nrw=read\nsize=1M\n", "[global]\nrw=write\nsize=1M\n[a]\n[b]\nstonewall\n[c]\nnumjobs=1024\n", "",
			"[a]\nrw=randrw\nsize=16384p\n", "[a]\nexec_prerun=id\n", "[a]\nfilename=/etc/passwd\nsize=1M\n", strings.Repeat("[a]\nrw=read\nsize=1M\nstonewall\n", 17)))
	}
	names := []string{"bs", "blocksize", "numjobs", "clients", "rw", "size", "group_reporting", "exec_prerun", "../x", ""}
	for range c.next(5) {
		if w.Matrix == nil {
			w.Matrix = map[string]v1alpha1.MatrixValues{}
		}
		var values v1alpha1.MatrixValues
		for range c.next(6) {
			values = append(values, intstr.Parse(choose(c, "4k", "16k", "4K", "1", "2", "02", "128", "129", "-1", "read", "randwrite", "9223372036854775807",
				"x\ny", "$(id)", strings.Repeat("4", 65))))
		}
		w.Matrix[choose(c, names...)] = values
	}
	return w
}

func (c *fuzzChoices) parameters() *v1alpha1.FioParameters {
	p := &v1alpha1.FioParameters{
		RW: choose(c, "read", "randwrite", "write", "randrw", "trim", "", "x"), Size: maybe(c, "1M", "16M", "10G", "16384p", "0", "50%", "1e3", "x"),
		BS: maybe(c, "4k", "1,2,3", "0", "x"), NumJobs: maybe[int32](c, 1, 4, 1024, 0, -1, 1<<31-1), NrFiles: maybe[int32](c, 1, 100000, 0, -1, 1<<31-1),
		RuntimeSeconds: maybe[int32](c, 1, 604800, 0, -1, 1<<31-1), TimeBased: maybe(c, true, false), IODepth: maybe[int32](c, 1, 65536, 0, -1),
		IOEngine: maybe(c, "psync", "libaio", "exec", "x"), Loops: maybe[int32](c, 1, 1000000, 0, -1),
	}
	for range c.next(4) {
		if p.Options == nil {
			p.Options = map[string]v1alpha1.FioOptionValue{}
		}
		p.Options[choose(c, "offset", "filename", "exec_prerun", "norandommap", "rw", "directory", "x\ny", "unlink")] =
			choose[v1alpha1.FioOptionValue](c, "1", "4k", "a:b", "../x", "", "x\ny", "id", "9223372036854775807")
	}
	return p
}

// FuzzSpec plans specs of all kinds, which no server has seen: valid ones, and what an older CRD may have let pass.
func FuzzSpec(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{0, 0, 2, 0, 1, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 2, 1})
	f.Add([]byte{1, 1, 2, 1, 2, 0, 3, 1, 1, 0, 1, 1, 2, 1, 2, 1, 1, 0, 2, 0, 0, 1, 1, 1, 1, 0, 0, 2, 2, 1, 0, 3, 1, 2, 4})
	f.Fuzz(func(t *testing.T, data []byte) {
		source := fuzzChoices(data)
		spec := source.spec()
		before := spec.DeepCopy()
		runs, problems := Runs(spec, nil)
		checkPlan(t, spec, runs, problems)
		again, problemsAgain := Runs(spec.DeepCopy(), nil)
		if diff := cmp.Diff(names(runs), names(again)); diff != "" || problems.ToAggregate() != nil && problems.ToAggregate().Error() != problemsAgain.ToAggregate().Error() {
			t.Errorf("planned again it is another plan: %s\n%v\n%v", diff, problems, problemsAgain)
		}
		if !equality.Semantic.DeepEqual(before, spec) {
			t.Errorf("planning changes the spec: %s", cmp.Diff(before, spec))
		}
	})
}

// checkPlan holds a plan to what the rest of the operator takes for granted: there are runs or problems; names can be
// those of objects, and are unique; and problems name fields in words that can be shown.
func checkPlan(t *testing.T, spec *v1alpha1.StorageBenchmarkSpec, runs []Run, problems field.ErrorList) {
	t.Helper()
	if (len(runs) > 0) == (len(problems) > 0) || len(runs) > MaxResults {
		t.Errorf("%d runs, problems %v", len(runs), problems)
	}
	seen := map[string]bool{}
	results := 0
	for _, run := range runs {
		if seen[run.Name] || len(run.Name) > 128 || !runNames.MatchString(run.Name) || run.Clients < 1 || run.Clients > v1alpha1.MaxClients {
			t.Errorf("run %q of %d clients: twice %t", run.Name, run.Clients, seen[run.Name])
		}
		seen[run.Name] = true
		results += len(run.Job.Groups())
	}
	if results > MaxResults {
		t.Errorf("%d results", results)
	}
	checkEstimates(t, runs)
	for _, problem := range problems {
		checkProblem(t, problem)
	}
	if len(runs) > 0 && !slices.ContainsFunc(spec.Targets, func(target v1alpha1.Target) bool { return target.Name == Baseline(spec) }) {
		t.Errorf("baseline %s is no target", Baseline(spec))
	}
}

// checkEstimates holds that each run has an estimate, and that sums of them do not overflow.
func checkEstimates(t *testing.T, runs []Run) {
	t.Helper()
	estimates := Estimates(runs, nil)
	for _, run := range runs {
		e, estimated := estimates[run.Name]
		if !estimated || e.Overhead <= 0 || slices.Min([]time.Duration{e.Layout, e.Measuring}) < 0 || slices.Max([]time.Duration{e.Layout, e.Measuring, e.Overhead}) > maxEstimate {
			t.Errorf("run %q is estimated to take %+v", run.Name, e)
		}
	}
	if len(estimates) != len(runs) {
		t.Errorf("%d estimates of %d runs", len(estimates), len(runs))
	}
}

func checkProblem(t *testing.T, problem *field.Error) {
	t.Helper()
	text := problem.Error()
	if !strings.HasPrefix(problem.Field, "spec.") || len(text) > 4096 {
		t.Errorf("%d bytes about %q: %.400q", len(text), problem.Field, text)
	}
	if strings.ContainsFunc(text, unicode.IsControl) {
		t.Errorf("control characters in %q", text)
	}
	// Without a target there is no value to propose for the baseline, and another problem says so.
	if problem.Detail == "" && problem.Type != field.ErrorTypeDuplicate && problem.Type != field.ErrorTypeNotSupported {
		t.Errorf("no reason in %q (%s)", text, problem.Type)
	}
}
