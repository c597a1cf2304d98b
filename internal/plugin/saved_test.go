package plugin

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// write writes a file of a test, and returns its path.
func write(t *testing.T, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func asYAML(t *testing.T, object any) []byte {
	t.Helper()
	text, err := yaml.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// listOf is what "kubectl get -o yaml" prints of several.
func listOf(items ...any) any {
	return map[string]any{"apiVersion": "v1", "kind": "List", "items": items}
}

// Every format of a benchmark that was saved is what it is from the cluster, byte for byte.
func TestSavedIsAsInTheCluster(t *testing.T) {
	t.Setenv("KUBECONFIG", "/dev/null")
	before := measured("ns", "before", "gp3", 100)
	server := newServer(t, before, measured("ns", "after", "gp3", 150))
	asJSON, err := json.Marshal(before)
	if err != nil {
		t.Fatal(err)
	}
	list := write(t, "all.yaml", asYAML(t, listOf(before, measured("ns", "after", "gp3", 150))))
	commands := [][]string{{"explain-result"}, {"report"}}
	for _, f := range reportFormats {
		commands = append(commands, []string{"report", "-o", f.name})
	}
	for _, command := range commands {
		want := execute(t, "", on(server, append(command, "before")...)...)
		for name, args := range map[string][]string{
			"YAML":                {write(t, "saved.yaml", asYAML(t, before))},
			"JSON":                {write(t, "saved.json", asJSON)},
			"a list, by its name": {"-f", list, "before"},
		} {
			if got := execute(t, "", append(command, args...)...); got != want {
				t.Errorf("%v of %s is\n%+v\nwant\n%+v", command, name, got, want)
			}
		}
	}
	want := execute(t, "", on(server, "compare", "before", "after")...)
	got := execute(t, "", on(server, "compare", write(t, "before.yaml", asYAML(t, before)), "after")...)
	if got != want || got.Failed {
		t.Errorf("compared with a file it is\n%+v\nwant\n%+v", got, want)
	}
}

func TestSavedFilesThatHaveNoResults(t *testing.T) {
	t.Setenv("KUBECONFIG", "/dev/null")
	two := asYAML(t, listOf(measured("ns", "a", "gp3", 1), measured("ns", "b", "gp3", 1)))
	schedule := &v1alpha1.StorageBenchmarkSchedule{TypeMeta: metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: "StorageBenchmarkSchedule"}}
	schedule.Namespace, schedule.Name = "ns", "nightly"
	for name, test := range map[string]struct {
		content []byte
		args    []string
		want    string
	}{
		"another text":        {[]byte("hello"), nil, "is neither a resource nor what fio printed"},
		"another resource":    {[]byte("apiVersion: v1\nkind: Secret\nmetadata: {name: x}\n"), nil, "has no StorageBenchmark"},
		"several":             {two, nil, "name one, as in -f"},
		"an unknown name":     {two, []string{"c"}, "not found"},
		"flags of fio":        {two, []string{"a", "--volume", "gp3"}, "--volume: only the output of fio needs this"},
		"fio without a job":   {[]byte(`{"fio version": "fio-3.33", "jobs": []}`), nil, "no jobs"},
		"an unknown volume":   {[]byte(`{"fio version": "fio-3.33"}`), []string{"--volume", "gp9"}, "no limits are known of type"},
		"an unknown setting":  {[]byte(`{"fio version": "fio-3.33"}`), []string{"--volume", "gp3,iop=4000"}, `there is no field "iop": did you mean iops?`},
		"an unknown instance": {[]byte(`{"fio version": "fio-3.33"}`), []string{"--instance", "m0.none"}, "no such type of EC2 instance"},
		"no size of gp2":      {[]byte(`{"fio version": "fio-3.33"}`), []string{"--volume", "gp2"}, "add size="},
		"a size of bytes":     {[]byte(`{"fio version": "fio-3.33"}`), []string{"--volume", "gp3,size=10"}, "write a size such as 100Gi"},
		"no size of EFS":      {[]byte(`{"fio version": "fio-3.33"}`), []string{"--efs", "Bursting"}, "add meteredSize="},
		"a list in a list":    {asYAML(t, listOf(listOf(measured("ns", "a", "gp3", 1)))), nil, "a List in a List"},
		"a volume too slow":   {[]byte(`{"fio version": "fio-3.33"}`), []string{"--volume", "gp2,iops=4000,size=100Gi"}, "iops"},
		"no format of it":     {asYAML(t, schedule), []string{"schedule/nightly", "-o", "junit"}, "of a schedule: --output"},
	} {
		t.Run(name, func(t *testing.T) {
			path := write(t, "file.txt", test.content)
			got := execute(t, "", append([]string{"report", "-f", path}, test.args...)...)
			if !got.Failed || !strings.Contains(got.Err, test.want) || got.Out != "" {
				t.Errorf("%+v, want %q", got, test.want)
			}
		})
	}
}

// The message of a run that failed quotes fio, and the file is not fio's output for that. Of two namespaces each has its own.
func TestSavedBenchmarksThatFailed(t *testing.T) {
	t.Setenv("KUBECONFIG", "/dev/null")
	failed, other := measured("ns", "before", "gp3", 100), measured("other", "elsewhere", "gp3", 100)
	failed.Status.Runs[0].State = v1alpha1.RunFailed
	failed.Status.Runs[0].Message = "fio gave no result: job: (groupid=0, jobs=1): err=28 (file:filesetup.c:242, func=fallocate): pid=7"
	text, err := json.Marshal(listOf(failed, other)) // in one line, which is like one of fio's
	if err != nil {
		t.Fatal(err)
	}
	file := write(t, "all.json", text)
	for _, name := range []string{"before", "elsewhere"} {
		if got := execute(t, "", "report", "-f", file, name); got.Failed {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// Output of fio is explained with what the flags say of the storage.
func TestExplainOutputOfFio(t *testing.T) {
	t.Setenv("KUBECONFIG", "/dev/null")
	const file = "../fiooutput/testdata/both-3.33.txt"
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		args []string
		in   string
		want []string
	}{
		"a volume":        {[]string{"explain", file, "--volume", "gp3,iops=4000,size=100Gi", "--instance", "m6i.large"}, "", []string{"EBS gp3 volume of 100Gi", "4000"}},
		"a file system":   {[]string{"explain", file, "--efs", "Bursting,meteredSize=2Ti"}, "", []string{"an EFS file system"}},
		"standard input":  {[]string{"report", "-", "-o", "json"}, string(content), []string{`"name": "fio"`}},
		"nothing is said": {[]string{"explain", file}, "", []string{"on storage"}},
		"two files":       {[]string{"compare", file, "../fiooutput/testdata/both-2.14.txt", "--s3"}, "", []string{"both-2-14"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := execute(t, test.in, test.args...)
			for _, want := range test.want {
				if got.Failed || !strings.Contains(got.Out, want) {
					t.Errorf("%+v, want %q", got, want)
				}
			}
		})
	}
}

// Terminals carry out some of the characters that a file can have: none is printed.
func TestSavedTextIsHarmless(t *testing.T) {
	t.Setenv("KUBECONFIG", "/dev/null")
	sb := measured("ns", "before", "gp3", 100)
	sb.Status.Comparisons[0].Workload = "\x1b[2Jgone"
	got := execute(t, "", "report", write(t, "saved.yaml", asYAML(t, sb)))
	if got.Failed || strings.Contains(got.Out, "\x1b") || !strings.Contains(got.Out, "gone") {
		t.Errorf("%q", got.Out)
	}
}
