package plugin

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/childmeta"
)

// attack sets the title of a terminal, in both ways to begin it, goes back over what was printed, and turns a text around.
const attack = "\x1b]0;owned\x07\u009d0;owned\u009c\x1b[2J\x1b[1A\rall is well\b\u202egnihton\u2066"

// isAct says whether a terminal acts on a character.
func isAct(r rune) bool {
	return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r))
}

// hostile is a benchmark whose texts attack the terminal, as far as pods, drivers and tenants can have a say in them.
func hostile() *v1alpha1.StorageBenchmark {
	sb := measured("ns", "hostile", "gp3", 100)
	sb.Labels = map[string]string{"team": attack}
	run := &sb.Status.Runs[0]
	run.Parameters = map[string]string{"bs": "4k" + attack, "x" + attack: "1"}
	run.Result.FioVersion = "fio" + attack
	run.Warnings = []v1alpha1.Warning{{Reason: "R", Message: attack}}
	sb.Status.Runs = append(sb.Status.Runs, v1alpha1.Run{Name: "w.failed" + attack, Workload: "w", Target: "gp3" + attack, State: v1alpha1.RunFailed, Message: attack})
	sb.Status.Comparisons[0].Parameters = run.Parameters
	sb.Status.Summary = attack
	sb.Status.Targets = []v1alpha1.TargetStatus{{Name: "gp3", Driver: attack, Volumes: []v1alpha1.VolumeStatus{{Name: "v", Handle: attack, Node: attack, InstanceType: attack}}}}
	sb.Status.Warnings = []v1alpha1.WarningSummary{{Reason: "R", Message: attack, Remedy: attack}}
	sb.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionSucceeded, Status: metav1.ConditionFalse, Reason: v1alpha1.ReasonRunFailed, Message: attack}}
	return sb
}

// No command prints what a terminal acts on, whatever the cluster says.
func TestNoCommandPrintsEscapes(t *testing.T) {
	server := newServer(t, hostile(), measured("ns", "other", "gp3", 100))
	t.Setenv("KUBECONFIG", "/dev/null")
	commands := [][]string{{"list"}, {"list", "-A"}, {"explain-result", "hostile"}, {"explain-result", "hostile", "no such run"}, {"watch", "hostile"}, {"logs", "hostile", "no such run"}}
	for _, f := range reportFormats {
		commands = append(commands, []string{"report", "hostile", "-o", f.name})
	}
	for _, f := range compareFormats {
		commands = append(commands, []string{"compare", "other", "hostile", "-o", f.name})
	}
	for _, args := range commands {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			got := execute(t, "", on(server, args...)...)
			text := got.Out + got.Err
			if at := strings.IndexFunc(text, isAct); text == "" || at >= 0 {
				t.Errorf("of %d bytes it prints %.80q", len(text), text[max(at, 0):])
			}
		})
	}
}

// saying is a cluster whose objects are hostile.
type saying struct {
	client.WithWatch

	changes   *watch.FakeWatcher
	configMap corev1.ConfigMap
}

func (s *saying) Watch(context.Context, client.ObjectList, ...client.ListOption) (watch.Interface, error) {
	return s.changes, nil
}

func (s *saying) Get(_ context.Context, _ client.ObjectKey, object client.Object, _ ...client.GetOption) error {
	if into, ok := object.(*corev1.ConfigMap); ok {
		s.configMap.DeepCopyInto(into)
	}
	return nil
}

func TestChangesAreHarmless(t *testing.T) {
	s := &saying{changes: watch.NewFake()}
	changes, err := harmlessClient(s).Watch(t.Context(), &v1alpha1.StorageBenchmarkList{})
	if err != nil {
		t.Fatal(err)
	}
	go s.changes.Modify(hostile())
	event := <-changes.ResultChan()
	if text := fmt.Sprintf("%+v", event.Object); strings.ContainsFunc(text, isAct) || !strings.Contains(text, "all is well") {
		t.Errorf("it is %q", text)
	}
}

// A log is printed with its lines and columns, and without what a terminal acts on, also where it comes in single bytes.
func TestLogsAreHarmless(t *testing.T) {
	var out bytes.Buffer
	w := harmlessWriter(&out)
	for _, b := range []byte("a\tb\n" + attack + "µs \x9b2J\n") {
		if _, err := w.Write([]byte{b}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); strings.ContainsFunc(text, isAct) || !strings.HasPrefix(text, "a\tb\n") || !strings.Contains(text, "µs") {
		t.Errorf("it is %q", text)
	}
}

// zeros returns what inflates to so many bytes.
func zeros(t *testing.T, size int64) []byte {
	t.Helper()
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	if _, err := io.CopyN(w, repeated{}, size); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return zipped.Bytes()
}

// repeated is an endless text.
type repeated struct{}

func (repeated) Read(p []byte) (int, error) { return len(p), nil }

// What was kept is inflated as far as a bound for all of it: not each key, and not each run, has one of its own.
func TestInflationIsBoundedInAll(t *testing.T) {
	bomb := zeros(t, 24<<20)
	keys := func(n int) map[string][]byte {
		data := map[string][]byte{}
		for i := range n {
			data[childmeta.LogKey(int32(i))] = bomb
		}
		return data
	}
	run := &v1alpha1.Run{Name: "r", LogConfigMap: "kept"}
	for _, test := range []struct {
		name       string
		keys, runs int
		inflatable int64
		refused    bool
	}{
		{"two keys fit", 2, 1, maxInflated, false},
		{"three are too much for a ConfigMap", 3, 1, maxInflated, true},
		{"two runs fit", 1, 2, 48 << 20, false},
		{"three are too much for a command", 1, 3, 48 << 20, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := &source{from: &saying{configMap: corev1.ConfigMap{BinaryData: keys(test.keys)}}, inflatable: test.inflatable}
			var errs []error
			for range test.runs {
				_, err := c.kept(t.Context(), run)
				errs = append(errs, err)
			}
			err := errors.Join(errs...)
			if (err != nil) != test.refused || err != nil && !strings.Contains(err.Error(), "name a RUN") {
				t.Errorf("error %v", err)
			}
		})
	}
}
