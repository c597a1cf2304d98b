package controllers

import (
	"bytes"
	"compress/flate"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"math"
	"math/rand/v2"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/workers"
	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/fakecluster"
)

// forgedMessages are what a hostile or broken pod can leave for a report.
func forgedMessages(t *testing.T) map[string]fakecluster.Outcome {
	t.Helper()
	valid, err := digest.Encode(builder.Report())
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(11, 12))
	garbage := make([]byte, digest.MaxBytes)
	for i := range garbage {
		garbage[i] = byte(r.Uint32())
	}
	prefix, _, _ := strings.Cut(valid, ":")
	negative := builder.Report()
	negative.Groups[0].Of(v1alpha1.OperationRead).Count = -1
	twoGroups := builder.Report("one", "two")
	another := builder.Report()
	another.Pod = "01234567-89ab-cdef-0123-456789abcdef"
	ofAnother, err := digest.Encode(another)
	if err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(strings.TrimPrefix(valid, prefix+":"), ":")
	return map[string]fakecluster.Outcome{
		"4 KiB of garbage":        fakecluster.Say(string(garbage)),
		"4 KiB of text":           fakecluster.Say(strings.Repeat("x", digest.MaxBytes)),
		"nothing":                 fakecluster.Say(""),
		"half a report":           fakecluster.Say(valid[:len(valid)/2]),
		"a report and more":       fakecluster.Say(valid + valid),
		"another version":         fakecluster.Say("storagebench/v999:" + strings.TrimPrefix(valid, prefix+":")),
		"a bomb":                  fakecluster.Say(prefix + "::" + deflated(t, make([]byte, 2<<20))),
		"negative figures":        fakecluster.Succeed(negative),
		"no figures":              fakecluster.Say(prefix + "::" + deflated(t, []byte{0x83, 0x83, 0x60, 0x80, 0x00, 0x80, 0xa0})),
		"results of another job":  fakecluster.Succeed(twoGroups),
		"a report of another pod": fakecluster.Say(ofAnother),
		"a report of no pod":      fakecluster.Say(valid),
		"an older report":         fakecluster.Say("storagebench/v4:" + body),
		"a report of a failure":   fakecluster.Fail(digest.ExitFailed, valid),
		"an error of a success":   fakecluster.Say("fio: io_u error: No space left on device"),
		"escapes":                 fakecluster.Fail(digest.ExitFailed, "\x1b[2J\x1b]0;owned\x07 all\r\nis\x00 well \u202e\u0085"),
		"no UTF-8":                fakecluster.Fail(digest.ExitFailed, "no \xff\xfe\xc3 text"),
		"4 KiB of no UTF-8":       fakecluster.Fail(digest.ExitFailed, strings.Repeat("\x80", digest.MaxBytes)),
		"an exit code of its own": fakecluster.Fail(math.MaxInt32, string(garbage)),
	}
}

// probed is a benchmark of a workload that is probed after its only run.
func probed(w *testWorld) *v1alpha1.StorageBenchmark {
	workload := builder.NewWorkload("reads")
	workload.Fio.RW, workload.Fio.Direct, workload.Fio.RuntimeSeconds, workload.Fio.TimeBased = "randread", new(true), new(int32(60)), new(true)
	workload.Probe = v1alpha1.ProbeLastRepetition
	return builder.NewBenchmark(w.Namespace, "sb").Target(builder.NewTarget("fast")).Workload(workload).Build()
}

// awaitingProbe is what a runner reports before it probes.
func awaitingProbe() digest.Report {
	report := builder.Report()
	report.LacksProbe = true
	return report
}

// What was measured before a probe is a result, also where the container ends in the probe. A warning says so.
func TestOutOfMemoryInAProbe(t *testing.T) {
	w := newWorld(t)
	w.Cluster.AllPods(fakecluster.OutOfMemoryAfter(awaitingProbe()))

	sb := w.untilEnd(create(w, probed(w)), metav1.ConditionTrue, v1alpha1.ReasonCompleted)

	if err := wantRun(sb, v1alpha1.RunSucceeded, 1, 0); err != nil {
		t.Fatal(err)
	}
	run := sb.Status.Runs[0]
	if run.Result == nil || run.Result.Of(v1alpha1.OperationRead).Count != 1000 || run.Probe != nil || run.Message != "" {
		t.Errorf("run is %+v", run)
	}
	warned := slices.ContainsFunc(run.Warnings, func(w v1alpha1.Warning) bool {
		return w.Reason == v1alpha1.WarningProbeFailed && strings.Contains(w.Message, "after the result was measured: the container ran out of memory (OOMKilled)")
	})
	if !warned {
		t.Errorf("warnings are %+v", run.Warnings)
	}
}

// A report of a container that did not end well counts for nothing, but for that of a pod that was to probe, which is
// its own and says itself that it was written before a probe.
func TestForgedReportsOfProbes(t *testing.T) {
	t.Parallel()
	another := awaitingProbe()
	another.Pod = "01234567-89ab-cdef-0123-456789abcdef"
	ofAnother, err := digest.Encode(another)
	if err != nil {
		t.Fatal(err)
	}
	unprobed := func(w *testWorld) *v1alpha1.StorageBenchmark { return builder.OneRun(w.Namespace, "sb").Build() }
	for name, test := range map[string]struct {
		sb      func(*testWorld) *v1alpha1.StorageBenchmark
		outcome fakecluster.Outcome
		words   string
	}{
		"a report that is not of a probe": {probed, fakecluster.OutOfMemoryAfter(builder.Report()), "OOMKilled"},
		"no probe was to come":            {unprobed, fakecluster.OutOfMemoryAfter(awaitingProbe()), "OOMKilled"},
		"a report of another pod":         {probed, fakecluster.Fail(137, ofAnother), "storagebench/v5:"},
		"another job's":                   {probed, fakecluster.OutOfMemoryAfter(func() digest.Report { r := builder.Report("one", "two"); r.LacksProbe = true; return r }()), "it has 2 results, and the run has 1"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.Cluster.AllPods(test.outcome)

			sb := w.untilEnd(create(w, test.sb(w)), metav1.ConditionFalse, v1alpha1.ReasonRunFailed, test.words)

			if run := sb.Status.Runs[0]; run.State != v1alpha1.RunFailed || run.Result != nil || run.Sections != nil {
				t.Errorf("run is %+v", run)
			}
		})
	}
}

func deflated(t *testing.T, payload []byte) string {
	t.Helper()
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(payload); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return base64.RawStdEncoding.EncodeToString(out.Bytes())
}

// Whatever a pod leaves for a report, its own run fails, in words that can be shown, and the next run has its result.
func TestForgedReportsFailTheirOwnRun(t *testing.T) {
	t.Parallel()
	for name, outcome := range forgedMessages(t) {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.Cluster.OnPod(func(pod *corev1.Pod) fakecluster.Outcome {
				if pod.Annotations[v1alpha1.AnnotationRun] == "first.fast" {
					return outcome
				}
				return fakecluster.Succeed(builder.Report())
			})
			sb := create(w, builder.NewBenchmark(w.Namespace, "sb").Target(builder.NewTarget("fast")).
				Workload(builder.NewWorkload("first")).Workload(builder.NewWorkload("second")).Build())

			sb = w.untilEnd(sb, metav1.ConditionFalse, v1alpha1.ReasonRunFailed, "1 of 2 runs failed: first.fast: ")

			forged, honest := sb.Status.Runs[0], sb.Status.Runs[1]
			if forged.State != v1alpha1.RunFailed || forged.Result != nil || forged.Sections != nil || forged.Attempts != 1 || forged.Message == "" {
				t.Errorf("the forged run is %+v", forged)
			}
			if honest.State != v1alpha1.RunSucceeded || honest.Result == nil || honest.Result.Of(v1alpha1.OperationRead).Count != 1000 {
				t.Errorf("the honest run is %+v", honest)
			}
			texts := []string{forged.Message}
			for _, c := range sb.Status.Conditions {
				texts = append(texts, c.Message)
			}
			for _, text := range texts {
				if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }) {
					t.Errorf("%q is shown as it is", text)
				}
			}
		})
	}
}

// Figures that are far from anything that storage can do are figures all the same: they are written, and nothing else
// suffers from them.
func TestAbsurdFigures(t *testing.T) {
	w := newWorld(t)
	absurd := builder.Report()
	g := &absurd.Groups[0]
	g.ElapsedMilliseconds, g.JobStart, g.UserPercent = math.MaxInt64, 253_402_300_799_999, 1000
	g.Figures = nil
	for _, operation := range []string{v1alpha1.OperationRead, v1alpha1.OperationWrite, v1alpha1.OperationTrim} {
		f := builder.Figures(operation)
		f.Count, f.Bytes, f.ShortIOs, f.DroppedIOs = math.MaxInt64, math.MaxInt64, math.MaxInt64, math.MaxInt64
		f.MilliIOPS, f.BytesPerSecond = math.MaxInt64, math.MaxInt64
		f.SetLatency(math.MaxInt64, math.MaxInt64, math.MaxInt64)
		f.CompletionLatency.MaxNanoseconds = math.MaxInt64
		g.Figures = append(g.Figures, f)
	}
	absurd.Environment = digest.Environment{CPUMillis: math.MaxInt64, MemoryBytes: math.MaxInt64, Periods: math.MaxInt64, ThrottledPeriods: math.MaxInt64, Files: math.MaxInt64}
	w.Cluster.OnPod(func(pod *corev1.Pod) fakecluster.Outcome {
		if strings.HasPrefix(pod.Annotations[v1alpha1.AnnotationRun], "randread.forged") {
			return fakecluster.Succeed(absurd)
		}
		return fakecluster.Succeed(builder.Report())
	})
	sb := create(w, builder.NewBenchmark(w.Namespace, "sb").Target(builder.NewTarget("forged")).Target(builder.NewTarget("honest")).
		Workload(builder.NewWorkload("randread")).With(func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Repetitions = new(int32(4)) }).Build())

	sb = w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)

	for i := range sb.Status.Runs {
		if run := &sb.Status.Runs[i]; run.Target == "honest" && (run.Result == nil || run.Result.Of(v1alpha1.OperationRead).IOPS() != 3048) {
			t.Errorf("run %s is %+v", run.Name, run)
		}
	}
	text, err := json.Marshal(sb.Status)
	if err != nil {
		t.Fatal(err)
	}
	if negative := regexp.MustCompile(`.{60}[:" ]-[0-9]+`).Find(text); negative != nil || bytes.Contains(text, []byte("NaN")) || bytes.Contains(text, []byte("Inf\"")) {
		t.Errorf("the status has figures that cannot be: %s", negative)
	}
}

// A log without an end costs the operator neither its memory nor its time, and no result.
func TestEndlessLog(t *testing.T) {
	endless := &endlessLog{}
	s := passOver(&Reconciler{Logs: func(context.Context, *corev1.Pod, *corev1.PodLogOptions) (io.ReadCloser, error) {
		return io.NopCloser(endless), nil
	}}, &v1alpha1.StorageBenchmark{})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	zipped, err := workers.ZipLog(t.Context(), s, &corev1.Pod{}, workers.MaxKept)
	runtime.ReadMemStats(&after)
	if err == nil || len(zipped) > 0 || !strings.Contains(err.Error(), "more than 262144 bytes, the most that is kept") {
		t.Errorf("%d bytes, error %v", len(zipped), err)
	}
	if endless.read > workers.MaxLog+1<<16 {
		t.Errorf("%d bytes are read", endless.read)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 4*workers.MaxLog {
		t.Errorf("%d bytes are allocated", took)
	}
}

// endlessLog cannot be compressed and never ends.
type endlessLog struct{ read int }

func (l *endlessLog) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(rand.Uint32())
	}
	l.read += len(p)
	return len(p), nil
}
