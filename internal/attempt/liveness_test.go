package attempt

import (
	"testing"
	"time"
)

func TestTellsOfMeasuring(t *testing.T) {
	for line, want := range map[string]bool{
		"":                        false,
		"2026-11-21T14:03:05.25Z": false,
		"2026-11-21T14:03:05.25Z layout | test files are laid out, then fio measures":       false,
		"2026-11-21T14:03:05.25Z layout | the runner is at work":                            false,
		"2026-11-21T14:03:05.25Z test files are laid out":                                   true,
		"2026-11-21T14:03:05.25Z fio was started at 2026-11-21T14:03:05.240000Z":            true,
		"2026-11-21T14:03:05.25Z the runner is at work":                                     true,
		"2026-11-21T14:03:05.25Z layout: (g=0): rw=read, bs=(R) 4096B-4096B, ioengine=sync": true,
	} {
		if got := tellsOfMeasuring(line); got != want {
			t.Errorf("%q tells of measuring: %t, want %t", line, got, want)
		}
	}
}

func TestLayoutPoll(t *testing.T) {
	for since, want := range map[time.Duration]time.Duration{
		-time.Hour: time.Second, 0: time.Second, 4 * time.Second: time.Second, 20 * time.Second: 5 * time.Second,
		2 * time.Minute: 30 * time.Second, time.Hour: 30 * time.Second,
	} {
		if got := layoutPoll(since); got != want {
			t.Errorf("after %s it is looked again in %s, want %s", since, got, want)
		}
	}
}

func TestSaw(t *testing.T) {
	at := func(seconds int) time.Time { return noon.Add(time.Duration(seconds) * time.Second) }
	h := Liveness{}.Saw("1 layout | words", at(0))
	if h = h.Saw("1 layout | words", at(10)); h.Since != at(0) || h.Asked != at(10) || h.Measures {
		t.Errorf("of a log that stands still is known %+v", h)
	}
	if h = h.Saw("2 words", at(20)); h.Since != at(20) || !h.Measures || h.Words() != "words" {
		t.Errorf("of a log that goes on is known %+v", h)
	}
	if h = h.Saw("3 layout | words", at(25)); !h.Measures {
		t.Errorf("a log that has told of measuring tells of laying out: %+v", h)
	}
	if h = h.Fail(at(30)); h.Since != at(30) || h.Line != "" || !h.Measures {
		t.Errorf("of a log that cannot be read is known %+v", h)
	}
	if h = h.Saw("2 words", at(40)); h.Since != at(40) {
		t.Errorf("of a log that could not be read before is known %+v", h)
	}
	if h = (Liveness{}).Saw("", at(50)); h.Since != at(50) || h.Measures {
		t.Errorf("of an empty log is known %+v", h)
	}
}
