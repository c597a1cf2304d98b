package plan

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/fio"
	"github.com/storagebench/storagebench/internal/storage"
)

// The room that clients and volumes take in the status, in results, as measured with all of them at their largest
// (TestLargestStatus of the API).
const (
	// maxResultsTogether is the most results of several clients, which are larger: each says how the clients differ. With
	// them the largest status has 27 KiB of room for what later releases add.
	maxResultsTogether = 165
	// clientsPerResult is how many clients with their nodes have the room of one result: 8, less a reserve.
	clientsPerResult = 7
	// volumesPerTwoResults is how many claims with their volumes have the room of two results: 5.2, less a reserve.
	volumesPerTwoResults = 5
	// resultsPerRoomOfSyncs is of how many results the syncs (fsync, fdatasync), with their comparisons, have the room of one: about 6, less a
	// reserve.
	resultsPerRoomOfSyncs = 5
)

// maxResults returns the most results that fit into the status beside the clients and volumes of the spec. The room of
// one client and one volume a target is taken for granted.
func maxResults(spec *v1alpha1.StorageBenchmarkSpec, mostClients int32) int {
	clients := int(mostClients)
	if clients == 1 {
		return MaxResults
	}
	volumes := 0
	for i := range spec.Targets {
		if !storage.IsShared(&spec.Targets[i]) {
			volumes += clients - 1
		}
	}
	return maxResultsTogether - roundedUp(clients-1, clientsPerResult) - roundedUp(2*volumes, volumesPerTwoResults)
}

func roundedUp(n, by int) int { return (n + by - 1) / by }

// validateResults refuses more results than fit into the status.
func validateResults(path *field.Path, spec *v1alpha1.StorageBenchmarkSpec, clients int32, asked []workload) *field.Error {
	results, searches, most := 0, 0, maxResults(spec, clients)
	for i := range asked {
		if w := &asked[i]; w.job != nil {
			results += len(w.job.Groups()) * w.cases * len(spec.Targets) * int(repetitions(spec)) * w.steps
			if w.Search != nil { // whose answers the status has as well
				searches += len(spec.Targets) * w.cases
			}
		}
	}
	if results+searches <= most {
		return nil
	}
	if searches > 0 {
		return field.Invalid(path.Child("workloads"), len(spec.Workloads), fmt.Sprintf(
			"all workloads, in all cases of their matrix, on %d targets, %d times each, give %d results; a search counts with all steps that it may take, and the answers of searches are %d of these; "+
				"at most %d are possible: lower max of searches, or raise min, or split the benchmark", len(spec.Targets), repetitions(spec), results+searches, searches, max(most, 0)))
	}
	beside, remedy := "", "split the benchmark"
	if clients > 1 {
		beside, remedy = fmt.Sprintf(" with %d clients and their volumes", clients), "split the benchmark, or lower clients"
	}
	return field.Invalid(path.Child("workloads"), len(spec.Workloads),
		fmt.Sprintf("all workloads, in all cases of their matrix, with all sections, on %d targets, %d times each, give %d results; at most %d are possible%s: %s",
			len(spec.Targets), repetitions(spec), results, max(most, 0), beside, remedy))
}

// validateSyncs refuses more results than fit into the status if jobs call fsync or the like, of which results say more. It looks at
// the cases, because a matrix can choose which of them do.
func validateSyncs(path *field.Path, spec *v1alpha1.StorageBenchmarkSpec, most int, cases []Run) *field.Error {
	results, syncs := 0, 0
	for i := range cases {
		for _, load := range cases[i].Job.Loads() {
			results++
			if load.Syncs {
				syncs++
			}
		}
	}
	each := len(spec.Targets) * int(repetitions(spec))
	results, syncs = results*each, syncs*each
	if syncs == 0 || results+roundedUp(syncs, resultsPerRoomOfSyncs) <= most {
		return nil
	}
	return field.Invalid(path.Child("workloads"), len(spec.Workloads),
		fmt.Sprintf("%d of %d results have latencies of fsync, fdatasync or sync_file_range; every %d of these count as one more result, and at most %d results are possible: split the benchmark",
			syncs, results, resultsPerRoomOfSyncs, most))
}

// validateExtent refuses job files whose cases take much to plan and to keep: a few KB of sections in a file, with a few
// values in a matrix, are tens of thousands of jobs. What one file may have, all cases of all may have together.
func validateExtent(path *field.Path, asked []workload) *field.Error {
	extent := 0
	for i := range asked {
		if w := &asked[i]; w.job != nil {
			extent += w.job.Extent(len(w.Matrix)) * w.cases
		}
	}
	if extent <= fio.MaxExtent {
		return nil
	}
	return field.Invalid(path.Child("workloads"), len(asked),
		fmt.Sprintf("the jobs of all workloads, in all cases of their matrix, have %d options together, and options of [global] count in each job; at most %d are possible: "+
			"use fewer sections or options in jobFile, give fewer values in matrix, or split the benchmark", extent, fio.MaxExtent))
}
