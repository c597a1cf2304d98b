package report

import (
	"fmt"
	"strconv"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// perClientCell prints how far the clients' IOPS in one direction are apart, such as 4 x 798-812 (0.9%): how many clients
// there are, the IOPS of the slowest and the fastest of all results, and the largest coefficient of variation that a result has. It is ""
// if each result is of one client.
func perClientCell(r *row, _ Style) string {
	var all *v1alpha1.ClientSpread
	largest := 0.0
	for _, io := range r.directionResults() {
		if io.PerClient == nil {
			continue
		}
		if all == nil {
			all = io.PerClient.DeepCopy()
		}
		all.MinIOPS, all.MaxIOPS = min(all.MinIOPS, io.PerClient.MinIOPS), max(all.MaxIOPS, io.PerClient.MaxIOPS)
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
	return fmt.Sprintf("%d x %d-%d (%.1f%%)", clients, all.MinIOPS, all.MaxIOPS, 100*largest)
}
