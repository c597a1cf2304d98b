package fio

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/storagebench/storagebench/internal/fiooutput"
	"github.com/storagebench/storagebench/test/fiorun"
)

// TestFioDoesWhatIsAdmitted has fio run what job files of others say in ways of their own: it does what this package foretells.
func TestFioDoesWhatIsAdmitted(t *testing.T) {
	t.Parallel()
	const mib = 1 << 20
	type ios struct{ reads, writes int64 }
	for name, test := range map[string]struct {
		text string
		want map[string]ios
	}{
		"a share of the file":       {"[a]\nfilesize=1M\nsize=50%\n", map[string]ios{"a": {128, 0}}},
		"a name of all":             {"[global]\nname=all\nsize=1M\n[a]\n[b]\n", map[string]ios{"a": {256, 0}, "b": {256, 0}}},
		"backwards":                 {"[a]\nrw=read:-8k\nsize=1M\n", map[string]ios{"a": {256, 0}}},
		"writes that leave holes":   {"[a]\nrw=write:4k\nsize=1M\n", map[string]ios{"a": {0, 256}}},
		"writes that go backwards":  {"[a]\nrw=write:-8k\nsize=1M\n", map[string]ios{"a": {0, 256}}},
		"blocks of writes alone":    {"[a]\nrw=write\nbs=,8k\nsize=1M\n", map[string]ios{"a": {0, 128}}},
		"blocks that reads have":    {"[a]\nrw=read\nbs=,8k\nsize=1M\n", map[string]ios{"a": {256, 0}}},
		"a limit of writes alone":   {"[a]\nrw=write\nrate=,64m\nsize=1M\n", map[string]ios{"a": {0, 256}}},
		"rates of reads and writes": {"[a]\nrw=write\nrate_iops=500,2000\nsize=1M\n", map[string]ios{"a": {0, 256}}},
		"a range with a colon":      {"[a]\nrw=read\nbsrange=4k:4k\nsize=1M\n", map[string]ios{"a": {256, 0}}},
		"one waits for another": {
			"[global]\nsize=1M\nfilename=f\n[a]\nrw=write\n[b]\nwait_for=a\n", map[string]ios{"a": {0, 256}, "b": {256, 0}},
		},
		"buffers that jobs share": {"[a]\nrw=write\ndedupe_percentage=50\ndedupe_mode=working_set\ndedupe_global=1\nsize=1M\n", map[string]ios{"a": {0, 256}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := mustParse(t, test.text)
			got := map[string]ios{}
			for _, group := range measure(t, f).Groups {
				got[group.Name] = ios{countOf(group.Read), countOf(group.Write)}
			}
			if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(ios{})); diff != "" {
				t.Errorf("-want +done by fio:\n%s", diff)
			}
			if bytes, ok := FileBytes(f); !ok || bytes%mib != 0 {
				t.Errorf("files of %d bytes, known %t", bytes, ok)
			}
		})
	}
}

func countOf(d *fiooutput.Direction) int64 {
	if d == nil {
		return 0
	}
	return d.IOs
}

// TestFioWaitsForAJob: what waits for one by its name begins when that has ended, also where others go on.
func TestFioWaitsForAJob(t *testing.T) {
	t.Parallel()
	f := mustParse(t, "[global]\nsize=64k\ntime_based\nruntime=1\n[a]\n[b]\nruntime=2\n[c]\nwait_for=a\n")
	if seconds, ok := f.RuntimeSeconds(); !ok || seconds != 3 {
		t.Errorf("%d s, want 3: those of b and then of c", seconds)
	}
	began := time.Now()
	output := measure(t, f)
	if took := time.Since(began); took < 2*time.Second || len(output.Groups) != 3 {
		t.Errorf("%d results after %s, want 3 after 2 s", len(output.Groups), took)
	}
	placed := f.On(Volume{Directory: t.TempDir()})
	run := fiorun.RunNewer(t, placed.String(), "--output-format=json+")
	newer, err := fiooutput.Parse(run.Output)
	if err != nil {
		t.Fatal(err)
	}
	if between := newer.Groups[2].JobStart - newer.Groups[0].JobStart; between < 1000 {
		t.Errorf("c began %d ms after a, which ran for 1 s", between)
	}
}

// TestLayoutForgetsWaiting: files are laid out by jobs of which none waits for another that need not be there.
func TestLayoutForgetsWaiting(t *testing.T) {
	t.Parallel()
	layout := LayoutFile(
		mustParse(t, "[a]\nsize=64k\n[b]\nsize=64k\nwait_for=a\n"),
		mustParse(t, "[a]\nsize=128k\n[b]\nsize=128k\nwait_for=a\n"),
	)
	if run := fiorun.Run(t, layout.On(Volume{Directory: t.TempDir()}).String(), "--create_only=1"); run.Code != 0 {
		t.Errorf("fio: %s%s of\n%s", run.Output, run.Stderr, layout)
	}
}

// TestNewerOptionsRun runs what fio 3.33 does not know, with a fio as new as the runner's.
func TestNewerOptionsRun(t *testing.T) {
	t.Parallel()
	f := mustParse(t, `[global]
size=1M
ioengine=libaio
[steady]
rw=read
time_based
runtime=9
steadystate=iops:99%
steadystate_duration=2
ss_interval=1
[verified]
new_group
rw=write
verify=crc32c
verify_write_sequence=0
libaio_vectored=1
thinkcycles=10
priohint=1
[prioritized]
rw=randread
bssplit=4k/50:8k/50
cmdprio_class=2
cmdprio=3
cmdprio_hint=1
cmdprio_bssplit=4k/30:8k/0
`)
	if errs := Validate(nil, f, "Filesystem", false); len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	run := fiorun.RunNewer(t, f.On(Volume{Directory: t.TempDir()}).String(), "--output-format=json+")
	output, err := fiooutput.Parse(run.Output)
	if err != nil || run.Code != 0 || len(output.Groups) != 3 {
		t.Errorf("fio ended with %d: %v\n%s", run.Code, err, run.Stderr)
	}
}
