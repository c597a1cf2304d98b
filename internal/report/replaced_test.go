package report

import (
	"encoding/csv"
	"encoding/json"
	"strings"
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/analysis"
	"github.com/storagebench/storagebench/internal/report/export"
)

// replacedExperiment is an experiment in which gp3's claim was replaced after the first three of six repetitions.
func replacedExperiment() *v1alpha1.StorageBenchmark {
	sb := experiment("replaced", gp3Six, efsSix)
	sb.Status.Targets[0].RunsBeforeReplacement = new(int32(3))
	analysis.WarnOfReplaced(sb.Status.Comparisons, sb.Status.Targets, sb.Status.Runs)
	sb.Status.Warnings = analysis.Summarize(sb.Status.Targets, sb.Status.Runs, sb.Status.Comparisons)
	return sb
}

const replacedWords = "a claim was made again after 3 of 6 runs"

// Whoever reads a report for people is told of results of different volumes, where figures are and what to do.
func TestReplacedVolumeIsTold(t *testing.T) {
	sb := replacedExperiment()
	for name, write := range map[string]func(*strings.Builder) error{
		"table":    func(w *strings.Builder) error { Table(w, sb, Style{}); return nil },
		"markdown": func(w *strings.Builder) error { return Markdown(w, sb) },
		"explain":  func(w *strings.Builder) error { return Explain(w, sb, "", Style{}) },
	} {
		var text strings.Builder
		if err := write(&text); err != nil {
			t.Fatal(err)
		}
		got := strings.Join(strings.Fields(text.String()), " ")
		for _, words := range []string{"VolumeReplaced", replacedWords, "create the benchmark anew"} {
			if !strings.Contains(got, words) {
				t.Errorf("%s lacks %q:\n%s", name, words, text.String())
			}
		}
	}
	for run, words := range map[string]string{
		"randwrite.bs-16k.gp3.3": "it was measured before a claim was deleted and made again: runs after that are of another volume",
		"randwrite.bs-16k.gp3.4": "it was measured after a claim was deleted and made again: runs before that are of another volume",
	} {
		var text strings.Builder
		if err := Explain(&text, sb, run, Style{}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(strings.Fields(text.String()), " "); !strings.Contains(got, words) {
			t.Errorf("explanation of %s lacks %q:\n%s", run, words, text.String())
		}
	}
}

// Programs can tell the results of each volume apart, and see which figures are of both.
func TestReplacedVolumeInExports(t *testing.T) {
	sb := replacedExperiment()
	var text strings.Builder
	if err := export.CSV(&text, sb); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(text.String())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := map[string]int{}
	for i, name := range rows[0] {
		column[name] = i
	}
	seen := map[string]int{}
	for _, row := range rows[1:] {
		seen[row[column["target"]]+" "+row[column["after_replacement"]]]++
	}
	if seen["gp3 false"] != 3 || seen["gp3 true"] != 3 || seen["efs "] != 6 {
		t.Errorf("rows of the CSV are %v", seen)
	}
	text.Reset()
	if err := export.JSON(&text, sb); err != nil {
		t.Fatal(err)
	}
	var document export.Document
	if err := json.Unmarshal([]byte(text.String()), &document); err != nil {
		t.Fatal(err)
	}
	for i, result := range document.Results {
		if want := result.Target == "gp3"; (result.AfterReplacement != nil) != want || (want && *result.AfterReplacement != (i >= 3)) {
			t.Errorf("result %d is %+v", i, result)
		}
	}
	for _, compared := range document.Comparisons {
		if got := export.Reasons(compared.Warnings); strings.Contains(got, v1alpha1.WarningVolumeReplaced) != (compared.Target == "gp3") {
			t.Errorf("warnings of %s are %q", compared.Target, got)
		}
	}
}

// So it is where two benchmarks are compared.
func TestReplacedVolumeInPairs(t *testing.T) {
	p := paired(experiment("before", gp3Six, efsSix), replacedExperiment())
	var text strings.Builder
	PairTable(&text, p, Style{})
	if got := strings.Join(strings.Fields(text.String()), " "); !strings.Contains(got, replacedWords) {
		t.Errorf("the table lacks %q:\n%s", replacedWords, got)
	}
	text.Reset()
	if err := export.PairCSV(&text, p); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(text.String(), v1alpha1.WarningVolumeReplaced); n != 1 {
		t.Errorf("the CSV has the warning in %d rows:\n%s", n, &text)
	}
}
