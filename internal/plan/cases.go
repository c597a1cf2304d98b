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

// casesOf returns the cases of a workload that does the job: the product of its matrix and clients, options in the order of
// their names, of which the last changes fastest, and values in the order of the spec.
func casesOf(spec *v1alpha1.StorageBenchmarkSpec, w *v1alpha1.Workload, job *fio.JobFile) []testCase {
	parameters := w.Choices()
	if len(parameters) == 0 {
		return []testCase{{job: job, clients: spec.RunClients(nil)}}
	}
	choices := [][]fio.Setting{nil}
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		var longer [][]fio.Setting
		for _, choice := range choices {
			for _, value := range parameters[name] {
				longer = append(longer, append(slices.Clip(choice), fio.Setting{Name: name, Value: value.String()}))
			}
		}
		choices = longer
	}
	cases := make([]testCase, len(choices))
	for i, choice := range choices {
		cases[i] = testCase{name: caseName(choice), parameters: map[string]string{}, job: job.With(ofFio(choice))}
		for _, s := range choice {
			cases[i].parameters[s.Name] = s.Value
		}
		cases[i].clients = spec.RunClients(cases[i].parameters)
	}
	return cases
}

// countCases returns the number of cases of a workload, whose matrix is valid.
func countCases(w *v1alpha1.Workload) int {
	product := 1
	for _, values := range w.Choices() {
		product *= len(values)
	}
	return product
}

// validateMatrix refuses what would measure the same twice, and products that are too large to make.
func validateMatrix(path *field.Path, matrix map[string]v1alpha1.MatrixValues) field.ErrorList {
	var problems field.ErrorList
	options := map[string]string{}
	product := 1
	for _, name := range slices.Sorted(maps.Keys(matrix)) {
		option := fio.Canonical(fio.OptionName(name))
		if other, twice := options[option]; twice {
			problems = append(problems, field.Forbidden(path.Key(name), "it is the same fio option as "+other+": remove one"))
		}
		options[option] = name
		problems = append(problems, validateValues(path.Key(name), matrix[name])...)
		if name == v1alpha1.ParameterClients {
			problems = append(problems, field.Forbidden(path.Key(name), "it is no option of fio: set clients of the workload, beside matrix"))
		}
		if option == "ramp_time" && slices.ContainsFunc(matrix[name], func(v intstr.IntOrString) bool { return v.String() == "auto" }) {
			problems = append(problems, field.Forbidden(path.Key(name), "auto is for fio.rampTimeSeconds, and not for a matrix: to compare, use two workloads"))
		}
		product = min(product*len(matrix[name]), MaxResults+1)
	}
	if product > MaxResults {
		problems = append(problems, field.Invalid(path, field.OmitValueType{},
			fmt.Sprintf("the product of the values has more than %d cases, the most that a benchmark can hold; give fewer values, or split the benchmark", MaxResults)))
	}
	return problems
}

// validateParameters refuses parameters that take too much room in each run.
func validateParameters(path *field.Path, w *v1alpha1.Workload) field.ErrorList {
	longest := 0
	for name, values := range w.Choices() {
		longest += len(name) + longestOf(values)
	}
	if longest <= maxParameters {
		return nil
	}
	return field.ErrorList{field.Invalid(path, field.OmitValueType{}, fmt.Sprintf(
		"names and values of one case have %d characters: shorten them to %d, or move options that have one value only to fio or jobFile",
		longest, maxParameters))}
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
