package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/report/wording"
)

const wantMarkdown = `# e1

**Completed**: each run has a result. Begun 2026-07-01 12:00 UTC, ended 2026-07-01 12:10 UTC. Measured with fio-3.39.

## Results

| WORKLOAD | PARAMETERS | TARGET | I/O | IOPS | BANDWIDTH | MEAN | P50 | P90 | P99 | VS GP3 | VERDICT | LIMITED BY |
|:--- |:--- |:--- |:--- | ---:| ---:| ---:| ---:| ---:| ---:| ---:|:--- |:--- |
| randwrite | bs=16k | gp3 | write | 3048 ±0.1% | 47.6 MiB/s | 5.25ms | 5.25ms | 5.78ms | 10.5ms |  |  | VolumeIOPS |
| randwrite | bs=16k | efs | write | 1563 ±9% | 24.4 MiB/s | 10.2ms | 10.2ms | 11.3ms | 20.5ms | 0.51x | Slower | Latency |

IOPS, bandwidth and latencies are medians over repetitions, ± half of their range. MEAN is fio's lat, percentiles are of its clat.

## Warnings

- **Spread** (1 result): randwrite bs=16k on efs: IOPS of 6 repetitions go from 1549 to 1830 around a median of 1563: a spread of 18 %
  To do: raise repetitions or runtimeSeconds, and look for other load on the node and on the storage, or for burst credits that run out

## Attempts without a result

- attempt 1 of randwrite.bs-16k.gp3.1 (Late)

## What was provisioned

| TARGET | STORAGE | MODE | CLASS | DRIVER | VOLUMES | NODES | LIMITS | LIMITS KNOWN FROM |
|:--- |:--- |:--- |:--- |:--- |:--- |:--- |:--- |:--- |
| gp3 | EBS gp3 volume of 30Gi | Filesystem | sb-1 | ebs.csi.aws.com | vol-1 | node-1 (m6i.large, eu-central-1a) | Volume: 3000 IOPS, 125 MiB/s | https://docs.aws.amazon.com/ebs |
| efs | EFS file system fs-0123456789abcdef0 | Filesystem |  | efs.csi.aws.com | fs-0\|x | node-1 (m6i.large) |  |  |

## How to repeat it

Put this into a file, and ` + "`kubectl apply -f FILE`" + `:

` + "```yaml" + `
apiVersion: storagebench.dev/v1alpha1
kind: StorageBenchmark
metadata:
  name: e1
spec:
  repetitions: 6
  targets:
  - capacity: 30Gi
    ebs:
      iops: 3000
      type: gp3
    name: gp3
  - efs:
      fileSystemID: fs-0123456789abcdef0
    name: efs
  workloads:
  - fio:
      direct: true
      ioengine: psync
      numjobs: 16
      runtimeSeconds: 60
      rw: randwrite
      size: 1G
      timeBased: true
    matrix:
      bs:
      - 16k
    name: randwrite
` + "```" + `
`

func TestMarkdown(t *testing.T) {
	sb := experiment("e1", gp3Six, efsSix)
	sb.Status.AbandonedAttempts = []v1alpha1.AbandonedAttempt{{Run: "randwrite.bs-16k.gp3.1", Attempt: 1, Reason: v1alpha1.AbandonLate}}
	if diff := cmp.Diff(wantMarkdown, markdownOf(t, sb)); diff != "" {
		t.Errorf("page (-want +got):\n%s", diff)
	}
}

// markdownOf returns the page of a benchmark.
func markdownOf(t *testing.T, sb *v1alpha1.StorageBenchmark) string {
	t.Helper()
	var out bytes.Buffer
	if err := Markdown(&out, sb); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestMarkdownOfHostileText: no text becomes markup, ends a cell or the block of code.
func TestMarkdownOfHostileText(t *testing.T) {
	const hostile = "a|b\n# <img src=x onerror=alert(1)> ![i](http://x) **b** `c` \\| ~~d~~ &lt;"
	const harmless = `a|b # &lt;img src=x onerror=alert(1)&gt; !\[i\](http://x) \*\*b\*\* ` + "\\`c\\`" + ` \\| \~\~d\~\~ &amp;lt;`
	sb := experiment("e1", []int64{3000}, []int64{1500})
	sb.Spec.Workloads[0].JobFile = new("[a]\n; ```\n; ````\n")
	sb.Status.Comparisons[0].Section = hostile
	sb.Status.Warnings = []v1alpha1.WarningSummary{{Reason: "R", Results: 1, Message: hostile, Remedy: hostile}}
	sb.Status.Conditions[0].Message = hostile
	sb.Status.AbandonedAttempts = []v1alpha1.AbandonedAttempt{{Run: "r", Attempt: 1, Message: hostile}}
	got := markdownOf(t, sb)
	if n := strings.Count(got, harmless); n != 4 {
		t.Errorf("the text is printed harmless %d times outside of tables:\n%s", n, got)
	}
	if n := strings.Count(got, strings.ReplaceAll("randwrite/"+harmless, "|", `\|`)); n != 2 {
		t.Errorf("the text is printed harmless %d times in the table:\n%s", n, got)
	}
	if strings.Contains(got, "<img") || strings.Contains(got, "\n# <") {
		t.Errorf("markup:\n%s", got)
	}
	if strings.Count(got, "\n`````") != 2 {
		t.Errorf("the block of code has no fences that are longer than those in it:\n%s", got)
	}
}

// TestMarkdownBeforeResults: what is known before the first run.
func TestMarkdownBeforeResults(t *testing.T) {
	sb := experiment("e1", nil, nil)
	sb.Status = v1alpha1.StorageBenchmarkStatus{}
	if got, want := markdownOf(t, sb), "# e1\n\n## Results\n\nNo runs yet.\n\n## How to repeat it\n"; !strings.HasPrefix(got, want) {
		t.Errorf("page begins otherwise than %q:\n%s", want, got)
	}
}

// TestManifest: what is printed is the spec, and can be read again.
func TestManifest(t *testing.T) {
	sb := experiment("e1", gp3Six, efsSix)
	manifest, err := wording.Manifest(sb)
	if err != nil {
		t.Fatal(err)
	}
	var got v1alpha1.StorageBenchmark
	if err := yaml.UnmarshalStrict(manifest, &got); err != nil {
		t.Fatal(err)
	}
	want := v1alpha1.StorageBenchmark{Spec: sb.Spec}
	want.APIVersion, want.Kind, want.Name = "storagebench.dev/v1alpha1", "StorageBenchmark", "e1"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("read again (-want +got):\n%s", diff)
	}
}
