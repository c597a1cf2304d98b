package release

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// A server that never ends a file, but drops each connection, must not fill the disk either.
func TestFetchIsBoundedOverAllConnections(t *testing.T) {
	m := newMirror(t)
	program := content(1, 1000)
	m.files["dl.k8s.io/kubelet"] = program
	m.instead = func(w http.ResponseWriter, r *http.Request, _ []byte) {
		if n := len(m.requests()); n > 50 {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		w.Header().Set("ETag", `"one"`)
		var offset int64
		if _, err := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &offset); err == nil {
			w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", offset, offset+1<<40, int64(1)<<41))
			w.WriteHeader(http.StatusPartialContent)
		}
		_, _ = w.Write(make([]byte, 1<<20))
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
	f := newFixture(t, m.URL, line(sha(program)))
	wantError(t, f.fetch(t, kubelet), "is not what was released")
	if n := len(m.requests()); n > 4 {
		t.Errorf("%d MiB were downloaded of a file of 1 MiB", n)
	}
	f.hasNothing(t, false)
}

// Nobody asked for a part of it.
func TestFetchOfAPartThatNobodyAskedFor(t *testing.T) {
	m := newMirror(t)
	program := content(1, 300_000)
	m.files["dl.k8s.io/kubelet"] = program
	m.instead = func(w http.ResponseWriter, r *http.Request, content []byte) {
		if len(m.requests()) > 1 {
			serve(w, r, content)
			return
		}
		w.Header().Set("Content-Range", fmt.Sprintf("bytes 0-%d/%d", len(content)-1, len(content)))
		w.WriteHeader(http.StatusPartialContent)
		_, _ = w.Write(content)
	}
	f := newFixture(t, m.URL, line(sha(program)))
	if err := f.fetch(t, kubelet); err != nil {
		t.Fatal(err)
	}
	f.has(t, "kubelet", program)
}

// Some servers give less than they are asked for, a piece at a time.
func TestFetchInPieces(t *testing.T) {
	m := newMirror(t)
	program := content(1, 300_000)
	m.files["dl.k8s.io/kubelet"] = program
	m.instead = func(w http.ResponseWriter, r *http.Request, content []byte) {
		var from int
		if _, err := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &from); err != nil {
			cut(w, r, content, 70_000)
		}
		to := min(from+70_000, len(content))
		w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, to-1, len(content)))
		w.WriteHeader(http.StatusPartialContent)
		_, _ = w.Write(content[from:to])
	}
	f := newFixture(t, m.URL, line(sha(program)))
	if err := f.fetch(t, kubelet); err != nil {
		t.Fatal(err)
	}
	f.has(t, "kubelet", program)
}

// A mirror that is filled anew, and does not look at If-Range, gives the rest of another file.
func TestFetchOfAFileThatChangesMeanwhile(t *testing.T) {
	m := newMirror(t)
	program, before := content(1, 300_000), content(2, 300_000)
	m.files["dl.k8s.io/kubelet"] = program
	m.instead = func(w http.ResponseWriter, r *http.Request, _ []byte) {
		if len(m.requests()) == 1 {
			cut(w, r, before, 70_000)
		}
		r.Header.Del("If-Range")
		serve(w, r, program)
	}
	f := newFixture(t, m.URL, line(sha(program)))
	if err := f.fetch(t, kubelet); err != nil {
		t.Fatal(err)
	}
	f.has(t, "kubelet", program)
}

// What is packed on the way is not what was released, whatever is in it.
func TestFetchRefusesWhatIsPacked(t *testing.T) {
	m := newMirror(t)
	program := content(1, 1000)
	m.files["dl.k8s.io/kubelet"] = program
	m.instead = func(w http.ResponseWriter, r *http.Request, content []byte) {
		if accepted := r.Header.Get("Accept-Encoding"); accepted != "" {
			t.Errorf("asked for %s", accepted)
		}
		var packed bytes.Buffer
		zip := gzip.NewWriter(&packed)
		_, _ = zip.Write(content)
		_ = zip.Close()
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(packed.Bytes())
	}
	f := newFixture(t, m.URL, line(sha(program)))
	wantError(t, f.fetch(t, kubelet), "is not what was released")
	f.hasNothing(t, false)
}

func TestFetchEndsRedirects(t *testing.T) {
	around := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path+"x", http.StatusFound) }))
	t.Cleanup(around.Close)
	f := newFixture(t, around.URL, line(sha([]byte("x"))))
	wantError(t, f.fetch(t, kubelet), "stopped after 10 redirects")
	f.hasNothing(t, false)
}

// A disk that is full is no fault of the host, and no reason to build, which takes more of it.
func TestFetchToAFullDisk(t *testing.T) {
	disk := filepath.Join(t.TempDir(), "disk")
	if err := os.Mkdir(disk, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("tmpfs", disk, "tmpfs", 0, "size=64k"); err != nil {
		t.Skip("a small disk needs root: ", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(disk, unix.MNT_DETACH) })
	m := newMirror(t)
	program := content(1, 300_000)
	m.files["dl.k8s.io/kubelet"] = program
	f := newFixture(t, m.URL, line(sha(program)))
	f.store = filepath.Join(disk, "store")
	err := f.fetch(t, kubelet)
	wantError(t, err, "no space left on device")
	if !errors.Is(err, ErrHere) || errors.Is(err, errHost) {
		t.Errorf("it is not told whose fault that is: %v", err)
	}
	if n := len(m.requests()); n != 1 {
		t.Errorf("asked %d times", n)
	}
}

// What a crash of the machine left empty is no program.
func TestFetchReplacesAnEmptyProgram(t *testing.T) {
	m := newMirror(t)
	program := content(1, 1000)
	m.files["dl.k8s.io/kubelet"] = program
	f := newFixture(t, m.URL, line(sha(program)))
	if err := os.MkdirAll(f.store, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(f.store, find1(t, f).stored()), nil, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := f.fetch(t, kubelet); err != nil {
		t.Fatal(err)
	}
	f.has(t, "kubelet", program)
}
