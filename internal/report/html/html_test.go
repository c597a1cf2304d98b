package html

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
	"sigs.k8s.io/yaml"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/report/html/internal/sample"
	"github.com/storagebench/storagebench/internal/series"
)

// written returns the page of a benchmark as text and as the tree that a browser sees.
func written(t testing.TB, sb *v1alpha1.StorageBenchmark) (string, *html.Node) {
	t.Helper()
	return writtenWith(t, sb, nil)
}

// writtenWith returns the page of a benchmark with what its runs did over time.
func writtenWith(t testing.TB, sb *v1alpha1.StorageBenchmark, over map[string]*series.Series) (string, *html.Node) {
	t.Helper()
	var out bytes.Buffer
	if err := Write(&out, sb, over); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	tree, err := html.Parse(&out)
	if err != nil {
		t.Fatal(err)
	}
	return text, tree
}

// elements returns the elements of a name below a node, in their order.
func elements(node *html.Node, name string) []*html.Node {
	var all []*html.Node
	for n := range node.Descendants() {
		if n.Type == html.ElementNode && n.Data == name {
			all = append(all, n)
		}
	}
	return all
}

// attribute returns the value of an attribute, "" if there is none.
func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// textOf returns the text of a node, with single spaces.
func textOf(n *html.Node) string {
	var parts []string
	for d := range n.Descendants() {
		if d.Type == html.TextNode && d.Parent.Data != "script" && d.Parent.Data != "style" {
			parts = append(parts, strings.Fields(d.Data)...)
		}
	}
	return strings.Join(parts, " ")
}

// byID returns the element with an id; the test fails if there is none.
func byID(t *testing.T, tree *html.Node, id string) *html.Node {
	t.Helper()
	for n := range tree.Descendants() {
		if attribute(n, "id") == id {
			return n
		}
	}
	t.Fatalf("nothing has id %s", id)
	return nil
}

// tableOf returns the texts of a table's cells.
func tableOf(t *testing.T, tree *html.Node, caption string) [][]string {
	t.Helper()
	for _, table := range elements(tree, "table") {
		if textOf(elements(table, "caption")[0]) != caption {
			continue
		}
		var rows [][]string
		for _, tr := range elements(table, "tr") {
			var cells []string
			for cell := range tr.ChildNodes() {
				cells = append(cells, textOf(cell))
			}
			rows = append(rows, cells)
		}
		return rows
	}
	t.Fatalf("no table %q", caption)
	return nil
}

func TestSections(t *testing.T) {
	for name, test := range map[string]struct {
		sb   *v1alpha1.StorageBenchmark
		want []string
	}{
		"gp3 and EFS": {sample.GP3VsEFS(), []string{
			"gp3-vs-efs Completed", "At a glance", "gp3", "efs", "Before you believe it", "Results", "randwrite Random writes", "Latency by percentile",
			"Storage that was measured", "gp3 EBS gp3 volume of 30Gi", "efs EFS file system fs-0123456789abcdef0", "Runs", "Repeat it", "How to read this",
		}},
		"swept": {sample.EFSOperations(), []string{
			"efs-operations Completed", "At a glance", "efs", "gp3", "Before you believe it", "Results",
			"writes Sequential writes", "Scaling", "Latency by percentile", "reads Random reads", "Scaling", "Latency by percentile",
			"Storage that was measured", "efs EFS file system fs-0123456789abcdef0", "gp3 EBS gp3 volume of 30Gi", "Runs", "Repeat it", "How to read this",
		}},
		"failed": {sample.Failed(), []string{
			"failed RunFailed", "At a glance", "gp3", "efs", "Before you believe it", "Results", "randwrite Random writes", "Latency by percentile",
			"Storage that was measured", "gp3 EBS gp3 volume of 30Gi", "efs EFS file system fs-0123456789abcdef0",
			"Runs", "Failed, without a result", "Attempts that were given up", "Repeat it", "How to read this",
		}},
		"not begun": {sample.Pending(), []string{"pending Not begun", "Repeat it", "How to read this"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, tree := written(t, test.sb)
			var got []string
			last := 0
			for n := range tree.Descendants() {
				if level := strings.Index("h1h2h3h4", n.Data)/2 + 1; n.Type == html.ElementNode && len(n.Data) == 2 && n.Data[0] == 'h' && level > 0 && n.Data != "hr" {
					got = append(got, textOf(n))
					if level > last+1 {
						t.Errorf("heading %q of level %d follows one of level %d", textOf(n), level, last)
					}
					last = level
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("headings (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTables(t *testing.T) {
	_, e1 := written(t, sample.GP3VsEFS())
	_, e2 := written(t, sample.GP2VsGP3())
	_, failed := written(t, sample.Failed())
	for caption, test := range map[string]struct {
		tree *html.Node
		rows int
		want [][]string // the first rows
	}{
		"Figures of randwrite": {e1, 5, [][]string{
			{"Parameters", "Target", "I/O", "IOPS", "Bandwidth", "Mean", "P50", "P90", "P99", "vs gp3", "Verdict", "Limited by"},
			{"bs=16k", "gp3", "write", "3003 2998–3015", "46.9 MiB/s 49.2 MB/s", "1.03ms", "470us", "2.97ms", "90.0ms", "", "", "Volume's IOPS 100 % used"},
			{"bs=16k", "efs", "write", "1540 1533–1587", "24.1 MiB/s 25.2 MB/s", "10.7ms", "9.96ms", "11.6ms", "15.9ms 0.18x 0.171–0.181", "0.51x 0.508–0.524", "▼ Slower p = 1.79e-09", "Latency 104 % used"},
		}},
		"Figures of mixed": {e2, 37, [][]string{
			{"Parameters", "Target", "I/O", "IOPS", "Bandwidth", "Mean", "P50", "P90", "P99", "vs gp2", "Verdict", "Limited by"},
		}},
		"Expectations": {e2, 10, [][]string{
			{"Workload", "Target", "Measured", "Expected", "Verdict"},
			{"mixed bs=16k numjobs=2", "gp3", "total IOPS 2107, 0.941 times the baseline's 2240 4 of 4 runs, and the interval from 0.936 to 0.947 misses it as well", "at least 0.95 times the baseline's", "Not met"},
			{"mixed bs=16k numjobs=16", "gp3", "total IOPS 3062, 0.999 times the baseline's 3064 4 of 4 runs meet it, and the interval from 0.992 to 1 meets it as well", "at least 0.95 times the baseline's", "Met"},
		}},
		"randwrite bs=16k: Writes, latency": {e1, 3, [][]string{
			{"Target", "Least", "P50", "P90", "P95", "P99", "P99.9", "P99.99", "Greatest"},
		}},
		"Limits of gp3": {e1, 3, [][]string{
			{"Limits of", "IOPS", "Bandwidth", "Without burst credits", "Source"},
			{"volume", "3000 IOPS", "125 MiB/s", "", "AWS: gp3 volume with 3000 IOPS and 125 MiB/s provisioned"},
		}},
		"Volumes of efs": {e1, 2, [][]string{
			{"Volume", "Handle", "Node", "Instance type", "Zone"},
			{
				"pvc-450f9944-7c1e-4f0e-9a53-6f2b8a1de010", "fs-0123456789abcdef0::fsap-0b3c1f0a9d1e2f3a4",
				"ip-10-0-12-34.eu-central-1.compute.internal", "m6i.large", "eu-central-1a",
			},
		}},
		"Runs that failed": {failed, 2, [][]string{
			{"Run", "Target", "Attempts", "Why"},
			{"randwrite.bs-64k.efs.1", "efs", "2", "fio ended with exit code 1: fio: io_u error on file randwrite.0.0: Input/output error: write offset=0, buflen=65536"},
		}},
		"Attempts that were given up": {failed, 2, [][]string{
			{"Run", "Attempt", "Reason", "Node", "Began", "After", "Message"},
			{
				"randwrite.bs-64k.gp3.1", "1", "Disrupted", "ip-10-0-12-34.eu-central-1.compute.internal",
				"2026-11-20 09:30 UTC", "21s", "Evicted: the node was low on resource: ephemeral-storage",
			},
		}},
		"All runs": {failed, 5, [][]string{
			{"#", "Run", "State", "Write IOPS", "Began", "Took", "Attempts", "Limited by"},
		}},
	} {
		t.Run(caption, func(t *testing.T) {
			got := tableOf(t, test.tree, caption)
			if len(got) != test.rows {
				t.Errorf("%d rows, want %d", len(got), test.rows)
			}
			if diff := cmp.Diff(test.want, got[:len(test.want)]); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
		})
	}
}

// TestManifest: what the page shows to be repeated is the spec.
func TestManifest(t *testing.T) {
	sb := sample.GP2VsGP3()
	_, tree := written(t, sb)
	var got v1alpha1.StorageBenchmark
	if err := yaml.UnmarshalStrict([]byte(byID(t, tree, "manifest").FirstChild.Data), &got); err != nil {
		t.Fatal(err)
	}
	if got.Name != sb.Name || got.Kind != "StorageBenchmark" || got.APIVersion != v1alpha1.GroupVersion.String() {
		t.Errorf("%s %s %s", got.APIVersion, got.Kind, got.Name)
	}
	if diff := cmp.Diff(sb.Spec, got.Spec, cmp.Comparer(func(a, b v1alpha1.Target) bool { return a.Name == b.Name && a.Capacity.Cmp(*b.Capacity) == 0 })); diff != "" {
		t.Errorf("spec (-want +got):\n%s", diff)
	}
}

// TestHostile: whatever the texts of a benchmark are, the page has the elements that it has of tame ones.
func TestHostile(t *testing.T) {
	text, tree := written(t, sample.Hostile())
	for _, name := range []string{"img", "iframe", "object", "link", "form", "base"} {
		if all := elements(tree, name); len(all) > 0 {
			t.Errorf("%d elements %s", len(all), name)
		}
	}
	executable := 0
	for _, script := range elements(tree, "script") {
		if attribute(script, "type") == "" {
			executable++
		}
	}
	if executable != 1 || len(elements(tree, "style")) != 1 || len(elements(tree, "body")) != 1 {
		t.Errorf("%d scripts, %d style sheets", executable, len(elements(tree, "style")))
	}
	for n := range tree.Descendants() {
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "src" || a.Key == "href" && !strings.HasPrefix(a.Val, "#") {
				t.Errorf("<%s %s=%q>", n.Data, a.Key, a.Val)
			}
		}
	}
	// Each is there, as text.
	shown := textOf(tree)
	for _, where := range []string{
		"name", "namespace", "target", "workload", "rw", "option", "value", "job file", "section", "file system", "class", "driver", "source", "volume", "handle", "node",
		"zone", "instance", "run", "message", "parameter", "version", "bound", "bound message", "ratio", "p-value", "abandoned", "reason", "warning", "remedy", "condition", "condition message",
	} {
		if !strings.Contains(shown, "<script>window.attacked='"+where+"'</script>") {
			t.Errorf("%s is not shown", where)
		}
	}
	if strings.Contains(text, "annotation") {
		t.Error("annotations are shown")
	}
}

// TestPolicy: the script and the style sheet that are in the page are those that its policy lets through.
func TestPolicy(t *testing.T) {
	_, tree := written(t, sample.GP3VsEFS())
	policy := ""
	for _, meta := range elements(tree, "meta") {
		if attribute(meta, "http-equiv") == "Content-Security-Policy" {
			policy = attribute(meta, "content")
		}
	}
	if !strings.HasPrefix(policy, "default-src 'none';") || strings.Contains(policy, "unsafe") {
		t.Errorf("policy %q", policy)
	}
	for name, directive := range map[string]string{"script": "script-src", "style": "style-src"} {
		all := elements(tree, name)
		sum := sha256.Sum256([]byte(all[len(all)-1].FirstChild.Data))
		if want := directive + " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(policy, want) {
			t.Errorf("policy %q, want %s", policy, want)
		}
	}
}

// TestSelfContained: no part of the page is an address that is loaded. Licences and names of XML namespaces are not.
func TestSelfContained(t *testing.T) {
	for name, text := range map[string]string{"style": style, "layout": layout} {
		if found := regexp.MustCompile(`https?://|url\(|@import`).FindString(text); found != "" {
			t.Errorf("%s has %s", name, found)
		}
	}
	if end := strings.Index(licenses, "--"); end >= 0 {
		t.Errorf("licences end the comment that they are in: %q", licenses[end:min(end+20, len(licenses))])
	}
	text, _ := written(t, sample.Pending())
	if !strings.Contains(text, "Permission to use, copy, modify, and/or distribute this software") || !strings.Contains(text, "@observablehq/plot") {
		t.Error("the page is without the licences of what it contains")
	}
}

// TestCharts: the data of each figure can be read, and says where each target is.
func TestCharts(t *testing.T) {
	_, tree := written(t, sample.GP3VsEFS())
	var kinds []string
	for _, f := range elements(tree, "figure") {
		var c chart
		if err := json.Unmarshal([]byte(elements(f, "script")[0].FirstChild.Data), &c); err != nil {
			t.Fatal(err)
		}
		kinds = append(kinds, c.Kind)
		if diff := cmp.Diff([]string{"gp3", "efs"}, c.Targets); diff != "" {
			t.Errorf("targets (-want +got):\n%s", diff)
		}
		if c.Kind != attribute(f, "data-kind") {
			t.Errorf("kind %s of a chart that is %s", attribute(f, "data-kind"), c.Kind)
		}
	}
	if diff := cmp.Diff([]string{kindBars, kindLines, kindLines}, kinds); diff != "" {
		t.Errorf("kinds (-want +got):\n%s", diff)
	}
}

// broken is a writer that fails.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errBroken }

var errBroken = errors.New("disk full")

func TestWriteError(t *testing.T) {
	if err := Write(broken{}, sample.Pending(), nil); !errors.Is(err, errBroken) || !strings.Contains(err.Error(), "pending") {
		t.Errorf("error %v", err)
	}
}

// BenchmarkWrite prints how long the page of 500 runs takes, and how large it is.
func BenchmarkWrite(b *testing.B) {
	sb := sample.Many(500)
	var out bytes.Buffer
	for b.Loop() {
		out.Reset()
		if err := Write(&out, sb, nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(out.Len()), "page-bytes")
}

// TestAnswersComeFirst: what the spec asks for is answered before any figure.
func TestAnswersComeFirst(t *testing.T) {
	for name, test := range map[string]struct {
		sb   *v1alpha1.StorageBenchmark
		want []string
	}{
		"search":       {sample.HighestLoad(), []string{"Highest load: reads on gp3: ", "Highest load: reads on io2: ", "Highest load: reads on st1: "}},
		"expectations": {sample.GP2VsGP3(), []string{"Not met: ", "Not measured: "}},
	} {
		_, tree := written(t, test.sb)
		before, _, _ := strings.Cut(textOf(tree), "At a glance")
		for _, want := range test.want {
			if !strings.Contains(before, want) {
				t.Errorf("%s: %q is not in %q", name, want, before)
			}
		}
	}
}
