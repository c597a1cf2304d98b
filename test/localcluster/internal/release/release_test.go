package release

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A mirror serves files by their address, with Range and If-Range as http.ServeContent has
// them, and counts the bytes that it sent of each.
type mirror struct {
	*httptest.Server
	files map[string][]byte
	// instead answers requests for more than the first byte, where it is set.
	instead func(w http.ResponseWriter, r *http.Request, content []byte)
	mutex   sync.Mutex
	ranges  []string
}

func newMirror(t *testing.T) *mirror {
	t.Helper()
	m := &mirror{files: map[string][]byte{}}
	m.Server = httptest.NewServer(m)
	t.Cleanup(m.Close)
	return m
}

func (m *mirror) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	content, ok := m.files[strings.TrimPrefix(r.URL.Path, "/")]
	if !ok {
		http.NotFound(w, r)
		return
	}
	if r.Header.Get("Range") != "bytes=0-0" {
		m.mutex.Lock()
		m.ranges = append(m.ranges, r.Header.Get("Range"))
		m.mutex.Unlock()
		if m.instead != nil {
			m.instead(w, r, content)
			return
		}
	}
	serve(w, r, content)
}

// requests returns the ranges that were asked for, without the probes.
func (m *mirror) requests() []string {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	return append([]string{}, m.ranges...)
}

func serve(w http.ResponseWriter, r *http.Request, content []byte) {
	sum := sha256.Sum256(content)
	w.Header().Set("ETag", `"`+hex.EncodeToString(sum[:])+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
}

// cut sends the first n bytes and then drops the connection.
func cut(w http.ResponseWriter, r *http.Request, content []byte, n int) {
	serve(&cutter{ResponseWriter: w, left: n}, r, content)
	panic(http.ErrAbortHandler)
}

type cutter struct {
	http.ResponseWriter
	left int
}

func (c *cutter) Write(b []byte) (int, error) {
	n, err := c.ResponseWriter.Write(b[:min(len(b), c.left)])
	c.left -= n
	if c.left == 0 {
		_ = http.NewResponseController(c.ResponseWriter).Flush()
		panic(http.ErrAbortHandler)
	}
	return n, err
}

func content(seed uint64, size int) []byte {
	b := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{byte(seed)}).Read(b)
	return b
}

func sha(b []byte) string {
	sum := sha256.Sum256(b)
	return "sha256:" + hex.EncodeToString(sum[:])
}

var kubelet = Program{"kubelet", "v1.2.3"}

// line of a table for the kubelet.
func line(digest string) string {
	return "kubelet v1.2.3 amd64 1 " + digest + " dl.k8s.io/kubelet\n"
}

type fixture struct {
	*Client
	dir      string
	progress *strings.Builder
}

// newFixture has limits that no test runs into, but those that shorten them.
func newFixture(t *testing.T, mirror, table string) *fixture {
	t.Helper()
	f := &fixture{dir: filepath.Join(t.TempDir(), "programs"), progress: &strings.Builder{}}
	f.Client = New(filepath.Join(t.TempDir(), "store"), func(format string, args ...any) {
		fmt.Fprintf(f.progress, format+"\n", args...)
	})
	f.mirror, f.table, f.arch = mirror, table, "amd64"
	f.limits = Limits{Reach: time.Minute, Stall: time.Minute, Speed: 1 << 30, Grace: time.Minute, Pause: time.Millisecond, Report: time.Minute}
	return f
}

func (f *fixture) fetch(t *testing.T, programs ...Program) error {
	t.Helper()
	return f.Fetch(t.Context(), programs, f.dir)
}

// has checks that a program is there as it was published, and can be run.
func (f *fixture) has(t *testing.T, name string, want []byte) {
	t.Helper()
	path := filepath.Join(f.dir, name)
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what was published", name)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o755 {
		t.Errorf("%s has mode %v", name, info.Mode())
	}
	if target, err := os.Readlink(path); err != nil || filepath.Dir(target) != f.store {
		t.Errorf("%s does not lead into the store, but to %q (%v)", name, target, err)
	}
}

// hasNothing checks that no program is there, and no part of one but what can be continued.
func (f *fixture) hasNothing(t *testing.T, continued bool) {
	t.Helper()
	if names := list(t, f.dir); len(names) > 0 {
		t.Errorf("there is %v", names)
	}
	for _, name := range list(t, f.store) {
		part := strings.HasSuffix(name, ".partial") || strings.HasSuffix(name, ".validator")
		if !part || !continued {
			t.Errorf("the store keeps %s", name)
		}
	}
}

func list(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

func wantError(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one with %q", parts)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error does not say %q: %v", part, err)
		}
	}
}

func TestFetchWhole(t *testing.T) {
	m := newMirror(t)
	program := content(1, 300_000)
	m.files["dl.k8s.io/kubelet"] = program
	f := newFixture(t, m.URL, line(sha(program)))
	for range 2 {
		if err := f.fetch(t, kubelet, Program{"kubectl", "v1.2.3"}); err != nil {
			t.Fatal(err)
		}
		f.has(t, "kubelet", program)
	}
	if got := m.requests(); len(got) != 1 {
		t.Errorf("%d requests for one file: %q", len(got), got)
	}
	if names := list(t, f.store); len(names) != 1 {
		t.Errorf("the store has %v, want the program", names)
	}
	for _, part := range []string{"Downloading kubelet v1.2.3 from " + m.URL, "Downloaded kubelet v1.2.3 in"} {
		if !strings.Contains(f.progress.String(), part) {
			t.Errorf("%q is not in %q", part, f.progress)
		}
	}
}

func TestFetchSHA512(t *testing.T) {
	m := newMirror(t)
	program := content(1, 1000)
	m.files["dl.k8s.io/kubelet"] = program
	sum := sha512.Sum512(program)
	f := newFixture(t, m.URL, line("sha512:"+hex.EncodeToString(sum[:])))
	if err := f.fetch(t, kubelet); err != nil {
		t.Fatal(err)
	}
	f.has(t, "kubelet", program)
}

func TestFetchOnlyWhatIsInTheTable(t *testing.T) {
	m := newMirror(t)
	f := newFixture(t, m.URL, line(sha([]byte("x"))))
	if err := f.fetch(t, Program{"kubelet", "v1.2.4"}, Program{"etcd", "v3.0.0"}); err != nil {
		t.Fatal(err)
	}
	if len(m.requests()) != 0 {
		t.Error("something was asked for")
	}
}

func TestFetchIsOff(t *testing.T) {
	t.Setenv(MirrorVariable, "off")
	c := New(t.TempDir(), t.Logf)
	c.table, c.arch = line(sha([]byte("x"))), "amd64"
	if err := c.Fetch(t.Context(), []Program{kubelet}, t.TempDir()); err != nil {
		t.Error(err)
	}
}

func TestFetchReplacesWhatIsThere(t *testing.T) {
	m := newMirror(t)
	program := content(1, 1000)
	m.files["dl.k8s.io/kubelet"] = program
	f := newFixture(t, m.URL, line(sha(program)))
	if err := os.MkdirAll(f.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/nowhere", filepath.Join(f.dir, "kubelet")); err != nil {
		t.Fatal(err)
	}
	if err := f.fetch(t, kubelet); err != nil {
		t.Fatal(err)
	}
	f.has(t, "kubelet", program)
}

func TestFetchResumesWhatWasCutOff(t *testing.T) {
	m := newMirror(t)
	program := content(1, 300_000)
	m.files["dl.k8s.io/kubelet"] = program
	m.instead = func(w http.ResponseWriter, r *http.Request, content []byte) {
		if len(m.requests()) < 4 {
			cut(w, r, content, 70_000)
		}
		serve(w, r, content)
	}
	f := newFixture(t, m.URL, line(sha(program)))
	if err := f.fetch(t, kubelet); err != nil {
		t.Fatal(err)
	}
	f.has(t, "kubelet", program)
	want := []string{"", "bytes=70000-", "bytes=140000-", "bytes=210000-"}
	if got := m.requests(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("asked for %q, want %q", got, want)
	}
}

func TestFetchResumesInALaterRun(t *testing.T) {
	m := newMirror(t)
	program := content(1, 300_000)
	m.files["dl.k8s.io/kubelet"] = program
	f := newFixture(t, m.URL, line(sha(program)))
	ctx, cancel := context.WithCancel(t.Context())
	m.instead = func(w http.ResponseWriter, r *http.Request, content []byte) {
		cancel()
		cut(w, r, content, 100_000)
	}
	if err := f.Fetch(ctx, []Program{kubelet}, f.dir); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want that it was canceled", err)
	}
	f.hasNothing(t, true)
	m.instead = nil
	// However much arrived before: what is there is not asked for again.
	offset := f.partial(find1(t, f)).size()
	if err := f.fetch(t, kubelet); err != nil {
		t.Fatal(err)
	}
	f.has(t, "kubelet", program)
	want := ""
	if offset > 0 {
		want = fmt.Sprintf("bytes=%d-", offset)
	}
	if got := m.requests(); got[len(got)-1] != want {
		t.Errorf("asked for %q, want %q", got, want)
	}
}

func find1(t *testing.T, f *fixture) artifact {
	t.Helper()
	a, ok := find(f.table, kubelet, "amd64")
	if !ok {
		t.Fatal("not in the table")
	}
	return a
}

// leave writes what an earlier run would have left.
func (f *fixture) leave(t *testing.T, content []byte, validator string) {
	t.Helper()
	p := f.partial(find1(t, f))
	if err := os.MkdirAll(f.store, 0o755); err != nil {
		t.Fatal(err)
	}
	for path, b := range map[string][]byte{p.content: content, p.validator: []byte(validator)} {
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFetchBeginsAgain(t *testing.T) {
	program := content(1, 300_000)
	tag := `"` + strings.TrimPrefix(sha(program), "sha256:") + `"`
	ignoresRange := func(w http.ResponseWriter, _ *http.Request, content []byte) { _, _ = w.Write(content) }
	for name, test := range map[string]struct {
		left      []byte
		validator string
		instead   func(http.ResponseWriter, *http.Request, []byte)
	}{
		"another version at the server":     {left: content(2, 1000), validator: `"other"`},
		"a server that names no versions":   {left: content(2, 1000)},
		"a server that ignores ranges":      {left: program[:1000], validator: tag, instead: ignoresRange},
		"more than there is":                {left: content(2, 400_000), validator: tag},
		"what is left is broken":            {left: content(2, 1000), validator: tag},
		"another range than was asked for":  {left: program[:1000], validator: tag, instead: wrongRange},
		"all is there but was not accepted": {left: program, validator: tag},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMirror(t)
			m.files["dl.k8s.io/kubelet"], m.instead = program, test.instead
			f := newFixture(t, m.URL, line(sha(program)))
			f.leave(t, test.left, test.validator)
			if err := f.fetch(t, kubelet); err != nil {
				t.Fatal(err)
			}
			f.has(t, "kubelet", program)
		})
	}
}

func wrongRange(w http.ResponseWriter, r *http.Request, content []byte) {
	if r.Header.Get("Range") == "" {
		serve(w, r, content)
		return
	}
	w.Header().Set("Content-Range", "bytes 5-9/300000")
	w.WriteHeader(http.StatusPartialContent)
	_, _ = w.Write(content[5:10])
}

func TestFetchRefuses(t *testing.T) {
	program := content(1, 300_000)
	wrong := bytes.Clone(program)
	wrong[150_000] ^= 1
	table := line(sha(program))
	for name, served := range map[string][]byte{
		"wrong by one byte":  wrong,
		"one byte less":      program[:len(program)-1],
		"one byte more":      append(bytes.Clone(program), 0),
		"a page of a portal": []byte("<html>Please log in</html>"),
		"endless":            make([]byte, 5<<20),
		"empty":              {},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMirror(t)
			m.files["dl.k8s.io/kubelet"] = served
			f := newFixture(t, m.URL, table)
			err := f.fetch(t, kubelet)
			wantError(t, err, "dl.k8s.io/kubelet is not what was released", sha(program)[7:])
			if name != "endless" {
				wantError(t, err, sha(served)[7:])
			}
			f.hasNothing(t, false)
		})
	}
}

// archive is a gzipped tarball of files by name.
func archive(t *testing.T, files map[string][]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	zip := gzip.NewWriter(&b)
	w := tar.NewWriter(zip)
	for name, content := range files {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(content))}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(content); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), zip.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestFetchFromAnArchive(t *testing.T) {
	program := content(1, 300_000)
	whole := archive(t, map[string][]byte{"etcd-v1/etcd": program})
	for name, test := range map[string]struct {
		served, released []byte
		wrong            string
	}{
		"whole":               {served: whole, released: whole},
		"cut off":             {served: whole[:200_000], released: whole, wrong: "is not what was released"},
		"released so":         {served: whole[:200_000], released: whole[:200_000], wrong: "unexpected EOF"},
		"without the program": {served: archive(t, map[string][]byte{"etcd-v1/README": program}), released: archive(t, map[string][]byte{"etcd-v1/README": program}), wrong: "etcd-v1/etcd is not in the archive"},
		"no archive":          {served: program, released: program, wrong: "gzip: invalid header"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMirror(t)
			m.files["github.com/etcd.tar.gz"] = test.served
			f := newFixture(t, m.URL, "etcd v1 amd64 1 "+sha(test.released)+" github.com/etcd.tar.gz etcd-v1/etcd\n")
			err := f.fetch(t, Program{"etcd", "v1"})
			if test.wrong != "" {
				wantError(t, err, test.wrong)
				f.hasNothing(t, false)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			f.has(t, "etcd", program)
			if names := list(t, f.store); len(names) != 1 {
				t.Errorf("the store has %v, want the program", names)
			}
		})
	}
}

// twoHosts has a small program at one host and a larger one at another.
func twoHosts(small, large []byte) string {
	return "kubelet v1.2.3 amd64 2 " + sha(large) + " dl.k8s.io/kubelet\n" +
		"kubectl v1.2.3 amd64 1 " + sha(small) + " dl.k8s.io/kubectl\n" +
		"etcd v1 amd64 1 " + sha(small) + " github.com/etcd\n"
}

var all = []Program{kubelet, {"kubectl", "v1.2.3"}, {"etcd", "v1"}}

func TestFetchWhatIsThere(t *testing.T) {
	m := newMirror(t)
	program := content(1, 1000)
	m.files["dl.k8s.io/kubelet"], m.files["github.com/etcd"] = program, program
	f := newFixture(t, m.URL, twoHosts(program, program))
	wantError(t, f.fetch(t, all...), "kubectl v1.2.3", "404 Not Found")
	f.has(t, "kubelet", program)
	f.has(t, "etcd", program)
}

func TestFetchGivesUpAHostThatStalls(t *testing.T) {
	t.Parallel()
	m := newMirror(t)
	small, large := content(1, 1000), content(2, 300_000)
	m.files["dl.k8s.io/kubelet"], m.files["dl.k8s.io/kubectl"], m.files["github.com/etcd"] = large, small, small
	m.instead = func(w http.ResponseWriter, r *http.Request, content []byte) {
		if strings.Contains(r.URL.Path, "etcd") {
			serve(w, r, content)
			return
		}
		_, _ = w.Write(content[:100])
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}
	f := newFixture(t, m.URL, twoHosts(small, large))
	f.limits.Stall = time.Second
	err := f.fetch(t, all...)
	wantError(t, err, "kubectl v1.2.3", "nothing came for 1s")
	if strings.Contains(err.Error(), "kubelet") || strings.Contains(f.progress.String(), "kubelet") {
		t.Errorf("the next file of that host was waited for as well: %v\n%s", err, f.progress)
	}
	f.has(t, "etcd", small)
}

func TestFetchGivesUpASlowHost(t *testing.T) {
	t.Parallel()
	m := newMirror(t)
	program := content(1, 1<<20)
	m.files["dl.k8s.io/kubelet"] = program
	m.instead = func(w http.ResponseWriter, r *http.Request, content []byte) {
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for i := range content {
			_, _ = w.Write(content[i : i+1])
			_ = http.NewResponseController(w).Flush()
			select {
			case <-r.Context().Done():
				return
			case <-tick.C:
			}
		}
	}
	f := newFixture(t, m.URL, line(sha(program)))
	f.limits.Grace = 100 * time.Millisecond
	wantError(t, f.fetch(t, kubelet), "kubelet v1.2.3: not downloaded within 100ms, which is slower than building it")
	f.hasNothing(t, true)
}

// The second half is sent when somebody was told of the first.
func TestFetchShowsHowFarItIs(t *testing.T) {
	t.Parallel()
	m := newMirror(t)
	program := content(1, 2<<20)
	m.files["dl.k8s.io/kubelet"] = program
	told := make(chan struct{})
	m.instead = func(w http.ResponseWriter, r *http.Request, content []byte) {
		_, _ = w.Write(content[:1<<20])
		_ = http.NewResponseController(w).Flush()
		select {
		case <-told:
			_, _ = w.Write(content[1<<20:])
		case <-r.Context().Done():
		}
	}
	f := newFixture(t, m.URL, strings.Replace(line(sha(program)), " 1 ", " 2 ", 1))
	f.limits.Report = time.Nanosecond
	once := sync.Once{}
	f.Client.progress = func(format string, args ...any) {
		if strings.HasPrefix(fmt.Sprintf(format, args...), "Downloading kubelet: 0 of 2 MiB") {
			once.Do(func() { close(told) })
		}
	}
	if err := f.fetch(t, kubelet); err != nil {
		t.Fatal(err)
	}
	f.has(t, "kubelet", program)
}

func TestFetchTriesAgain(t *testing.T) {
	for name, status := range map[string]int{"overloaded": http.StatusServiceUnavailable, "too many requests": http.StatusTooManyRequests} {
		t.Run(name, func(t *testing.T) {
			m := newMirror(t)
			program := content(1, 1000)
			m.files["dl.k8s.io/kubelet"] = program
			var requests atomic.Int32
			m.instead = func(w http.ResponseWriter, r *http.Request, content []byte) {
				if requests.Add(1) == 1 {
					w.WriteHeader(status)
					return
				}
				serve(w, r, content)
			}
			f := newFixture(t, m.URL, line(sha(program)))
			if err := f.fetch(t, kubelet); err != nil {
				t.Fatal(err)
			}
			f.has(t, "kubelet", program)
		})
	}
}

func TestFetchUnreachable(t *testing.T) {
	t.Parallel()
	if DefaultLimits.Reach > 3*time.Second {
		t.Errorf("finding out that there is no network takes %s", DefaultLimits.Reach)
	}
	// Connections are made, by the kernel, but nobody ever answers.
	blackhole, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = blackhole.Close() })
	refusing := httptest.NewServer(http.NotFoundHandler())
	refusing.Close()
	forbidding := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }))
	t.Cleanup(forbidding.Close)
	for name, test := range map[string]struct{ mirror, wrong string }{
		"blackholed":       {"http://" + blackhole.Addr().String(), "no answer within 200ms"},
		"refused":          {refusing.URL, "connection refused"},
		"proxy forbids it": {forbidding.URL, "403 Forbidden"},
		"no such host":     {"http://mirror.invalid", "mirror.invalid"},
		"no address":       {"mirror", "unsupported protocol scheme"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, test.mirror, twoHosts([]byte("x"), []byte("y")))
			f.limits.Reach = 200 * time.Millisecond
			if name == "no such host" {
				f.limits.Reach = DefaultLimits.Reach
			}
			started := time.Now()
			err := f.fetch(t, all...)
			if took := time.Since(started); took > DefaultLimits.Reach+time.Second {
				t.Errorf("it took %s to find out", took)
			}
			wantError(t, err, test.mirror+"/dl.k8s.io cannot be reached", test.mirror+"/github.com cannot be reached")
			if name != "no such host" {
				wantError(t, err, test.wrong)
			}
			f.hasNothing(t, false)
		})
	}
}

func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for line := range strings.Lines(published) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		a, err := parseLine(line)
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		key := a.Name + " " + a.Version + " " + a.arch
		if seen[key] {
			t.Errorf("%s is there twice", key)
		}
		if seen[a.digest] {
			t.Errorf("%s has the checksum of another", key)
		}
		seen[key], seen[a.digest] = true, true
		for _, part := range []string{a.Version, a.arch, a.Name} {
			if !strings.Contains(a.address, part) {
				t.Errorf("%s: %q is not in the address", key, part)
			}
		}
		if strings.HasSuffix(a.address, ".tar.gz") != (a.member != "") {
			t.Errorf("%s: a program in an archive has to be named, and no other", key)
		}
	}
	if len(seen) == 0 {
		t.Error("the table is empty")
	}
}

func TestParseLineRefuses(t *testing.T) {
	good := strings.TrimSpace(line(sha([]byte("x"))))
	if _, err := parseLine(good); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{
		"", "# " + good, good + " member more", strings.Replace(good, " 1 ", " 0 ", 1), strings.Replace(good, " 1 ", " many ", 1),
		strings.Replace(good, "sha256:", "md5:", 1), strings.Replace(good, "sha256:", "sha512:", 1), strings.Replace(good, "sha256:", "sha256:0", 1),
	} {
		if a, err := parseLine(bad); err == nil {
			t.Errorf("%q is read as %+v", bad, a)
		}
	}
}
