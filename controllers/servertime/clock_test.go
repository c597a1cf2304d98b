package servertime

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// node is a machine whose clock is off.
type node struct {
	wall    time.Time
	elapsed time.Duration
}

func (n *node) Wall() time.Time          { return n.wall }
func (n *node) Monotonic() time.Duration { return n.elapsed }

// pass has time pass.
func (n *node) pass(d time.Duration) { n.wall, n.elapsed = n.wall.Add(d), n.elapsed+d }

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// answer has the clock hear an answer that took no time, of an API server whose clock is at a time.
func answer(c *Clock, n *node, at time.Time) { c.hear(at.UTC().Format(http.TimeFormat), n.elapsed) }

// isAbout checks a time within the second to which answers are dated.
func isAbout(t *testing.T, what string, got, want time.Time) {
	t.Helper()
	if off := got.Sub(want); off.Abs() > 1100*time.Millisecond {
		t.Errorf("%s: it is %s, want %s (%s off)", what, got, want, off)
	}
}

func TestNodeWhoseClockIsOff(t *testing.T) {
	for _, off := range []time.Duration{-3 * time.Minute, -time.Hour, 0, 2 * time.Minute, 25 * time.Hour} {
		n := &node{wall: noon.Add(off)}
		c := newClock(func(time.Duration) {}, n)
		answer(c, n, noon)
		isAbout(t, off.String(), c.Now(), noon)
		n.pass(time.Hour)
		isAbout(t, off.String()+" an hour later", c.Now(), noon.Add(time.Hour))
		if got := c.Offset() - off; got.Abs() > 2*time.Second {
			t.Errorf("the offset is told as %s, want %s", c.Offset(), off)
		}
	}
}

// A step of the machine's clock ends no wait.
func TestStepOfTheNodesClock(t *testing.T) {
	n := &node{wall: noon}
	c := newClock(func(time.Duration) {}, n)
	answer(c, n, noon)
	for _, step := range []time.Duration{25 * time.Hour, -25 * time.Hour, -time.Minute} {
		before := c.Now()
		n.wall = n.wall.Add(step)
		n.pass(2 * time.Second)
		if passed := c.Now().Sub(before); passed != 2*time.Second {
			t.Errorf("after a step of %s, %s have passed, want 2 s", step, passed)
		}
		answer(c, n, c.Now())
	}
}

// An API server whose clock is set is followed slowly: no deadline comes more than a tenth sooner, and it comes.
func TestStepOfTheServersClock(t *testing.T) {
	for _, step := range []time.Duration{time.Hour, -time.Hour} {
		n := &node{wall: noon}
		c := newClock(func(time.Duration) {}, n)
		server := noon
		answer(c, n, server)
		server = server.Add(step)
		for range 60 {
			before := c.Now()
			n.pass(10 * time.Second)
			server = server.Add(10 * time.Second)
			answer(c, n, server)
			if passed := c.Now().Sub(before); passed < 8900*time.Millisecond || passed > 11100*time.Millisecond {
				t.Fatalf("after a step of %s, %s pass in 10 s", step, passed)
			}
		}
		for range 12 * 60 {
			n.pass(time.Minute)
			server = server.Add(time.Minute)
			answer(c, n, server)
		}
		isAbout(t, "half a day later", c.Now(), server)
	}
}

func TestAnswersThatTellNothing(t *testing.T) {
	n := &node{wall: noon}
	c := newClock(func(time.Duration) {}, n)
	for _, date := range []string{"", "yesterday", "0"} {
		c.hear(date, n.elapsed)
	}
	n.pass(time.Minute)
	c.hear(noon.Add(time.Hour).Format(http.TimeFormat), n.elapsed-time.Minute) // it was under way for a minute
	isAbout(t, "without an answer", c.Now(), noon.Add(time.Minute))
}

func TestIsTold(t *testing.T) {
	var told []time.Duration
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Date", noon.Format(http.TimeFormat))
	}))
	defer server.Close()
	n := &node{wall: noon.Add(2 * time.Minute)}
	c := newClock(func(offset time.Duration) { told = append(told, offset) }, n)
	client := http.Client{Transport: c.Wrap(http.DefaultTransport)}
	for range 3 {
		response, err := client.Get(server.URL)
		if err != nil {
			t.Fatal(err)
		}
		if err := response.Body.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if len(told) != 1 || told[0].Round(10*time.Second) != 2*time.Minute {
		t.Errorf("told %v, want one offset of two minutes", told)
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(c)
	families, err := registry.Gather()
	if err != nil || len(families) != 1 {
		t.Fatalf("metrics %v, error %v", families, err)
	}
	if seconds := families[0].GetMetric()[0].GetGauge().GetValue(); families[0].GetName() != "storagebench_clock_offset_seconds" || seconds < 118 || seconds > 121 {
		t.Errorf("metric %s is %g, want about 120", families[0].GetName(), seconds)
	}
}
