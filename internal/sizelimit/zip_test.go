package sizelimit

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"
)

// What fits is kept whole, and what does not is refused at the byte that is too much.
func TestZip(t *testing.T) {
	const text = "the log of a run"
	for _, test := range []struct {
		most    int
		refused bool
	}{{most: 0, refused: true}, {most: 25, refused: true}, {most: 64}} {
		zipped, err := Zip(test.most, func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		})
		if (err != nil) != test.refused || len(zipped) > test.most {
			t.Errorf("at most %d: %d bytes, error %v", test.most, len(zipped), err)
		}
		if test.refused {
			if !errors.As(err, new(SizeError)) || !strings.Contains(err.Error(), "the most that is kept") {
				t.Errorf("at most %d: error %v", test.most, err)
			}
			continue
		}
		r, err := gzip.NewReader(bytes.NewReader(zipped))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); err != nil || string(got) != text {
			t.Errorf("%q is kept, error %v", got, err)
		}
	}
}

// What cannot be written is no matter of size.
func TestZipOfAnError(t *testing.T) {
	failed := errors.New("the node does not answer")
	if zipped, err := Zip(64, func(io.Writer) error { return failed }); zipped != nil || !errors.Is(err, failed) || errors.As(err, new(SizeError)) {
		t.Errorf("%d bytes, error %v", len(zipped), err)
	}
}

// A writer takes as much as it may, in however many writes, and nothing after what was too much.
func TestWriter(t *testing.T) {
	for _, test := range []struct {
		name   string
		writes []string
		want   string
		fails  bool
	}{
		{"nothing", nil, "", false},
		{"just as much", []string{"abc", "de"}, "abcde", false},
		{"a byte more", []string{"abc", "def"}, "abc", true},
		{"all at once", []string{"abcdef"}, "", true},
		{"nothing after it", []string{"abcdef", "g"}, "", true},
	} {
		var taken bytes.Buffer
		w := Writer(&taken, 5, "too much")
		var failed error
		for _, text := range test.writes {
			if _, err := io.WriteString(w, text); err != nil {
				failed = err
			}
		}
		if taken.String() != test.want || (failed != nil) != test.fails || (test.fails && !errors.Is(failed, SizeError("too much"))) {
			t.Errorf("%s: %q is written, error %v", test.name, taken.String(), failed)
		}
	}
}
