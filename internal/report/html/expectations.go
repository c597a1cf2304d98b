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
	class := map[expectation.Verdict]string{expectation.Met: "faster", expectation.Missed: "slower", expectation.Unknown: "unsure"}
	return cell{Text: f.Answer(), Class: class[f.Verdict]}
}
