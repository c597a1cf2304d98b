package report

import (
	"fmt"
	"strconv"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// perClient prints how far the clients' IOPS in one direction are apart, such as 4 x 798-812 (0.9%): how many clients there
// are, the IOPS of the slowest and the fastest of all results, and the largest coefficient of variation that a result has. It is "" if each
// result is of one client.
func perClient(results []*v1alpha1.Result, of func(*v1alpha1.Result) *v1alpha1.IOResult) string {
	var all *v1alpha1.ClientSpread
	clients, largest := int32(0), 0.0
	for _, result := range results {
		io := of(result)
		if io == nil || io.PerClient == nil {
			continue
		}
		if all == nil {
			all = io.PerClient.DeepCopy()
		}
		clients = max(clients, result.Clients)
		all.MinIOPS, all.MaxIOPS = min(all.MinIOPS, io.PerClient.MinIOPS), max(all.MaxIOPS, io.PerClient.MaxIOPS)
		if variation, err := strconv.ParseFloat(io.PerClient.CoefficientOfVariation, 64); err == nil {
			largest = max(largest, variation)
		}
	}
	if all == nil {
		return ""
	}
	return fmt.Sprintf("%d x %d-%d (%.1f%%)", clients, all.MinIOPS, all.MaxIOPS, 100*largest)
}

// resultsOf returns a target's results that are in a comparison.
func resultsOf(runs []v1alpha1.Run, c *v1alpha1.Comparison, target string) []*v1alpha1.Result {
	var results []*v1alpha1.Result
	for _, run := range runsOf(runs, c, target) {
		if result := resultOf(run, c.Section); result != nil {
			results = append(results, result)
		}
	}
	return results
}

// resultOf returns the result of a section of a run, or of all of it if section is "".
func resultOf(run *v1alpha1.Run, section string) *v1alpha1.Result {
	if section == "" {
		return run.Result
	}
	for i := range run.Sections {
		if run.Sections[i].Name == section {
			return &run.Sections[i].Result
		}
	}
	return nil
}
