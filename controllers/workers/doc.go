// Package workers has what the phases share about the Jobs and pods that work for a benchmark: runs, anchors and
// cleaners.
//
// It reads them from the API server by labels and by name (owned.go), makes them (make.go), gives them lost labels back
// (restore.go), waits for their pods to start and tells why they do not (podwait.go, unbound.go, explain.go), sees
// whether they are alive (liveness.go, cutoff.go), takes what they report (collect.go, logs.go, series.go), and removes
// them (remove.go).
package workers
