package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestSummary(t *testing.T) {
	const (
		good   = `{"Action":"output","Package":"p","Test":"TestGood","Output":"    good_test.go:1: all is well\n"}`
		closes = `{"Action":"output","Package":"p","Output":"ok  \tp\t1.2s\n"}`
	)
	at := func(second string, event string) string {
		return `{"Time":"2026-11-22T09:00:` + second + `Z",` + event[1:]
	}
	for _, test := range []struct {
		name  string
		each  bool
		lines []string
		want  string
	}{
		{
			name: "what goes well is a line",
			lines: []string{
				`{"Action":"start","Package":"p"}`, at("01", `{"Action":"run","Package":"p","Test":"TestGood"}`), good,
				at("02.1", `{"Action":"pass","Package":"p","Test":"TestGood","Elapsed":1.1}`),
				`{"Action":"output","Package":"p","Output":"PASS\n"}`, closes, `{"Action":"pass","Package":"p","Elapsed":1.2}`,
			},
			want: "ok  \tp\t1.2s\nthe slowest 1 of 1 tests:\n      1.1s  p TestGood\n",
		},
		{
			name: "each test, without what it waited, and with its subtests",
			each: true,
			lines: []string{
				at("01", `{"Action":"run","Package":"p","Test":"TestGood"}`), at("02", `{"Action":"cont","Package":"p","Test":"TestGood"}`),
				at("10", `{"Action":"attr","Package":"p","Test":"TestGood","Key":"waited","Value":"8s"}`), good,
				at("11", `{"Action":"run","Package":"p","Test":"TestGood/sub"}`),
				at("12", `{"Action":"pass","Package":"p","Test":"TestGood/sub","Elapsed":2}`),
				at("12.5", `{"Action":"output","Package":"p","Test":"TestGood","Output":"--- PASS: TestGood (0.10s)\n"}`),
				at("16.5", `{"Action":"pass","Package":"p","Test":"TestGood","Elapsed":0.1}`),
				at("13", `{"Action":"run","Package":"p","Test":"TestSkipped"}`), at("13", `{"Action":"skip","Package":"p","Test":"TestSkipped","Elapsed":0}`), closes,
			},
			want: "     1s  pass     2.5s  TestGood\n     5s  skip     0.0s  TestSkipped\nok  \tp\t1.2s\n" +
				"the slowest 2 of 2 tests:\n      2.5s  p TestGood\n      0.0s  p TestSkipped\n",
		},
		{
			name: "what fails says why, together and without the words of others",
			lines: []string{
				at("01", `{"Action":"run","Package":"p","Test":"TestBad"}`),
				`{"Action":"output","Package":"p","Test":"TestBad","Output":"=== RUN   TestBad\n"}`,
				`{"Action":"output","Package":"p","Test":"TestBad/sub","Output":"    bad_test.go:1: no\n"}`, good,
				at("04", `{"Action":"output","Package":"p","Test":"TestBad","Output":"--- FAIL: TestBad (3.00s)\n"}`),
				at("04", `{"Action":"fail","Package":"p","Test":"TestBad","Elapsed":3}`),
				`{"Action":"output","Package":"p","Output":"FAIL\tp\t3.1s\n"}`, `{"Action":"fail","Package":"p","Elapsed":3.1}`,
			},
			want: "    bad_test.go:1: no\n--- FAIL: TestBad (3.00s)\n     5s  fail     3.0s  TestBad\nFAIL\tp\t3.1s\n" +
				"TestGood has not ended:\n    good_test.go:1: all is well\nthe slowest 1 of 1 tests:\n      3.0s  p TestBad\n",
		},
		{
			name:  "what cannot be built, and lines of others",
			lines: []string{`{"ImportPath":"p","Action":"build-output","Output":"p.go:1:1: no\n"}`, "go: warning", `{"Action":"output","Package":"p","Output":"FAIL\tp [build failed]\n"}`},
			want:  "p.go:1:1: no\ngo: warning\nFAIL\tp [build failed]\n",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out strings.Builder
			began := time.Now()
			s := newSummary(&out, test.each, began)
			for _, line := range test.lines {
				s.line([]byte(line+"\n"), began.Add(5*time.Second))
			}
			s.slowest(10)
			if diff := cmp.Diff(test.want, out.String()); diff != "" {
				t.Errorf("output (-want +got):\n%s", diff)
			}
		})
	}
}

// The exit code is that of go test, and the log has all that it printed.
func TestRun(t *testing.T) {
	program := filepath.Join(t.TempDir(), "gotest")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, test := range map[string]struct {
		body string
		code int
		want string
	}{
		"good": {`t.Attr("waited", "1h")`, 0, "ok  \texample.com/m\t"},
		"bad":  {`t.Fatal("no")`, 1, "FAIL\texample.com/m\t"},
		"none": {`nonsense`, 1, "undefined: nonsense"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, text := range map[string]string{
				"go.mod":    "module example.com/m\n\ngo 1.26\n",
				"m_test.go": "package m\n\nimport \"testing\"\n\nfunc TestIt(t *testing.T) { " + test.body + " }\n",
			} {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			log := filepath.Join(dir, "log.json")
			cmd := exec.CommandContext(t.Context(), program, "-C", dir, "-log", log, "--", "-count=1", "./...")
			cmd.Env = append(os.Environ(), "GOWORK=off")
			out, _ := cmd.CombinedOutput()
			if got := cmd.ProcessState.ExitCode(); got != test.code || !strings.Contains(string(out), test.want) {
				t.Errorf("exit code %d and %q, want %d and %q", got, out, test.code, test.want)
			}
			if text, err := os.ReadFile(log); err != nil || !strings.Contains(string(text), `"Action":`) {
				t.Errorf("log: %v\n%s", err, text)
			}
		})
	}
}
