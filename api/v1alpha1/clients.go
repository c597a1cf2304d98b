package v1alpha1

import (
	"strconv"

	"k8s.io/utils/ptr"
)

// MatrixClients is the key of a matrix that is no option of fio: how many clients measure together.
const MatrixClients = "clients"

// MaxClients is the most clients that a benchmark can have.
const MaxClients = 128

// clients returns the number of clients of the workloads whose matrix does not say otherwise, at least 1.
func (s *StorageBenchmarkSpec) clients() int32 {
	return max(ptr.Deref(s.Clients, 1), 1)
}

// RunClients returns the number of clients of a run of the workload with a choice of its matrix: what that says, else
// what the spec says. It is at least 1, also where the choice is not a number.
func (s *StorageBenchmarkSpec) RunClients(parameters map[string]string) int32 {
	text, chosen := parameters[MatrixClients]
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
		values, chosen := s.Workloads[i].Matrix[MatrixClients]
		if !chosen {
			most = max(most, s.clients())
		}
		for _, value := range values {
			most = max(most, s.RunClients(map[string]string{MatrixClients: value.String()}))
		}
	}
	return most
}
