// Package clean has the phases that end what a benchmark has: Up removes runs, anchors, test files, volumes and
// cluster-scoped objects, Sweep removes Jobs and pods that are still there when all else is gone, Suspend ends what is
// under way, and Abandon ends measuring when the benchmark is deleted. With cleanupPolicy Retain only what runs is
// ended.
//
// The order in which kinds go, and what each waits for, is decided in internal/cleanup.
package clean
