package owned

import (
	"maps"
	"slices"
)

// Lacking returns the keys that a map does not have with the values that are wanted.
func Lacking(has, wanted map[string]string) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(wanted)), func(key string) bool { return has[key] == wanted[key] })
}
