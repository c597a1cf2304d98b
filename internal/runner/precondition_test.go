package runner

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/fio"
)

// Files are written in full as often as they are to be, and then measured.
func TestPreconditionFiles(t *testing.T) {
	f := newFixture(t, "[reads]\nrw=randread\nsize=2M\nnumjobs=2\ngroup_reporting=1")
	f.LayoutFile = f.JobFile
	f.Precondition = &fio.Precondition{Passes: 2, BS: "128k"}
	f.wants(Measure(t.Context(), f.Options), 0)
	if read := f.report().Groups[0].Of(v1alpha1.OperationRead); read == nil || read.Bytes != 4<<20 {
		t.Errorf("reads are %+v", read)
	}
	files, err := filepath.Glob(filepath.Join(f.Directory, "reads.*"))
	if err != nil || len(files) != 2 {
		t.Fatalf("files %v, error %v", files, err)
	}
	for _, file := range files {
		var stat unix.Stat_t
		if err := unix.Stat(file, &stat); err != nil || stat.Size != 2<<20 || stat.Blocks*512 < stat.Size {
			t.Errorf("%s has %d bytes in %d blocks of 512, error %v", file, stat.Size, stat.Blocks, err)
		}
	}
	if !strings.Contains(f.log.String(), digest.LayoutPrefix+"preconditioning: each of 2 test files is written 2 times, in blocks of 128k") {
		t.Errorf("log is\n%s", f.log)
	}
}

// All of a device is written, also what the workload does not read. A file stands for it here.
func TestPreconditionDevice(t *testing.T) {
	f := newFixture(t, "")
	device := filepath.Join(temporary(t), "device")
	const size = 4 << 20
	if err := os.WriteFile(device, make([]byte, size), 0o600); err != nil {
		t.Fatal(err)
	}
	f.Directory, f.JobFile = "", "[global]\nfilename="+device+"\n[reads]\nrw=randread\nsize=1M\n"
	f.Precondition = &fio.Precondition{Passes: 1, BS: "128k"}
	f.wants(Measure(t.Context(), f.Options), 0)
	text, err := os.ReadFile(device)
	if err != nil || len(text) != size {
		t.Fatalf("%d bytes, error %v", len(text), err)
	}
	for block := 0; block < size; block += 4096 {
		if bytes.Equal(text[block:block+4096], make([]byte, 4096)) {
			t.Fatalf("nobody has written the block at %d", block)
		}
	}
}

// What may not be written is not.
func TestPreconditionOfWhatIsOnlyRead(t *testing.T) {
	f := newFixture(t, "")
	device := filepath.Join(temporary(t), "device")
	if err := os.WriteFile(device, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	f.Directory, f.JobFile, f.ReadOnly = "", "[global]\nfilename="+device+"\n[reads]\nrw=randread\nsize=1M\n", true
	f.Precondition = &fio.Precondition{Passes: 1, BS: "128k"}
	f.wants(Measure(t.Context(), f.Options), digest.ExitFailed, "there is no device that may be written before it is measured")
	if text, err := os.ReadFile(device); err != nil || !bytes.Equal(text, make([]byte, 1<<20)) {
		t.Errorf("it was written, error %v", err)
	}
}
