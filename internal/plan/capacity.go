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

// validateCapacity refuses test files that do not fit into the capacity of a target, which fio would otherwise report
// as "No space left on device" after the volume was paid for, or write to a file system that grows. The files of all
// workloads stay until the end. On a raw block volume all jobs work in the same place, and fio itself keeps to its
// size. On a volume that clients share each client has its own files.
func validateCapacity(path *field.Path, clients int32, measured []Run, places []place) field.ErrorList {
	var problems field.ErrorList
	for i, p := range places {
		target, kind := p.target, p.kind
		if !storage.IsProvisioned(target) || p.mode == corev1.PersistentVolumeBlock {
			continue
		}
		needed, whose, remedy := bytesOf(measured, kind), "", "size or numjobs"
		if clients > 1 && storage.IsShared(target) {
			needed = bytesOfClients(measured, kind)
			whose, remedy = fmt.Sprintf(" for %d clients", clients), "size, numjobs or clients"
		}
		room, capacity := storage.Room(target, kind), storage.Capacity(target)
		if needed <= room {
			continue
		}
		why := fmt.Sprintf("the workloads need files of more bytes than can be counted%s: lower %s", whose, remedy)
		if needed <= mostCounted {
			least := storage.CapacityFor(target, kind, needed)
			why = fmt.Sprintf("%s holds %s of files, the workloads need %s%s: set capacity to at least %s, or lower %s",
				capacity.String(), inMiB(room), inMiB(roundUp(needed)), whose, least.String(), remedy)
		}
		problems = append(problems, field.Invalid(path.Index(i).Child("capacity"), capacity.String(), why))
	}
	return problems
}

// mostCounted is the most bytes that messages tell, and beyond all storage there is.
const mostCounted = 1 << 62

// bytesOf returns how large the test files of one client become, math.MaxInt64 if an int64 cannot hold it. A size that
// only fio can find out counts as 0: the other files need their room all the same.
func bytesOf(measured []Run, kind storage.Kind) int64 {
	var jobs []*fio.JobFile
	for i := range measured {
		job := measured[i].Job
		if kind.IsObjectStore() {
			jobs = append(jobs, job.WithObjectNames(""))
		} else {
			jobs = append(jobs, job.WithMetadataNames(""))
		}
	}
	return fio.GrowthOf(nil, jobs...).Bytes
}

// bytesOfClients returns how large the test files of all clients become. A client has those of the runs that it takes
// part in: the first client of all, the last client of those with the most clients.
func bytesOfClients(measured []Run, kind storage.Kind) int64 {
	total, before := int64(0), int32(0)
	for _, clients := range numbersOfClients(measured) {
		runs := slices.DeleteFunc(slices.Clone(measured), func(m Run) bool { return m.Clients < clients })
		each, more := bytesOf(runs, kind), int64(clients-before)
		if each > (math.MaxInt64-total)/more {
			return math.MaxInt64
		}
		total += more * each
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

// inMiB returns bytes as a quantity of whole mebibytes, so that they print short.
func inMiB(bytes int64) string {
	return resource.NewQuantity(bytes>>20<<20, resource.BinarySI).String()
}

// roundUp rounds bytes up to whole mebibytes.
func roundUp(bytes int64) int64 {
	const mib = 1 << 20
	return (bytes + mib - 1) / mib * mib
}
