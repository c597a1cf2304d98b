package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"text/template"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/histogram"
	"github.com/storagebench/storagebench/test/await"
)

// nodesTemplate is what kwok does for kubelets and for the provisioner. Its own templates are in {{ }}, ours in [[ ]].
//
//go:embed nodes.yaml
var nodesTemplate string

const (
	// marginStep and marginSteps are the margins of the start that pods can report: a message cannot be made by a
	// template, so there is one for each margin.
	marginStep  = 250 * time.Millisecond
	marginSteps = 28
	// differentReports is how many reports there are of each margin. Clients take turns at them, so that what is
	// kept of them deflates no better than in a real cluster.
	differentReports = 8
	// occupiedBuckets is how many buckets of a histogram hold latencies: as many as fio filled of reads from a
	// busy volume in 60 s.
	occupiedBuckets = 537
)

// margin is what pods report that heard of the start so long before it.
type margin struct {
	Milliseconds int64
	Step         int
	Messages     []string
}

// newNodeConfiguration returns the configuration of kwok. Logs of all containers are the given file, and a pod that measures alone does so for as long.
func newNodeConfiguration(logFile string, fio time.Duration) ([]byte, error) {
	parsed, err := template.New("nodes").Delims("[[", "]]").Funcs(template.FuncMap{"quoted": quoted}).Parse(nodesTemplate)
	if err != nil {
		return nil, err
	}
	margins, err := newMargins()
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	err = parsed.Execute(&text, map[string]any{
		"LogFile": logFile, "Margins": margins, "Different": differentReports, "StepMilliseconds": marginStep.Milliseconds(),
		"LastStep": marginSteps - 1, "ExitLate": digest.ExitLate, "Class": className, "Alone": margins[marginSteps-1].Messages, "AnyPod": anyPod,
		"FioMilliseconds": fio.Milliseconds(),
	})
	return text.Bytes(), err
}

// quoted returns texts as what a template of kwok takes for a list of them.
func quoted(texts []string) string {
	all := make([]string, len(texts))
	for i, text := range texts {
		all[i] = strconv.Quote(text)
	}
	return strings.Join(all, " ")
}

// newMargins returns the margins from the greatest down. kwok looks at one stage after the other, each at its own instant:
// upwards it would pass over a pod whose margin falls from one step to the one below in between.
func newMargins() ([]margin, error) {
	margins := make([]margin, marginSteps)
	for i := range margins {
		m := &margins[i]
		m.Step = marginSteps - 1 - i
		m.Milliseconds = int64(m.Step) * marginStep.Milliseconds()
		for i := range differentReports {
			message, err := digest.Encode(newReport(uint64(i), m.Milliseconds))
			if err != nil {
				return nil, err
			}
			m.Messages = append(m.Messages, message)
		}
	}
	return margins, nil
}

// anyPod stands for the UID of a pod, which kwok puts in its place.
const anyPod = "00000000-0000-0000-0000-000000000000"

// newReport returns what a runner reports of random reads and writes for a minute. The same seed gives the same.
func newReport(seed uint64, marginMilliseconds int64) digest.Report {
	random := rand.New(rand.NewPCG(1, seed))
	return digest.Report{
		FioVersion: "fio-3.39", Pod: anyPod,
		Groups: []digest.Group{{
			Name: "randrw", JobStart: 1_767_225_600_000 + int64(seed), ElapsedMilliseconds: 60_005, UserPercent: 3, SystemPercent: 9,
			Figures: []digest.Figures{newFigures(v1alpha1.OperationRead, random), newFigures(v1alpha1.OperationWrite, random)},
		}},
		Environment: digest.Environment{CPUMillis: 4000, MemoryBytes: 16 << 30, StartMarginMilliseconds: marginMilliseconds},
	}
}

// newFigures returns what was measured of latencies that scatter around 5 ms, as a bell over their logarithm.
func newFigures(operation string, random *rand.Rand) digest.Figures {
	const typical, peak = 5_000_000, 1500.0
	buckets := &histogram.Histogram{}
	middle := histogram.Index(typical)
	for i := range occupiedBuckets {
		distance := float64(i-occupiedBuckets/2) / (occupiedBuckets / 6)
		count := peak * math.Exp(-distance*distance/2) * (0.8 + 0.4*random.Float64())
		buckets.Add(histogram.Value(middle-occupiedBuckets/2+i), uint64(count)+1)
	}
	least, greatest := histogram.Value(middle-occupiedBuckets/2), histogram.Value(middle+occupiedBuckets/2)
	ios := int64(buckets.Count())
	f := digest.Figures{Figures: v1alpha1.Figures{
		Name: operation, Count: ios, Bytes: 4096 * ios, MilliIOPS: ios * 1000 / 60, BytesPerSecond: 4096 * ios / 60,
	}}
	f.SetLatency(ios, typical, typical/4)
	f.SetHistogram(int64(least), int64(greatest), buckets)
	return f
}

// fioLog returns a log of the size and the kind that fio leaves, as container runtimes write it: the bins of its
// histograms take most of it.
func fioLog() []byte {
	report := newReport(0, 0)
	bins := func(operation string) map[string]any {
		latencies := report.Groups[0].Of(operation).Histogram.Bins()
		return map[string]any{"clat_ns": latencies, "lat_ns": latencies}
	}
	text, err := json.MarshalIndent(map[string]any{
		"fio version": report.FioVersion,
		"read":        bins(v1alpha1.OperationRead),
		"write":       bins(v1alpha1.OperationWrite),
	}, "", "  ")
	if err != nil {
		panic(err) // numbers and texts
	}
	var log bytes.Buffer
	for line := range strings.Lines(string(text) + "\n") {
		log.WriteString("2026-01-01T00:00:00.000000000Z stdout F " + line)
	}
	return log.Bytes()
}

// addNodes makes nodes until there are so many, and waits until all are ready.
func addNodes(ctx context.Context, c client.Client, count int) error {
	for i := range count {
		name := fmt.Sprintf("node-%03d", i)
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
			corev1.LabelHostname: name, corev1.LabelTopologyZone: "zone-a", corev1.LabelInstanceTypeStable: "m5.xlarge", corev1.LabelOSStable: "linux",
		}}}
		if err := c.Create(ctx, node); err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("create node: %w", err)
		}
	}
	wait := await.Wait{For: "nodes to be ready", Patience: startPatience, Interval: lookInterval}
	return wait.Until(ctx, func(ctx context.Context) error {
		var nodes corev1.NodeList
		if err := c.List(ctx, &nodes); err != nil {
			return err
		}
		ready := 0
		for i := range nodes.Items {
			for _, condition := range nodes.Items[i].Status.Conditions {
				if condition.Type == corev1.NodeReady && condition.Status == corev1.ConditionTrue {
					ready++
				}
			}
		}
		if ready < count {
			return fmt.Errorf("%d of %d are", ready, count)
		}
		return nil
	})
}
