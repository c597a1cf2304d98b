package plugin

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// servedPage returns a page of the files in a directory, as a browser that was told a host asks for it.
func servedPage(t *testing.T, directory, host, path string) *httptest.ResponseRecorder {
	t.Helper()
	p := &pages{from: &folder{cmd: &cobra.Command{}, paths: []string{directory}}, now: time.Now}
	request := httptest.NewRequest(http.MethodGet, "http://"+host+path, http.NoBody)
	answer := httptest.NewRecorder()
	p.handler().ServeHTTP(answer, request)
	return answer
}

// TestUI: the pages list benchmarks of files and show their reports. A page of a benchmark under way loads itself anew.
func TestUI(t *testing.T) {
	directory := t.TempDir()
	save := func(file string, sb *v1alpha1.StorageBenchmark) string {
		path := filepath.Join(directory, file)
		if err := os.WriteFile(path, asYAML(t, sb), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	ended := &v1alpha1.StorageBenchmark{TypeMeta: benchmarkType, ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "ended"}}
	ended.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionSucceeded, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonCompleted}}
	ended.Status.Summary = "<script>alert(1)</script>"
	under := &v1alpha1.StorageBenchmark{TypeMeta: benchmarkType, ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "under-way"}}
	first, second := save("first.yaml", ended), save("second.yaml", under)
	if err := os.WriteFile(filepath.Join(directory, "broken.yaml"), []byte("a: b: c"), 0o600); err != nil {
		t.Fatal(err)
	}

	page := servedPage(t, directory, "127.0.0.1:8080", "/")
	text := page.Body.String()
	link := "/benchmarks/" + url.PathEscape(first) + "/ended"
	for _, want := range []string{link, "under-way", "Not read", "broken.yaml", "Completed", "&lt;script&gt;"} {
		if !strings.Contains(text, want) {
			t.Errorf("the list lacks %q:\n%s", want, text)
		}
	}
	if page.Code != http.StatusOK || strings.Contains(text, "<script>") || page.Header().Get("Refresh") == "" {
		t.Errorf("code %d, Refresh %q", page.Code, page.Header().Get("Refresh"))
	}
	if page := servedPage(t, directory, "localhost:8080", link); page.Code != http.StatusOK || !strings.Contains(page.Body.String(), "ended") || page.Header().Get("Refresh") != "" {
		t.Errorf("the report: code %d, Refresh %q", page.Code, page.Header().Get("Refresh"))
	}
	if page := servedPage(t, directory, "localhost:8080", "/benchmarks/"+url.PathEscape(second)+"/under-way"); page.Header().Get("Refresh") != "3" {
		t.Errorf("a benchmark under way: Refresh %q", page.Header().Get("Refresh"))
	}
}

// TestUIOfHostileFolder: pipes and links of a folder are passed over, and what cannot be read is named.
func TestUIOfHostileFolder(t *testing.T) {
	directory := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(directory, "log.out"), 0o600); err != nil {
		t.Fatal(err)
	}
	outside := write(t, "secret.yaml", []byte("password: x"))
	if err := os.Symlink(outside, filepath.Join(directory, "out.yaml")); err != nil {
		t.Fatal(err)
	}
	if page := servedPage(t, directory, "127.0.0.1:1", "/"); page.Code != http.StatusOK || strings.Contains(page.Body.String(), "out.yaml") {
		t.Errorf("code %d: %s", page.Code, page.Body)
	}
	p := &pages{from: &folder{cmd: &cobra.Command{}, paths: []string{directory}}, now: time.Now}
	request := httptest.NewRequest(http.MethodGet, "http://127.0.0.1:1/", http.NoBody)
	request.Header.Set("Sec-Fetch-Site", "cross-site")
	answer := httptest.NewRecorder()
	if p.handler().ServeHTTP(answer, request); answer.Code != http.StatusForbidden {
		t.Errorf("for another site: code %d", answer.Code)
	}
}

// TestUIServesNothingElse: other sites' names, files that are not listed, and changes are refused.
func TestUIServesNothingElse(t *testing.T) {
	directory := t.TempDir()
	secret := write(t, "secret.yaml", []byte("password: x"))
	for path, want := range map[string]int{
		"/benchmarks/" + url.PathEscape(secret) + "/x":                 http.StatusNotFound,
		"/benchmarks/" + url.PathEscape(directory+"/../x.yaml") + "/x": http.StatusNotFound,
		"/other": http.StatusNotFound,
	} {
		if page := servedPage(t, directory, "127.0.0.1:1", path); page.Code != want || strings.Contains(page.Body.String(), "password") {
			t.Errorf("%s: code %d, want %d: %s", path, page.Code, want, page.Body)
		}
	}
	for _, host := range []string{"attacker.example:8080", "127.0.0.1", "127.0.0.1.attacker.example:1"} {
		if page := servedPage(t, directory, host, "/"); page.Code != http.StatusForbidden {
			t.Errorf("host %s: code %d", host, page.Code)
		}
	}
	p := &pages{from: &folder{cmd: &cobra.Command{}, paths: []string{directory}}, now: time.Now}
	answer := httptest.NewRecorder()
	p.handler().ServeHTTP(answer, httptest.NewRequest(http.MethodPost, "http://localhost:1/", http.NoBody))
	if answer.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST: code %d", answer.Code)
	}
}
