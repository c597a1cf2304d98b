package fio

import "github.com/storagebench/storagebench/internal/direction"

const (
	// MeasuresSync is what Measures calls the latency of fsync, fdatasync and sync_file_range.
	MeasuresSync = "sync"
	// MeasuresMetadata is what Measures calls operations on files and directories.
	MeasuresMetadata = "metadata"
)

// Measures says what fio reports of the file's jobs: direction.Read and the like, MeasuresSync and MeasuresMetadata.
func (f *JobFile) Measures() map[string]bool { return measures(f.jobs()) }

// MeasuresOf says of each result of the file what it has, in the order of Groups.
func (f *JobFile) MeasuresOf() []map[string]bool {
	var all []map[string]bool
	for _, jobs := range f.resolve().reported {
		all = append(all, measures(jobs))
	}
	return all
}

func measures(jobs []job) map[string]bool {
	measured := map[string]bool{}
	for _, j := range jobs {
		if j.isMetadata() {
			measured[MeasuresMetadata] = true
			continue
		}
		for _, index := range j.directions() {
			measured[direction.All()[index]] = true
		}
		if j.syncs() {
			measured[MeasuresSync] = true
		}
	}
	return measured
}
