package world

import (
	"reflect"
	"time"
)

// WeightOf returns about how many bytes of memory a value takes with all that it points to. Its text tells little of
// that: an empty string of a list is 3 bytes as text and 16 in memory.
func WeightOf(value any) int { return int(pointedTo(reflect.ValueOf(value))) }

var timeType = reflect.TypeFor[time.Time]()

// pointedTo returns the bytes that a value takes beside those of its own type.
func pointedTo(v reflect.Value) uintptr {
	if v.Type() == timeType { // its location is everybody's
		return 0
	}
	switch v.Kind() { //nolint:exhaustive // All others point to nothing.
	case reflect.String:
		return uintptr(v.Len())
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return 0
		}
		return v.Elem().Type().Size() + pointedTo(v.Elem())
	case reflect.Slice:
		return uintptr(v.Cap())*v.Type().Elem().Size() + elements(v)
	case reflect.Array:
		return elements(v)
	case reflect.Map:
		return entries(v)
	case reflect.Struct:
		var bytes uintptr
		for _, field := range v.Fields() {
			bytes += pointedTo(field)
		}
		return bytes
	}
	return 0
}

// elements returns what the elements of a list point to.
func elements(v reflect.Value) (bytes uintptr) {
	for i := range v.Len() {
		bytes += pointedTo(v.Index(i))
	}
	return bytes
}

// entries returns what the entries of a map take.
func entries(v reflect.Value) (bytes uintptr) {
	const room = 2 // a map keeps room for as many again
	each := room * (v.Type().Key().Size() + v.Type().Elem().Size())
	for entry := v.MapRange(); entry.Next(); {
		bytes += each + pointedTo(entry.Key()) + pointedTo(entry.Value())
	}
	return bytes
}
