package plugin

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/fio"
)

// misreadIn returns what misread does of a YAML document, nothing if it is none.
func misreadIn(document []byte) field.ErrorList {
	var object map[string]any
	encoded, err := yaml.YAMLToJSON(document)
	if err != nil || json.Unmarshal(encoded, &object) != nil {
		return nil
	}
	if object["kind"] == scheduleType.Kind {
		return misreadTemplate(object)
	}
	return misread(object)
}

// misreadTemplate is misread of the spec in the template of a StorageBenchmarkSchedule.
func misreadTemplate(schedule map[string]any) field.ErrorList {
	spec, found, _ := unstructured.NestedFieldNoCopy(schedule, "spec", "template", "spec")
	if !found {
		return nil
	}
	problems := misread(map[string]any{"spec": spec})
	for _, problem := range problems {
		problem.Field = "spec.template." + problem.Field
	}
	return problems
}

// misread finds fields that the API does not have, and values of fio's options that YAML takes for something else than they
// are meant to be, such as true. These cannot be read into a StorageBenchmark, and the decoder's error names neither the
// field nor the remedy.
func misread(object map[string]any) field.ErrorList {
	var problems field.ErrorList
	workloads, _, _ := unstructured.NestedFieldNoCopy(object, "spec", "workloads")
	list, _ := workloads.([]any)
	global, _, _ := unstructured.NestedFieldNoCopy(object, "spec", "fio")
	problems = append(problems, misreadFio(field.NewPath("spec", "fio"), global)...)
	for i := range list {
		workload, _ := list[i].(map[string]any)
		path := field.NewPath("spec", "workloads").Index(i)
		problems = append(problems, misreadFio(path.Child("fio"), workload["fio"])...)
		problems = append(problems, misreadMatrix(path.Child("matrix"), workload["matrix"])...)
	}
	unknown := unknownMembers(nil, object, fieldsOf(reflect.TypeFor[v1alpha1.StorageBenchmark]()))
	told := func(one *field.Error) bool {
		return slices.ContainsFunc(problems, func(other *field.Error) bool { return other.Field == one.Field })
	}
	return append(slices.DeleteFunc(unknown, told), problems...)
}

// misreadFio is about spec.fio and spec.workloads[].fio.
func misreadFio(path *field.Path, parameters any) field.ErrorList {
	values, _ := parameters.(map[string]any)
	var problems field.ErrorList
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if ours := fio.InOurWords(name, fmt.Sprint(values[name])); ours != "" {
			problems = append(problems, field.Forbidden(path.Child(name), "this is fio's own spelling: write "+ours))
		}
	}
	problems = append(problems, misreadRamp(path.Child("rampTimeSeconds"), values["rampTimeSeconds"])...)
	return append(problems, misreadOptions(path.Child("options"), values["options"])...)
}

// misreadRamp is about rampTimeSeconds, which is a whole number or text.
func misreadRamp(path *field.Path, ramp any) field.ErrorList {
	switch value := ramp.(type) {
	case nil, string:
		return nil
	case int64:
		if value == int64(int32(value)) {
			return nil
		}
	}
	return field.ErrorList{field.Invalid(path, ramp, "rampTimeSeconds must be a number of seconds from 0 to 86400, or auto")}
}

// misreadOptions is about options, whose values are text.
func misreadOptions(path *field.Path, options any) field.ErrorList {
	var problems field.ErrorList
	values, _ := options.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		switch value := values[name].(type) {
		case bool:
			problems = append(problems, field.Invalid(path.Key(name), value, fmt.Sprintf("it is a boolean, and options take text: write %q, as for fio", digit(value))))
		case int64, float64:
			problems = append(problems, field.Invalid(path.Key(name), value, "it is a number, and options take text: put it into quotes"))
		}
	}
	return problems
}

// misreadMatrix is about spec.workloads[].matrix, which has lists of text and whole numbers.
func misreadMatrix(path *field.Path, matrix any) field.ErrorList {
	var problems field.ErrorList
	values, _ := matrix.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		list, isList := values[name].([]any)
		if !isList {
			problems = append(problems, field.Invalid(path.Key(name), values[name], "a matrix has a list of values for each option: put it into [ ]"))
		}
		for i, value := range list {
			if why := misreadValue(value); why != "" {
				problems = append(problems, field.Invalid(path.Key(name).Index(i), value, why))
			}
		}
	}
	return problems
}

// misreadValue says what is wrong with a value of a matrix, and what to write, "" if it is text or a number that the API has room for.
func misreadValue(value any) string {
	switch value := value.(type) {
	case bool:
		return fmt.Sprintf("it is a boolean, and a matrix takes text and whole numbers: write %s, as for fio", digit(value))
	case float64:
		return "it is no whole number: put it into quotes, so that it is text"
	case int64:
		if value > math.MaxInt32 || value < math.MinInt32 {
			return fmt.Sprintf("it is more than %d: put it into quotes, so that it is text", math.MaxInt32)
		}
	}
	return ""
}

// digit is what fio takes for a boolean.
func digit(value bool) string {
	if value {
		return "1"
	}
	return "0"
}
