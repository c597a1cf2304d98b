package fio

import "github.com/storagebench/storagebench/api/v1alpha1"

// MeasuresSync is what Measures calls the latency of fsync, fdatasync and sync_file_range.
const MeasuresSync = "sync"

// Measures says what fio reports of the file's jobs: v1alpha1.DirectionRead and the like, and MeasuresSync.
func (f *JobFile) Measures() map[string]bool {
	measured := map[string]bool{}
	for _, j := range f.jobs() {
		for _, index := range j.directions() {
			measured[[]string{v1alpha1.DirectionRead, v1alpha1.DirectionWrite, v1alpha1.DirectionTrim}[index]] = true
		}
		if j.syncs() {
			measured[MeasuresSync] = true
		}
	}
	return measured
}
