package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/expectation"
	"github.com/storagebench/storagebench/internal/humanize"
	"github.com/storagebench/storagebench/internal/preset"
	"github.com/storagebench/storagebench/internal/report/cases"
	"github.com/storagebench/storagebench/internal/report/wording"
)

// answer is whether storage is good enough for a preset, with one choice of its matrix.
type answer struct {
	preset, target, parameters, section string
	verdict                             string
	// isOfSpec reports whether the workload has no preset, and the spec itself expects something of it.
	isOfSpec           bool
	measured, expected []string
	// shown are the metrics of measured.
	shown []expectation.Metric
	// hasFigures says whether at least one of them was measured.
	hasFigures bool
}

// The verdicts of answers. Without an expectation there is no answer, only figures.
const (
	answerYes        = "yes"
	answerNo         = "no"
	answerUndecided  = "undecided"
	answerUnmeasured = "not measured"
	answerNone       = "-"
)

// Check prints first whether the storage is good enough, then a row for each workload that has a preset, or of
// which the spec expects something, and each target, with the figures, and how sure that is.
func Check(w io.Writer, sb *v1alpha1.StorageBenchmark) {
	all := answers(sb)
	fmt.Fprintf(w, "%s\n\n", checked(all))
	head := "PRESET"
	if slices.ContainsFunc(all, func(a answer) bool { return a.isOfSpec }) {
		head = "WORKLOAD"
	}
	t := newTable(w, []column{
		{head, text.AlignLeft}, {"PARAMETERS", text.AlignLeft}, {"SECTION", text.AlignLeft}, {"TARGET", text.AlignLeft},
		{"GOOD ENOUGH", text.AlignLeft}, {"MEASURED", text.AlignLeft}, {"EXPECTED", text.AlignLeft},
	})
	judged, ofPreset := false, false
	for _, a := range all {
		t.AppendRow([]any{a.preset, a.parameters, a.section, a.target, a.word(), strings.Join(a.measured, ", "), cmp.Or(strings.Join(a.expected, ", "), "-")})
		judged, ofPreset = judged || len(a.expected) > 0, ofPreset || !a.isOfSpec
	}
	t.Render()
	if judged {
		certainties(w, sb)
	}
	if judged && ofPreset {
		fmt.Fprintf(w, "\nWhere there is no answer, there is no public figure to compare with. Sources: %s presets NAME\n",
			humanize.Program())
	}
	if failed := cases.CountState(sb, v1alpha1.RunFailed); failed > 0 {
		fmt.Fprintf(w, "\n%s failed; %s report %s says why.\n", humanize.Plural(failed, "run"), humanize.Program(), sb.Name)
	}
}

// Answer is whether storage is good enough for a preset, or for what the spec expects of a workload, for programs.
type Answer struct {
	// Preset is the preset, or the workload if that has none.
	Preset     string `json:"preset"`
	Target     string `json:"target"`
	Parameters string `json:"parameters,omitempty"`
	Section    string `json:"section,omitempty"`
	// GoodEnough is yes, no, undecided, not measured, or - where nothing is expected.
	GoodEnough string   `json:"goodEnough"`
	Measured   []string `json:"measured,omitempty"`
	Expected   []string `json:"expected,omitempty"`
}

// Answers returns the rows that Check prints.
func Answers(sb *v1alpha1.StorageBenchmark) []Answer {
	all := []Answer{}
	for _, a := range answers(sb) {
		all = append(all, Answer{
			Preset: a.preset, Target: a.target, Parameters: a.parameters, Section: a.section, GoodEnough: a.word(),
			Measured: a.measured, Expected: a.expected,
		})
	}
	return all
}

// certainties prints below the table how sure each answer is.
func certainties(w io.Writer, sb *v1alpha1.StorageBenchmark) {
	fmt.Fprintln(w)
	findings := expectation.Judge(&sb.Spec, &sb.Status)
	for i := range findings {
		fmt.Fprintf(w, "%s: %s\n", findings[i].Answer(), humanize.Line(findings[i].String()))
	}
}

// answers returns those of all presets and expectations in the order of the workloads.
func answers(sb *v1alpha1.StorageBenchmark) []answer {
	findings := expectation.Judge(&sb.Spec, &sb.Status)
	var all []answer
	for i := range sb.Spec.Workloads {
		workload := &sb.Spec.Workloads[i]
		a := &answering{workload: workload.Name, preset: workload.Name, isOfSpec: true}
		p, known := preset.Of(workload)
		if known {
			a.preset, a.isOfSpec = p.ID(), false
		}
		a.judgeAll(findings)
		if known {
			for _, f := range expectation.Show(&sb.Spec, &sb.Status, workload.Name, p.Shows) {
				a.show(&f)
			}
		}
		all = append(all, a.all...)
	}
	unmeasured := &answering{preset: "any workload", isOfSpec: true}
	unmeasured.judgeAll(findings)
	return append(all, unmeasured.all...)
}

// answering collects the answers of one workload. Where it has no preset, its name is in the place of that.
type answering struct {
	workload, preset string
	isOfSpec         bool
	all              []answer
}

// judgeAll adds the findings about the workload.
func (a *answering) judgeAll(findings []expectation.Finding) {
	for i := range findings {
		if findings[i].Workload == a.workload {
			a.judge(&findings[i])
		}
	}
}

// of returns the answer to which a finding belongs.
func (a *answering) of(f *expectation.Finding) *answer {
	wanted := answer{
		preset: a.preset, isOfSpec: a.isOfSpec, target: f.Target, parameters: wording.Parameters(f.Parameters), section: f.Section,
		verdict: answerNone,
	}
	at := slices.IndexFunc(a.all, func(b answer) bool {
		return b.target == wanted.target && b.parameters == wanted.parameters && b.section == wanted.section
	})
	if at < 0 {
		a.all, at = append(a.all, wanted), len(a.all)
	}
	return &a.all[at]
}

// judge adds what is expected. The worst verdict is the answer.
func (a *answering) judge(f *expectation.Finding) {
	to := a.of(f)
	to.add(f)
	to.expected = append(to.expected, f.Rule.Expected())
	switch {
	case f.Verdict == expectation.Missed || to.verdict == answerNo:
		to.verdict = answerNo
	case f.Verdict == expectation.Unknown || to.verdict == answerUndecided:
		to.verdict = answerUndecided
	default:
		to.verdict = answerYes
	}
}

// show adds a figure about which nothing is expected.
func (a *answering) show(f *expectation.Finding) {
	if to := a.of(f); !slices.Contains(to.shown, f.Rule.Metric) {
		to.add(f)
	}
}

// add adds what was measured.
func (a *answer) add(f *expectation.Finding) {
	a.measured, a.shown = append(a.measured, f.Measured()), append(a.shown, f.Rule.Metric)
	a.hasFigures = a.hasFigures || f.Figures != nil
}

// word is the verdict. Only where there is no figure at all it says that nothing was measured.
func (a *answer) word() string {
	if !a.hasFigures {
		return answerUnmeasured
	}
	return a.verdict
}
