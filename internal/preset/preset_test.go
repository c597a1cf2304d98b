package preset

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/utils/ptr"
)

// maxID is the most characters that the API takes.
const maxID = 40

// TestPresets holds presets.yaml to what readers of it rely on.
func TestPresets(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range All() {
		t.Run(p.ID(), func(t *testing.T) {
			if seen[p.ID()] {
				t.Error("there are two of it")
			}
			seen[p.ID()] = true
			if problems := validation.IsDNS1123Label(p.Name); len(problems) > 0 || len(p.Name) > 32 || len(p.ID()) > maxID || p.Version < 1 {
				t.Errorf("its name cannot be that of a workload, or its version is none: %q", problems)
			}
			if p.Application == "" || len(p.Shows) == 0 || len(p.Sources) == 0 {
				t.Error("application, shows and sources have to be set")
			}
			if p.About == "" || strings.HasSuffix(p.About, ".") {
				t.Errorf("about is a sentence without the period: %q", p.About)
			}
			for _, source := range p.Sources {
				source.check(t)
			}
			for _, threshold := range p.Thresholds {
				threshold.Source.check(t)
			}
		})
	}
}

// check holds a source to what makes it one.
func (s Source) check(t *testing.T) {
	t.Helper()
	if address, err := url.Parse(s.URL); err != nil || address.Scheme != "https" || address.Host == "" {
		t.Errorf("%q is no address of a public document", s.URL)
	}
	if _, err := time.Parse(time.DateOnly, s.Read); err != nil {
		t.Errorf("%s: read: %v", s.URL, err)
	}
	if !strings.HasSuffix(s.Says, ".") {
		t.Errorf("%s: says has to be sentences: %q", s.URL, s.Says)
	}
}

// fio calls fsync on the file after the one that it has written (https://github.com/axboe/fio/issues/1904), so that with several files
// there is nothing to sync.
func TestSyncsAreOfTheFileThatWasWritten(t *testing.T) {
	for _, p := range All() {
		if syncs := ptr.Deref(p.Fio.Fsync, 0) + ptr.Deref(p.Fio.Fdatasync, 0); syncs > 0 && ptr.Deref(p.Fio.NrFiles, 1) > 1 {
			t.Errorf("%s syncs and has %d files: use numjobs, with one file each", p.ID(), *p.Fio.NrFiles)
		}
	}
}

// What the presets have to be there for.
func TestApplications(t *testing.T) {
	quick, all := map[string]bool{}, map[string]bool{}
	for _, p := range Newest() {
		all[p.Application] = true
		quick[p.Application] = quick[p.Application] || p.Quick
	}
	for _, name := range []string{"etcd", "postgres", "mysql", "kafka", "elasticsearch", "mongodb", "prometheus", "vm", "backup", "analytics", "generic", "kbench", "snia"} {
		if !all[name] {
			t.Errorf("there is no preset of %s", name)
		}
	}
	for _, name := range []string{"etcd", "postgres", "generic"} {
		if !quick[name] {
			t.Errorf("the shortest check has no preset of %s", name)
		}
	}
}

// A version does the same for ever. testdata/versions.txt has what each does; a new version is a new line there.
func TestVersionsDoNotChange(t *testing.T) {
	file, err := os.Open("testdata/versions.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	known := map[string]string{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		id, sum, _ := strings.Cut(lines.Text(), " ")
		known[id] = sum
	}
	for _, p := range All() {
		does, err := json.Marshal([]any{p.Fio, p.Matrix})
		if err != nil {
			t.Fatal(err)
		}
		switch sum := fmt.Sprintf("%x", sha256.Sum256(does))[:16]; known[p.ID()] {
		case sum:
		case "":
			t.Errorf("%s is new: add this line to testdata/versions.txt\n%s %s", p.ID(), p.ID(), sum)
		default:
			t.Errorf("%s does something else than it did, which would make results incomparable: leave it, and add version %d", p.ID(), p.Version+1)
		}
		delete(known, p.ID())
	}
	for id := range known {
		t.Errorf("%s is gone: results name it, so it has to stay", id)
	}
}

func TestFind(t *testing.T) {
	all := []Preset{{Name: "a", Version: 1}, {Name: "a", Version: 3}, {Name: "a", Version: 2}, {Name: "b", Version: 1}}
	for name, want := range map[string]string{"a": "a.v3", "a.v1": "a.v1", "a.v2": "a.v2", "b": "b.v1", "b.v2": "", "c": "", "": "", "a.v": ""} {
		got := ""
		if p, found := find(all, name); found {
			got = p.ID()
		}
		if got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
	if got := newest(all); len(got) != 2 || got[0].ID() != "a.v3" || got[1].ID() != "b.v1" {
		t.Errorf("the newest are %v", got)
	}
}

func TestParseRefusesUnknownFields(t *testing.T) {
	if _, err := parse(bytes.Replace(text, []byte("about:"), []byte("abaut:"), 1)); err == nil {
		t.Error("a field that does not exist was read")
	}
}
