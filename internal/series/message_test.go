package series

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMessage(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, size := range []int{1, lineBytes, lineBytes + 1, MaxBytes} {
		data := make([]byte, size)
		for i := range data {
			data[i] = byte(random.Uint32())
		}
		var log bytes.Buffer
		log.WriteString("fio was started\n")
		if err := WriteMessage(&log, data); err != nil {
			t.Fatal(err)
		}
		log.WriteString("the runner is at work\n")
		if lines := strings.Count(log.String(), "\n"); lines > MessageLines || log.Len() > MessageBytes {
			t.Errorf("%d bytes take %d lines and %d bytes", size, lines, log.Len())
		}
		text := log.String()
		got, err := ReadMessage(strings.NewReader(text))
		if err != nil || !bytes.Equal(got, data) {
			t.Errorf("of %d bytes came %d: %v", size, len(got), err)
		}
		var rest bytes.Buffer
		if err := CopyWithout(&rest, strings.NewReader(text)); err != nil || rest.String() != "fio was started\nthe runner is at work\n" {
			t.Errorf("the log without its series is %q, %v", rest.String(), err)
		}
	}
}

func TestNoMessage(t *testing.T) {
	for name, log := range map[string]string{
		"nothing":      "",
		"another log":  "fio was started\n",
		"a part":       linePrefix + "1 of 2: AAAA\n",
		"the end":      linePrefix + "2 of 2: AAAA\n",
		"not in order": linePrefix + "1 of 3: AAAA\n" + linePrefix + "3 of 3: AAAA\n",
		"no base64":    linePrefix + "1 of 1: A\n",
		"no number":    linePrefix + "x\n",
		"other lines":  linePrefix + "1 of 2: AAAA\n" + linePrefix + "2 of 9: AAAA\n",
		"too long":     linePrefix + "1 of 1: " + strings.Repeat("A", MaxBytes*4/3+8) + "\n",
	} {
		if data, err := ReadMessage(strings.NewReader(log)); err == nil {
			t.Errorf("%s: %d bytes", name, len(data))
		}
	}
}

// What a client sends is what it recorded: percentiles to 3 %, all else to 4 digits.
func TestPart(t *testing.T) {
	r := noisy(100, 2)
	data, err := EncodePart(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("100 points of 2 sections and 2 directions: %d bytes", len(data))
	back, err := DecodePart(data)
	if err != nil {
		t.Fatal(err)
	}
	want, got := r.Series(), back.Series()
	for i, p99 := range want.Sections[1].Write.Latency.P99 {
		if off := float64(got.Sections[1].Write.Latency.P99[i])/float64(p99) - 1; off > 0.04 || off < -0.04 {
			t.Errorf("point %d: p99 %d, was %d", i, got.Sections[1].Write.Latency.P99[i], p99)
		}
	}
	for _, s := range []*Series{want, got} {
		for i := range s.Sections {
			for _, d := range s.Sections[i].Directions() {
				d.Latency.P50, d.Latency.P99 = nil, nil
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-sent +received:\n%s", diff)
	}
}

func TestPartIsBounded(t *testing.T) {
	data, err := EncodePart(noisy(3000, 4))
	if err != nil || len(data) > MaxBytes {
		t.Fatalf("%d bytes, %v", len(data), err)
	}
	t.Logf("3,000 points of 4 sections: %d bytes", len(data))
}

func TestDecodePartRefuses(t *testing.T) {
	change := func(change func(*Latency)) []byte {
		s := noisy(2, 1).columns()
		s.addHistograms(noisy(2, 1))
		change(s.Sections[0].Read.Latency)
		return zipped(t, s)
	}
	for name, data := range map[string][]byte{
		"no series":      {1},
		"no histograms":  zipped(t, noisy(2, 1).columns()),
		"too few":        change(func(l *Latency) { l.Histograms = l.Histograms[1:] }),
		"beyond the end": change(func(l *Latency) { l.Histograms[0] = []uint64{1856, 1} }),
		"wraps around":   change(func(l *Latency) { l.Histograms[0] = []uint64{5, 1, 1<<64 - 3, 1} }),
	} {
		if _, err := DecodePart(data); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
