package fio

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/storagebench/storagebench/test/fiorun"
)

// offsets returns what fio reads for a job file, in its order.
func offsets(t *testing.T, f *JobFile) string {
	t.Helper()
	log := filepath.Join(t.TempDir(), "iolog")
	text := f.On(Volume{Directory: t.TempDir()}).String() + "write_iolog=" + log + "\n"
	if run := fiorun.Run(t, text); run.Code != 0 {
		t.Fatalf("fio: %s", run.Output)
	}
	content, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	var read []string
	for line := range strings.Lines(string(content)) {
		if fields := strings.Fields(line); len(fields) > 2 && fields[len(fields)-3] == "read" {
			read = append(read, fields[len(fields)-2])
		}
	}
	if len(read) != 64 {
		t.Fatalf("%d reads in\n%s", len(read), content)
	}
	return strings.Join(read, " ")
}

func TestWithSeed(t *testing.T) {
	const text = "[a]\nrw=randread\nbs=4k\nsize=256k\nioengine=psync\n"
	plain := mustParse(t, text)
	first := offsets(t, plain.WithSeed(1))
	if again := offsets(t, plain.WithSeed(1)); again != first {
		t.Errorf("the same seed gives other offsets:\n%s\n%s", first, again)
	}
	if second := offsets(t, plain.WithSeed(2)); second == first {
		t.Errorf("another seed gives the same offsets: %s", second)
	}
	own := mustParse(t, text+"randseed=7\n")
	if one, other := offsets(t, own.WithSeed(1)), offsets(t, own.WithSeed(2)); one != other {
		t.Errorf("a job with a seed of its own has others:\n%s\n%s", one, other)
	}
	for _, option := range []string{"randrepeat=0\n", "randrepeat=1\n", "allrandrepeat=1\n"} {
		f := mustParse(t, text+option)
		if seeded := f.WithSeed(1).String(); seeded != f.String() {
			t.Errorf("what %q says of random numbers is changed:\n%s", option, seeded)
		}
	}
}
