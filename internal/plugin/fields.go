package plugin

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/storagebench/storagebench/internal/humanize"
)

// unknownFields finds what a value read from YAML has and a type of the API does not, with the fields that may be meant.
func unknownFields(path *field.Path, value any, of reflect.Type) field.ErrorList {
	if of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	if reflect.PointerTo(of).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		return nil
	}
	var problems field.ErrorList
	switch value := value.(type) {
	case []any:
		for i := range value {
			if of.Kind() == reflect.Slice {
				problems = append(problems, unknownFields(path.Index(i), value[i], of.Elem())...)
			}
		}
	case map[string]any:
		if of.Kind() == reflect.Struct {
			return unknownMembers(path, value, fieldsOf(of))
		}
	}
	return problems
}

// unknownMembers is unknownFields of a value with fields.
func unknownMembers(path *field.Path, value map[string]any, known map[string]reflect.Type) field.ErrorList {
	var problems field.ErrorList
	for _, name := range slices.Sorted(maps.Keys(value)) {
		if of, is := known[name]; is {
			problems = append(problems, unknownFields(path.Child(name), value[name], of)...)
			continue
		}
		problems = append(problems, field.Forbidden(path.Child(name), "there is no such field"+meant(name, slices.Sorted(maps.Keys(known)))))
	}
	return problems
}

// fieldsOf returns the fields of a type by their names in YAML.
func fieldsOf(of reflect.Type) map[string]reflect.Type {
	fields := map[string]reflect.Type{}
	for f := range of.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "" && f.Anonymous:
			maps.Copy(fields, fieldsOf(f.Type))
		case name != "":
			fields[name] = f.Type
		}
	}
	return fields
}

// meant asks whether one of the known names was meant by another: the one that differs least, or the shortest that has
// the other in it. It says which there are where none is near.
func meant(name string, known []string) string {
	if near := humanize.Closest(name, known); near != "" {
		return fmt.Sprintf(": did you mean %s?", near)
	}
	with := slices.DeleteFunc(slices.Clone(known), func(k string) bool {
		return len(name) < 3 || !strings.Contains(strings.ToLower(k), strings.ToLower(name))
	})
	if len(with) > 0 {
		return fmt.Sprintf(": did you mean %s?", slices.MinFunc(with, func(a, b string) int { return len(a) - len(b) }))
	}
	if len(known) == 0 {
		return ""
	}
	return ": known are " + humanize.Few(known, mostNamed)
}

// mostNamed is how many names are told of those that there are.
const mostNamed = 12
