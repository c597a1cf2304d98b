package attempt

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/storagebench/storagebench/internal/digest"
)

const (
	runLimit      = 24 * time.Hour
	progressLimit = time.Minute
)

// alone returns the facts of an attempt of one client.
func alone(c State, change ...func(*Facts)) Facts { return of([]State{c}, change...) }

// of returns the facts of an attempt whose clients were never listened to.
func of(clients []State, change ...func(*Facts)) Facts {
	f := Facts{Now: noon, Clients: clients, Told: make([]bool, len(clients)), Liveness: make([]Liveness, len(clients)), RunLimit: runLimit, ProgressLimit: progressLimit}
	for _, c := range change {
		c(&f)
	}
	return f
}

func agreed(at time.Time) func(*Facts) { return func(f *Facts) { f.AgreedStart = at } }
func told(clients ...int) func(*Facts) {
	return func(f *Facts) {
		for _, i := range clients {
			f.Told[i] = true
		}
	}
}

// heard has the log of the first client have been looked at last so long ago, when its last line had stood for so long.
func heard(ago, stood time.Duration, measures bool) func(*Facts) {
	return func(f *Facts) {
		f.Liveness[0] = Liveness{Line: "time words", Asked: noon.Add(-ago), Since: noon.Add(-ago - stood), Measures: measures}
	}
}

func unanswered(f *Facts) { f.Unanswered = "node a does not answer" }

func TestDecide(t *testing.T) {
	since := func(d time.Duration) time.Time { return noon.Add(-d) }
	measures := State{Phase: Measuring, Began: since(time.Second)}
	long := State{Phase: Measuring, Began: since(time.Hour)}
	works := State{Phase: Working, Began: since(20 * time.Second)}
	lays := State{Phase: LayingOut, Began: since(time.Second)}
	done := State{Phase: Succeeded}
	first := progressLimit + digest.LivenessInterval // when a log is first looked at
	for _, test := range []struct {
		name  string
		facts Facts
		want  Decision
	}{
		{"starts", alone(State{Phase: Starting}), Decision{Action: AwaitStart}},
		{"one of two starts", of([]State{lays, {Phase: Starting}}), Decision{Action: AwaitStart, Client: 1}},
		{"has succeeded", alone(done), Decision{Action: Collect}},
		{"has failed", alone(State{Phase: Failed}), Decision{Action: Collect}},
		{"is late", alone(State{Phase: Late}), Decision{Action: Collect}},
		{"one of two was interrupted", of([]State{measures, {Phase: Interrupted}}), Decision{Action: Collect, Client: 1}},

		{"lays out", alone(lays), Decision{Action: Watch, After: maxLivenessPoll}},
		{"measures", alone(measures), Decision{Action: Watch, Measures: true, After: maxLivenessPoll}},
		{"lays out or measures, never heard", alone(works), Decision{Action: Watch, After: soon}},
		{"lays out, as heard", alone(works, heard(time.Second, 0, false)), Decision{Action: Watch, After: 4 * time.Second}},
		{"measures, as heard", alone(works, heard(time.Second, 0, true)), Decision{Action: Watch, Measures: true, After: 50 * time.Second}},
		{"lays out or measures on a node that does not answer", alone(works, unanswered), Decision{Action: Watch, Why: "node a does not answer", After: 50 * time.Second}},
		{"its log is due soon", alone(State{Phase: Measuring, Began: since(first - 7*time.Second)}), Decision{Action: Watch, Measures: true, After: 7 * time.Second}},
		{"its log was looked at", alone(long, heard(5*time.Second, 0, false)), Decision{Action: Watch, Measures: true, After: 10 * time.Second}},

		{"its log stands still", alone(long, heard(0, minSilence, false)), Decision{Action: GiveUp, Measures: true}},
		{"not for long", alone(long, heard(0, minSilence-1, false)), Decision{Action: Watch, Measures: true, After: 15 * time.Second}},
		{"fio is ended first by a runner that is well", alone(State{Phase: Measuring, Began: since(first - 1)}, heard(0, minSilence, false)),
			Decision{Action: Watch, Measures: true, After: 15 * time.Second}},
		{"that of the second client", of([]State{long, long}, agreed(since(time.Hour)), told(0, 1), func(f *Facts) {
			f.Liveness[0] = Liveness{Since: noon, Asked: noon}
			f.Liveness[1] = Liveness{Since: since(minSilence), Asked: noon}
		}), Decision{Action: GiveUp, Measures: true, Client: 1}},
		{"that of a client that has ended", of([]State{done, long}, agreed(since(time.Hour)), told(0, 1), func(f *Facts) {
			f.Liveness[0] = Liveness{Since: since(minSilence), Asked: noon}
			f.Liveness[1] = Liveness{Since: noon, Asked: noon}
		}), Decision{Action: Watch, Measures: true, Client: 1, After: 15 * time.Second}},

		{"was deleted", alone(State{Phase: Measuring, Began: since(time.Second), GivenUp: noon.Add(10 * time.Second)}),
			Decision{Action: Watch, Measures: true, After: 10*time.Second + soon}},
		{"was given up", alone(State{Phase: Measuring, Began: since(time.Second), GivenUp: since(time.Second)}),
			Decision{Action: Watch, Measures: true, After: soon}},
		{"has run for as long as it may", alone(State{Phase: Measuring, Began: since(runLimit)}), Decision{Action: Expire, Measures: true}},
		{"ends soon", alone(State{Phase: Measuring, Began: since(runLimit - 3*time.Second)}, heard(0, 0, false)), Decision{Action: Watch, Measures: true, After: 3 * time.Second}},
		{"has run for as long, and its node does not answer", alone(State{Phase: LayingOut, Began: since(runLimit)}, unanswered),
			Decision{Action: Expire, Why: "node a does not answer"}},

		{"all wait for a start", of([]State{measures, measures}), Decision{Action: Agree}},
		{"one does not wait yet", of([]State{measures, lays}), Decision{Action: Watch, Client: 1, After: maxLivenessPoll}},
		{"one has ended before there was a start", of([]State{measures, done}), Decision{Action: Agree}},
		{"none knows of the start", of([]State{measures, measures}, agreed(noon.Add(1))),
			Decision{Action: Watch, Measures: true, Tell: []int{0, 1}, After: maxLivenessPoll}},
		{"one does not know of it", of([]State{measures, measures}, agreed(noon.Add(1)), told(0)),
			Decision{Action: Watch, Measures: true, Tell: []int{1}, After: maxLivenessPoll}},
		{"one does not know of it in time", of([]State{measures, measures}, agreed(noon), told(0)),
			Decision{Action: Repeat, Client: 1, Why: "the start had passed before client-1 could be told of it"}},
		{"all know of it", of([]State{measures, measures}, agreed(noon), told(0, 1)), Decision{Action: Watch, Measures: true, After: maxLivenessPoll}},
		{"none knows of it when the time is over", of([]State{{Phase: Measuring, Began: since(runLimit)}, measures}, agreed(noon.Add(1))),
			Decision{Action: Expire, Measures: true}},
		{"one that has ended need not know", of([]State{done, measures}, agreed(noon), told(1)),
			Decision{Action: Watch, Measures: true, Client: 1, After: maxLivenessPoll}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, Decide(test.facts)); diff != "" {
				t.Errorf("decision (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDue(t *testing.T) {
	works := State{Phase: Working, Began: noon.Add(-20 * time.Second)}
	long := State{Phase: Measuring, Began: noon.Add(-time.Hour)}
	for _, test := range []struct {
		name  string
		facts Facts
		want  []int
	}{
		{"has not begun", alone(State{Phase: Starting}), nil},
		{"has ended", alone(State{Phase: Failed}), nil},
		{"measures for a moment", alone(State{Phase: Measuring, Began: noon}), nil},
		{"measures for long", alone(long), []int{0}},
		{"was looked at", alone(long, heard(time.Second, 0, false)), nil},
		{"was looked at long ago", alone(long, heard(15*time.Second, 0, false)), []int{0}},
		{"lays out or measures", alone(works), []int{0}},
		{"lays out, as heard a moment ago", alone(works, heard(4*time.Second, 0, false)), nil},
		{"lays out, as heard before", alone(works, heard(5*time.Second, 0, false)), []int{0}},
		{"measures, as heard", alone(works, heard(5*time.Second, 0, true)), nil},
		{"may lay out on a node that does not answer", alone(works, unanswered), nil},
		{"the second of two", of([]State{{Phase: LayingOut, Began: noon}, long}), []int{1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := test.facts.Due(); !slices.Equal(got, test.want) {
				t.Errorf("due are %v, want %v", got, test.want)
			}
		})
	}
}
