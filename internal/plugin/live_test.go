package plugin

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/childmeta"
	"github.com/storagebench/storagebench/internal/job"

	"github.com/storagebench/storagebench/internal/report"
)

// progress returns what fio prints of a rate.
func progress(iops string) string {
	return "Jobs: 1 (f=1): [w(1)][50.0%][w=11.7MiB/s][w=" + iops + " IOPS][eta 00m:30s]"
}

// TestLive: of the run that is being made there are the rates that its log tells, of one attempt at a time, and nothing of a run that has ended.
func TestLive(t *testing.T) {
	logs := map[string][]string{"first 1": {"fio was started", progress("3000"), progress("300")}, "first 2": {progress("15.5k")}, "second 1": {"no rate"}}
	told := make(chan struct{}, len(logs))
	l := newLive(nil)
	l.tail = func(ctx context.Context, _ *v1alpha1.StorageBenchmark, each func(string)) error {
		for _, line := range logs[ctx.Value(ofAttempt{}).(string)] {
			each(line)
		}
		told <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	}
	terminal := report.Style{Unicode: true, Width: 100}
	for _, test := range []struct {
		run  *v1alpha1.Run
		want string
	}{
		{&v1alpha1.Run{Name: "first", Attempts: 1}, "█▂ 300 IOPS"},
		{&v1alpha1.Run{Name: "first", Attempts: 1}, "█▂ 300 IOPS"},
		{&v1alpha1.Run{Name: "first", Attempts: 2, Clients: 4}, "█ 15500 IOPS of 1 of 4 clients"},
		{&v1alpha1.Run{Name: "second", Attempts: 1}, ""},
		{nil, ""},
	} {
		attempt := ""
		if test.run != nil {
			attempt = fmt.Sprintf("%s %d", test.run.Name, test.run.Attempts)
		}
		again := attempt == l.attempt
		l.follow(context.WithValue(t.Context(), ofAttempt{}, attempt), &v1alpha1.StorageBenchmark{}, test.run)
		if !again && test.run != nil {
			<-told
		}
		run := test.run
		if run == nil {
			run = &v1alpha1.Run{}
		}
		if got := l.shown(run, terminal); got != test.want {
			t.Errorf("of %q it shows %q, want %q", attempt, got, test.want)
		}
	}
	l.stop()
}

// ofAttempt is the key of the attempt that a test's context is of.
type ofAttempt struct{}

// TestLiveWithoutRights: who may not read logs is not asked about again.
func TestLiveWithoutRights(t *testing.T) {
	asked := 0
	l := newLive(nil)
	l.tail = func(context.Context, *v1alpha1.StorageBenchmark, func(string)) error {
		asked++
		return fmt.Errorf("read the log: %w", apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "p", nil))
	}
	l.read(t.Context(), &v1alpha1.StorageBenchmark{}, l.rates)
	if asked != 1 {
		t.Errorf("it was asked %d times", asked)
	}
}

// TestRecentRates: only the last ones are kept.
func TestRecentRates(t *testing.T) {
	var r recentRates
	for i := range int64(3 * liveRates) {
		r.add(i)
	}
	if all := r.all(); len(all) != liveRates || all[0] != 2*liveRates || all[liveRates-1] != 3*liveRates-1 {
		t.Errorf("%d rates: %v", len(all), all)
	}
}

// withPods is a cluster with pods.
type withPods struct {
	client.WithWatch

	pods []corev1.Pod
}

func (w *withPods) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	list.(*corev1.PodList).Items = w.pods
	return nil
}

// TestTailLog: the lines are those of the container that measures, from the last hundred on; one that is too long ends it.
func TestTailLog(t *testing.T) {
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.String())
		fmt.Fprintf(w, "%s\n\x1b[2J\n%s\nnever seen\n", progress("3000"), strings.Repeat("x", longestLine+1))
	}))
	defer server.Close()
	sb := measured("ns", "first", "gp3", 100)
	sb.UID = "8a6b0d54-0000-0000-0000-000000000000"
	pod := corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "ns", Name: childmeta.RunName(sb, "w.gp3", 1, 0) + "-abcde", Annotations: map[string]string{v1alpha1.AnnotationRun: "w.gp3"},
			Labels: map[string]string{v1alpha1.LabelRole: v1alpha1.RoleRun, v1alpha1.LabelClient: "0", v1alpha1.LabelAttempt: "1"},
		},
		Status: corev1.PodStatus{Phase: corev1.PodRunning},
	}
	c := &cluster{WithWatch: &withPods{pods: []corev1.Pod{pod}}, source: source{namespace: "ns"}, config: &rest.Config{Host: server.URL}}
	var lines []string
	err := c.tailLog(t.Context(), sb, func(line string) { lines = append(lines, line) })
	if err == nil || !slices.Equal(lines, []string{progress("3000"), "\x1b[2J"}) {
		t.Errorf("%q, %v", lines, err)
	}
	if len(asked) != 1 || !strings.Contains(asked[0], "/pods/"+pod.Name+"/log?container="+job.MeasureContainer) || !strings.Contains(asked[0], "tailLines=100") {
		t.Errorf("asked for %v", asked)
	}
}
