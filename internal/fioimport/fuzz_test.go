package fioimport

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/fio"
)

// FuzzCommandLine imports arguments, of which each stands in a line.
func FuzzCommandLine(f *testing.F) {
	for _, e := range experiments() {
		if e.jobFile == "" {
			f.Add(strings.Join(strings.Fields(e.args), "\n"))
		}
	}
	for _, text := range []string{
		"", "-", "--", "--=", "-name", "--name=", "--name=global", "--name=a\n--name=a", "/bin/fio\nfio\n--name=a", "--name=a\n--rw\nread\n--size\n1M\n--time_based\n1",
		"--name=a\n--size=1M\n--filename=/dev/sda:/dev/shm/a\\:b", "--name=a\n--rw=read\n--size=1M\n--runtime=500ms\n--rate=1KiB,,2mb\n--kb_base=1000",
		"--size=4KiB\n--name=a\n--name=global\n--kb_base=1000\n--name=b\n--stonewall", "--name=[a]\n--size=1M", "--name=a\n--size=1M\n--bs=1;2#3", "--name=a\n--description=a \n--size=1M",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, known := range []Options{{}, surroundings()} {
			imported, err := known.CommandLine(strings.Split(text, "\n"))
			checkImport(t, imported, err)
		}
	})
}

// FuzzJobFile imports job files.
func FuzzJobFile(f *testing.F) {
	for _, e := range experiments() {
		if e.jobFile != "" {
			f.Add(e.jobFile)
		}
	}
	for _, test := range corpus {
		f.Add(test.text)
		f.Add(";" + test.text)
	}
	for _, text := range []string{
		"", "[a]", "[a]\nsize=1M\nrw=randread:8\n", "# c\n[global]\n\tdirectory = /a:/b # c\n[a]\nsize=1KiB ; d\n[b]\nsize=1k\nkb_base=1000\n", "[a]\nfilename=/dev/sda\n",
		"[a]\nfilename=/dev/sda\n[b]\nfilename=/dev/sda\nstonewall\n", "[global]\nsize=1M\n[a]\n[a]\n", "[a]\nsize=1M\nsize=2M\nbs=4k\nblocksize=8k\n", "[ a ]\nsize=1M\r\n[b]\r\nsize=1M # \x01\n",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, known := range []Options{{}, surroundings()} {
			known.Group = strings.HasPrefix(text, ";")
			imported, err := known.JobFile(text)
			checkImport(t, imported, err)
		}
	})
}

// checkImport holds that there is either something that is valid, as strictly read again as it was written, or words that can
// be shown.
func checkImport(t *testing.T, imported *Import, err error) {
	t.Helper()
	if err != nil {
		checkWords(t, strings.Split(err.Error(), "\n"))
		return
	}
	big := class("big")
	sb, err := imported.Benchmark("", []v1alpha1.Target{big, claim()})
	checkWords(t, imported.Notes)
	if err != nil {
		// Only what depends on the target, such as a device that is only read.
		checkWords(t, strings.Split(err.Error(), "\n"))
		return
	}
	var out strings.Builder
	if err := Write(&out, sb); err != nil {
		t.Fatal(err)
	}
	again := &v1alpha1.StorageBenchmark{}
	if err := yaml.UnmarshalStrict([]byte(out.String()), again); err != nil {
		t.Fatalf("%v in\n%s", err, out.String())
	}
	if diff := cmp.Diff(sb, again); diff != "" {
		t.Errorf("read again it is another (-written +read):\n%s", diff)
	}
	if len(validation.IsDNS1123Label(again.Name)) > 0 || strings.Contains(out.String(), "\nstatus:") || strings.Contains(out.String(), "null") {
		t.Errorf("written:\n%s", out.String())
	}
	checkWorkload(t, &again.Spec.Workloads[0], imported.Block)
}

// checkWorkload holds a workload to the guard, and to what the API admits of it.
func checkWorkload(t *testing.T, w *v1alpha1.Workload, block bool) {
	t.Helper()
	mode := corev1.PersistentVolumeFilesystem
	if block {
		mode = corev1.PersistentVolumeBlock
	}
	var job *fio.JobFile
	var err error
	if w.Fio != nil {
		job = fio.FromParameters(w.Name, w.Fio)
		checkParameters(t, w.Fio)
	} else if job, err = fio.Parse(*w.JobFile); err != nil || len(*w.JobFile) > maxJobFile {
		t.Fatalf("%d bytes of a job file: %v", len(*w.JobFile), err)
	}
	if problems := fio.Validate(field.NewPath("w"), job, mode, false); len(problems) > 0 {
		t.Errorf("refused: %v", problems)
	}
}

var rates = regexp.MustCompile(`^[0-9]+(,([0-9]+)?){0,2}$`) // as the API has it

// checkParameters holds parameters to the rules of the API that are not the guard's.
func checkParameters(t *testing.T, p *v1alpha1.FioParameters) {
	t.Helper()
	isMixed := slices.Contains([]string{"rw", "readwrite", "randrw"}, p.RW)
	if p.Size == nil && p.RuntimeSeconds == nil || p.TimeBased != nil && *p.TimeBased && p.RuntimeSeconds == nil || p.RWMixRead != nil && !isMixed || strings.Contains(p.RW, ":") {
		t.Errorf("the API refuses %+v", p)
	}
	for _, n := range []*int32{p.IODepth, p.NrFiles, p.NumJobs, p.RuntimeSeconds, p.Loops} {
		if n != nil && *n < 1 {
			t.Errorf("%d in %+v", *n, p)
		}
	}
	if r := p.RateIOPS; r != nil && (r.Type == intstr.Int && r.IntVal < 1 || r.Type == intstr.String && !rates.MatchString(r.StrVal)) {
		t.Errorf("rate %s in %+v", r, p)
	}
	for _, text := range []*string{p.BS, p.Rate, p.Size} {
		if text != nil && (strings.ContainsAny(*text, "bB") || len(*text) > 64) {
			t.Errorf("%q in %+v", *text, p)
		}
	}
	for name, value := range p.Options {
		if len(value) > 256 || len(p.Options) > 64 || fio.Canonical(name) != name {
			t.Errorf("option %s=%s", name, value)
		}
	}
}

// checkWords holds notes and problems to what can be shown.
func checkWords(t *testing.T, lines []string) {
	t.Helper()
	for _, line := range lines {
		if line == "" || strings.ContainsFunc(line, unicode.IsControl) || len(line) > 64<<10 {
			t.Errorf("%.400q", line)
		}
	}
}
