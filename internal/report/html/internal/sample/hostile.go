package sample

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// Attack is text that would run a script, or make a request, wherever a page shows it without care. Before it is a
// place for a name, by which a test finds out where.
const Attack = `--></style></script></title></pre>"'><img src=x onerror="window.attacked='HERE'"><script>window.attacked='HERE'</script>{{.}}${1}` + "`\u2028"

// Hostile is a benchmark with an attack in every text that users, drivers, nodes or fio have a say in, also in those that
// the API server would refuse.
func Hostile() *v1alpha1.StorageBenchmark {
	sb := Failed()
	attack := func(where string) string { return strings.ReplaceAll(Attack, "HERE", where) }
	sb.Name, sb.Namespace = attack("name"), attack("namespace")
	sb.Annotations = map[string]string{attack("annotation"): attack("annotation")}
	target, workload := attack("target"), attack("workload")
	sb.Spec.Baseline = nil
	sb.Spec.Targets[0].Name = target
	sb.Spec.Targets[1].EFS.FileSystemID = attack("file system")
	job := "[global]\n; " + attack("job file") + "\n[" + attack("section") + "]\nrw=read\n"
	sb.Spec.Workloads[0].Name = workload
	sb.Spec.Workloads[0].Fio.RW = attack("rw")
	sb.Spec.Workloads[0].Fio.Options = map[string]v1alpha1.FioOptionValue{attack("option"): v1alpha1.FioOptionValue(attack("value"))}
	sb.Spec.Workloads = append(sb.Spec.Workloads, v1alpha1.Workload{Name: "file", JobFile: &job, Matrix: map[string]v1alpha1.MatrixValues{attack("key"): {intstr.FromString(attack("value"))}}})
	status := &sb.Status
	rename := func(name *string) {
		if *name == "gp3" {
			*name = target
		}
	}
	for i := range status.Targets {
		t := &status.Targets[i]
		rename(&t.Name)
		t.StorageClassName, t.Driver, t.Limits.Source = attack("class"), attack("driver"), attack("source")
		v := &t.Volumes[0]
		v.Name, v.Handle, v.Node, v.Zone, v.InstanceType = attack("volume"), attack("handle"), attack("node"), attack("zone"), attack("instance")
	}
	choice := map[string]string{attack("parameter"): attack("value")}
	for i := range status.Runs {
		run := &status.Runs[i]
		rename(&run.Target)
		run.Name, run.Workload, run.Message, run.Parameters = attack("run"), workload, attack("message"), choice
		if run.Result != nil {
			run.Result.FioVersion = attack("version")
			run.LimitedBy = &v1alpha1.LimitedBy{Reason: attack("bound"), Message: attack("bound message")}
		}
	}
	status.Comparisons = status.Comparisons[:1]
	c := &status.Comparisons[0]
	c.Workload, c.Parameters = workload, choice
	for i := range c.Targets {
		rename(&c.Targets[i].Name)
		io := c.Targets[i].Of(v1alpha1.OperationWrite)
		io.MilliIOPS.Ratio, io.MilliIOPS.PValue, io.Judged().Verdict = attack("ratio"), attack("p-value"), v1alpha1.Verdict(attack("verdict"))
		io.MilliIOPS.AdjustedPValue, io.MilliIOPS.DetectablePercent = io.MilliIOPS.PValue, 0
	}
	section := *c
	section.Workload, section.Section = "file", attack("section")
	status.Comparisons = append(status.Comparisons, section)
	status.AbandonedAttempts[0].Message, status.AbandonedAttempts[0].Node = attack("abandoned"), attack("node")
	status.Warnings = []v1alpha1.WarningSummary{{Reason: attack("reason"), Results: 1, Message: attack("warning"), Remedy: attack("remedy")}}
	status.Conditions[0].Reason, status.Conditions[0].Message = attack("condition"), attack("condition message")
	return sb
}
