package v1alpha1

import "reflect"

// DefaultFio returns what spec.fio has by default: asynchronous I/O past the page cache for half a
// minute, with several I/Os in flight. fio's own defaults would measure the memory of the node. The marker of spec.fio has the
// same values.
func DefaultFio() *FioParameters {
	return &FioParameters{
		IOEngine: new("libaio"), IODepth: new(int32(16)), Direct: new(true), Size: new("1G"), RuntimeSeconds: new(int32(30)),
	}
}

// Default gives a spec that no API server has seen the defaults of spec.fio, and returns it.
func (s *StorageBenchmarkSpec) Default() *StorageBenchmarkSpec {
	if s.Fio == nil {
		s.Fio = &FioParameters{}
	}
	s.Fio.Inherit(DefaultFio())
	return s
}

// Inherit sets what is unset, and adds options that are not there.
func (p *FioParameters) Inherit(from *FioParameters) {
	from = from.DeepCopy()
	for name, value := range p.Options {
		if from.Options == nil {
			from.Options = map[string]FioOptionValue{}
		}
		from.Options[name] = value
	}
	own, other := reflect.ValueOf(p).Elem(), reflect.ValueOf(from).Elem()
	for i := range own.NumField() {
		if own.Field(i).IsZero() {
			own.Field(i).Set(other.Field(i))
		}
	}
	p.Options = from.Options
}
