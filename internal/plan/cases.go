package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/fio"
)

// testCase is one choice of values of a workload's matrix; a workload without a matrix has one with none.
type testCase struct {
	// name is a part of the names of runs, "" without a matrix.
	name string
	// parameters are the chosen values by their names in the matrix, nil without one.
	parameters map[string]string
	// clients is how many clients measure together.
	clients int32
	job     *fio.JobFile
	// probe is what is done after job, nil if nothing.
	probe *fio.JobFile
	// lowest is what is done at the lowest load of a search, whose highest is job's; nil if nothing is searched.
	lowest *fio.JobFile
}

// jobs are the ends of what is done for the case.
func (c *testCase) jobs() []*fio.JobFile {
	if c.lowest == nil {
		return []*fio.JobFile{c.job}
	}
	return []*fio.JobFile{c.job, c.lowest}
}

const (
	// maxMatrixValue is the most bytes of a value in a matrix.
	maxMatrixValue = 64
	// maxParameters is the most bytes of a case's names and values, which each run has in the status.
	maxParameters = 192
)

// casesOf returns the cases of a workload: the product of its matrix and clients, options in the order of
// their names, of which the last changes fastest, and values in the order of the spec.
func casesOf(spec *v1alpha1.StorageBenchmarkSpec, w *workload) []testCase {
	if len(w.choices) == 0 {
		return []testCase{{job: w.job, clients: spec.RunClients(nil)}}
	}
	choices := [][]fio.Setting{nil}
	for _, name := range slices.Sorted(maps.Keys(w.choices)) {
		var longer [][]fio.Setting
		for _, choice := range choices {
			for _, value := range w.choices[name] {
				longer = append(longer, append(slices.Clip(choice), fio.Setting{Name: name, Value: value.String()}))
			}
		}
		choices = longer
	}
	cases := make([]testCase, len(choices))
	for i, choice := range choices {
		cases[i] = testCase{name: caseName(choice), parameters: map[string]string{}, job: w.job.With(ofFio(choice))}
		for _, s := range choice {
			cases[i].parameters[s.Name] = s.Value
		}
		cases[i].clients = spec.RunClients(cases[i].parameters)
	}
	return cases
}

// validateMatrix refuses what would measure the same twice, products that are too large to make, and parameters that take
// too much room in each run.
func validateMatrix(w *workload) field.ErrorList {
	path, longest, product := w.path.Child("matrix"), 0, 1
	var problems field.ErrorList
	for _, name := range slices.Sorted(maps.Keys(w.Matrix)) {
		product = min(product*len(w.Matrix[name]), MaxResults+1)
		problems = append(problems, validateOption(path.Key(name), name, w)...)
	}
	for name, values := range w.choices {
		longest += len(name) + longestOf(values)
	}
	if product > MaxResults {
		problems = append(problems, field.Invalid(path, field.OmitValueType{}, fmt.Sprintf("the product of the values has more than "+
			"%d cases, the most that a benchmark can hold; give fewer values, or split the benchmark", MaxResults)))
	}
	if longest > maxParameters {
		problems = append(problems, field.Invalid(path, field.OmitValueType{}, fmt.Sprintf("names and values of one case have "+
			"%d characters: shorten them to %d, or move options that have one value only to fio or jobFile", longest, maxParameters)))
	}
	return problems
}

// validateOption refuses an option of a matrix.
func validateOption(path *field.Path, name string, w *workload) field.ErrorList {
	var problems field.ErrorList
	if first := w.varied[w.options[name]]; first != name {
		problems = append(problems, field.Forbidden(path, "it is the same fio option as "+first+": remove one"))
	}
	problems = append(problems, validateValues(path, w.Matrix[name])...)
	if name == v1alpha1.ParameterClients {
		problems = append(problems, field.Forbidden(path, "it is no option of fio: set clients of the workload, beside matrix"))
	}
	isAuto := func(v intstr.IntOrString) bool { return v.String() == "auto" }
	if w.options[name] == "ramp_time" && slices.ContainsFunc(w.Matrix[name], isAuto) {
		problems = append(problems, field.Forbidden(path,
			"auto is for fio.rampTimeSeconds, and not for a matrix: to compare, use two workloads"))
	}
	return problems
}

func longestOf(values []intstr.IntOrString) int {
	longest := 0
	for _, value := range values {
		longest = max(longest, len(value.String()))
	}
	return longest
}

func validateValues(path *field.Path, values []intstr.IntOrString) field.ErrorList {
	if len(values) == 0 {
		return field.ErrorList{field.Required(path, "give at least one value, or remove the option")}
	}
	var problems field.ErrorList
	seen := map[string]string{}
	for i, value := range values {
		// Names of runs are in lower case.
		text := strings.ToLower(value.String())
		first, twice := seen[text]
		switch {
		case len(value.String()) > maxMatrixValue:
			problems = append(problems, field.TooLong(path.Index(i), value.String(), maxMatrixValue))
		case twice:
			problems = append(problems, field.Invalid(path.Index(i), value.String(), fmt.Sprintf("it is the same as %q: remove one", first)))
		}
		seen[text] = value.String()
	}
	return problems
}

const (
	// maxCaseName leaves room for the names of workload, target and repetition in the 128 characters of a run's.
	maxCaseName = 48
	hashChars   = 8
)

var plainValue = regexp.MustCompile(`\A[a-z0-9]+\z`)

// caseName returns a short name for a choice, such as bs-16k-numjobs-2. A choice that does not fit into a name
// as it is gets a hash of all of it.
func caseName(choice []fio.Setting) string {
	var parts, exact []string
	fits := true
	for _, s := range choice {
		value := strings.ToLower(s.Value)
		fits = fits && plainValue.MatchString(value)
		parts = append(parts, strings.ReplaceAll(fio.OptionName(s.Name), "_", "-"), notPlain.ReplaceAllString(value, "-"))
		exact = append(exact, s.Name+"="+value)
	}
	name := strings.Trim(notPlain.ReplaceAllString(strings.Join(parts, "-"), "-"), "-")
	if fits && len(name) <= maxCaseName {
		return name
	}
	sum := sha256.Sum256([]byte(strings.Join(exact, "\n")))
	name = strings.TrimRight(name[:min(len(name), maxCaseName-hashChars-1)], "-")
	return name + "-" + hex.EncodeToString(sum[:])[:hashChars]
}

var notPlain = regexp.MustCompile(`[^a-z0-9]+`)
