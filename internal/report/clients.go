package report

import (
	"fmt"
	"strconv"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/report/wording"
)

// perClientCell prints how far the clients' IOPS in one direction are apart, such as 4 x 798-812 (0.9%): how many clients
// there are, the IOPS of the slowest and the fastest of all results, and the largest coefficient of variation that a result has. It is ""
// if each result is of one client.
func perClientCell(r *row, _ Style) string {
	var all *v1alpha1.ClientSpread
	largest := 0.0
	for _, io := range r.resultFigures() {
		if io.PerClient == nil {
			continue
		}
		if all == nil {
			all = io.PerClient.DeepCopy()
		}
		all.MinMilliIOPS, all.MaxMilliIOPS = min(all.MinMilliIOPS, io.PerClient.MinMilliIOPS), max(all.MaxMilliIOPS, io.PerClient.MaxMilliIOPS)
		if variation, err := strconv.ParseFloat(io.PerClient.CoefficientOfVariation, 64); err == nil {
			largest = max(largest, variation)
		}
	}
	if all == nil {
		return ""
	}
	clients := int32(0)
	for _, result := range r.results {
		clients = max(clients, result.Clients)
	}
	return fmt.Sprintf("%d x %s (%.1f%%)", clients, wording.Range(all.MinMilliIOPS, all.MaxMilliIOPS, "-"), 100*largest)
}
