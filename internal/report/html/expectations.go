package html

import (
	"github.com/storagebench/storagebench/internal/expectation"
)

// expectationsTable says of all that is expected whether the results are so.
func (r *results) expectationsTable() table {
	t := table{Caption: "Expectations", Columns: []column{
		{Name: "Workload"}, {Name: "Target"}, {Name: "Measured"}, {Name: "Expected"}, {Name: "Verdict", Hint: "The median over the repetitions is held to what is expected."},
	}}
	findings := expectation.Told(r.sb)
	for i := range findings {
		f := &findings[i]
		of := row{{Text: f.What(), Sub: f.Rule.Preset, Heading: true}, {}, measuredCell(f), text(f.Rule.Expected()), judgedCell(f)}
		if f.Target != "" {
			name := r.target(f.Target)
			of[1] = cell{Text: name.Name, Target: &name}
		}
		t.Rows = append(t.Rows, of)
	}
	return t
}

// expectedClasses are the classes of style.css for verdicts.
var expectedClasses = map[expectation.Verdict]string{expectation.Met: "faster", expectation.Missed: "slower", expectation.Unknown: "unsure"}

// expected tells in a few words whether the results are as expected, with a class of style.css.
func expected(findings []expectation.Finding) (text, class string) {
	if len(findings) == 0 {
		return "", ""
	}
	worst := expectation.Met
	for i := range findings {
		if v := findings[i].Verdict; v == expectation.Missed || worst == expectation.Met {
			worst = v
		}
	}
	return "Expectations: " + expectation.Short(findings), expectedClasses[worst]
}

// measuredCell has what was measured, and below it how sure the verdict is, or why there is none.
func measuredCell(f *expectation.Finding) cell {
	c := text(f.Measured())
	switch {
	case f.Figures == nil:
	case f.Verdict == expectation.Unknown:
		c.Sub = f.Doubt
	default:
		c.Sub = f.Certainty()
	}
	return c
}

// judgedCell has the verdict.
func judgedCell(f *expectation.Finding) cell {
	return cell{Text: f.Answer(), Class: expectedClasses[f.Verdict]}
}
