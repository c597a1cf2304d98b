package runner

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/fiooutput"
)

// A fio that prints errors without an end is ended. It takes neither the node's disk, nor the log's, nor the runner's memory.
// What it had measured stays in the log.
func TestErrorsWithoutAnEnd(t *testing.T) {
	f := newFixture(t, "[reads]\nrw=read\nsize=8M\nverify=crc32c\ncontinue_on_error=all\ntime_based=1\nruntime=600") // what nobody has written so
	f.wants(Layout(t.Context(), f.Options), 0)
	f.ProgressDeadline = 0
	began := time.Now()

	code := Measure(t.Context(), f.Options)

	f.wants(code, digest.ExitFailed, "continue_on_error", "set it to none", "It began with: verify: bad magic header")
	f.noReport()
	f.noProcess()
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("it took %s", took)
	}
	if size := len(f.log.String()); size > 2*maxErrors {
		t.Errorf("%d bytes are in the log", size)
	}
	if info, err := os.Stat(filepath.Join(f.Scratch, "output.json")); err != nil || info.Size() > maxOutput {
		t.Errorf("fio's output is %+v, error %v", info, err)
	}
	if documents := fiooutput.Documents([]byte(f.log.String())); len(documents) != 1 || !bytes.Contains(documents[0], []byte(`"jobname" : "reads"`)) {
		t.Errorf("the log has %d documents", len(documents))
	}
}

// An output without an end is no result, also one that is written at once, and of one of any size the end is read.
func TestOutputWithoutAnEnd(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "[a]\nrw=read\nsize=1M")
	script := filepath.Join(t.TempDir(), "fio")
	text := "#!/bin/sh\nfor a; do case $a in --output=*) f=${a#--output=}; (head -c 40000000 /dev/zero | tr '\\0' '\\n'; echo the end) >$f.all; mv $f.all $f;; esac; done\n" + "exec sleep 600\n"
	if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	f.Fio, f.ProgressDeadline = script, 0

	f.wants(Measure(t.Context(), f.Options), digest.ExitFailed, "fio printed more than is kept", "fewer jobs", "It began with: the end")
	f.noReport()
	if text, whole, err := readOutput(filepath.Join(f.Scratch, "output.json")); err != nil || whole || len(text) != maxOutput || !bytes.HasSuffix(text, []byte("the end\n")) {
		t.Errorf("%d bytes are read, all: %v, error %v", len(text), whole, err)
	}
}
