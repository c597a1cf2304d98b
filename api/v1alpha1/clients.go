package v1alpha1

import (
	"maps"
	"strconv"

	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
)

// ParameterClients is the parameter of a run that is no option of fio: how many clients measure together.
const ParameterClients = "clients"

// MaxClients is the most clients that a benchmark can have.
const MaxClients = 128

// Choices returns the values that each parameter of the workload's runs takes: those of its matrix, and its clients.
func (w *Workload) Choices() map[string]MatrixValues {
	if len(w.Clients) == 0 {
		return w.Matrix
	}
	choices := map[string]MatrixValues{}
	maps.Copy(choices, w.Matrix)
	for _, clients := range w.Clients {
		choices[ParameterClients] = append(choices[ParameterClients], intstr.FromInt32(clients))
	}
	return choices
}

// clients returns the number of clients of the workloads that do not set it themselves, at least 1.
func (s *StorageBenchmarkSpec) clients() int32 {
	return max(ptr.Deref(s.Clients, 1), 1)
}

// RunClients returns the number of clients of a run of the workload with a choice of its parameters: what that says,
// else what the spec says. It is at least 1, also where the choice is not a number.
func (s *StorageBenchmarkSpec) RunClients(parameters map[string]string) int32 {
	text, chosen := parameters[ParameterClients]
	if !chosen {
		return s.clients()
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return 1
	}
	return int32(min(max(n, 1), MaxClients))
}

// MostClients returns the number of clients of the run that has most: so many nodes are held, and so many volumes are
// made of storage that is not shared.
func (s *StorageBenchmarkSpec) MostClients() int32 {
	most := int32(1)
	for i := range s.Workloads {
		if search := s.Workloads[i].Search; search != nil && search.Vary == VaryClients {
			most = max(most, min(search.Max, MaxClients))
			continue
		}
		if len(s.Workloads[i].Clients) == 0 {
			most = max(most, s.clients())
		}
		for _, clients := range s.Workloads[i].Clients {
			most = max(most, min(clients, MaxClients))
		}
	}
	return most
}
