package plan

import (
	"fmt"
	"math"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/fio"
	"github.com/storagebench/storagebench/internal/storage"
)

// validateCapacity refuses test files that cannot fit on a new volume, which fio would otherwise report as
// "No space left on device" after the volume was paid for. The files of all workloads stay until the end. On a
// raw block volume all jobs work in the same place, and fio itself keeps to its size. On a volume that clients share
// each has files of its own.
func validateCapacity(path *field.Path, spec *v1alpha1.StorageBenchmarkSpec, measured []Run) field.ErrorList {
	own := bytesOf(measured)
	var problems field.ErrorList
	for i := range spec.Targets {
		target := &spec.Targets[i]
		capacity := storage.Capacity(target)
		if !storage.HasCapacity(target) || storage.VolumeMode(target) == corev1.PersistentVolumeBlock {
			continue
		}
		needed, whose, remedy := own, "", "size or numjobs"
		if clients := spec.MostClients(); clients > 1 && storage.IsShared(target) {
			needed, whose, remedy = bytesOfClients(measured), fmt.Sprintf(" for %d clients", clients), "size, numjobs or clients"
		}
		if !needed.fit(capacity.Value()) {
			problems = append(problems, field.Invalid(path.Index(i).Child("capacity"), capacity.String(),
				fmt.Sprintf("the test files of all workloads take %s%s; raise capacity, or lower %s", needed, whose, remedy)))
		}
	}
	return problems
}

// fileBytes is how large test files become; known is false if that cannot be counted.
type fileBytes struct {
	bytes int64
	known bool
}

// bytesOf returns how large the test files of one client become. Workloads whose files cannot be known are left out:
// the others need their room all the same.
func bytesOf(measured []Run) fileBytes {
	var jobs []*fio.JobFile
	for _, m := range measured {
		if _, known := fio.FileBytes(m.Job); known {
			jobs = append(jobs, m.Job)
		}
	}
	bytes, known := fio.FileBytes(jobs...)
	return fileBytes{bytes, known}
}

// bytesOfClients returns how large the test files of all clients become. A client has those of the runs that it takes
// part in: the first one of all, the last one of those with the most clients.
func bytesOfClients(measured []Run) fileBytes {
	total := fileBytes{known: true}
	before := int32(0)
	for _, clients := range numbersOfClients(measured) {
		each := bytesOf(slices.DeleteFunc(slices.Clone(measured), func(m Run) bool { return m.Clients < clients }))
		more := int64(clients - before)
		total.known = total.known && each.known && each.bytes <= (math.MaxInt64-total.bytes)/more
		if !total.known {
			return total
		}
		total.bytes += more * each.bytes
		before = clients
	}
	return total
}

// numbersOfClients returns the different numbers of clients that runs have, from the lowest on.
func numbersOfClients(measured []Run) []int32 {
	var numbers []int32
	for i := range measured {
		m := &measured[i]
		numbers = append(numbers, m.Clients)
		if m.Step == 1 && m.Workload.Search.Vary == v1alpha1.VaryClients { // any number may be searched
			for clients := int32(1); clients < m.Clients; clients++ {
				numbers = append(numbers, clients)
			}
		}
	}
	slices.Sort(numbers)
	return slices.Compact(numbers)
}

func (f fileBytes) fit(capacity int64) bool { return f.known && f.bytes <= capacity }

func (f fileBytes) String() string {
	if !f.known {
		return "more than can be counted"
	}
	return resource.NewQuantity(roundUp(f.bytes), resource.BinarySI).String()
}

// roundUp rounds bytes up to whole mebibytes, so that they print short.
func roundUp(bytes int64) int64 {
	const mib = 1 << 20
	return (bytes + mib - 1) / mib * mib
}
