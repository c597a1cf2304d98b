package analysis

import (
	"fmt"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/humanize"
)

const (
	// smallFiles is how large test files may be, all together, for a cache below the storage to hold them as a matter of
	// course: those of experiment E3 are, four of 1 GiB.
	smallFiles = 4 << 30
	// readAgain is how many times they have to be read, on average.
	readAgain = 4
)

// filesReadAgain warns of small files that were read many times, on storage of which no limit is known, so that nothing else
// tells of a cache. Warnings about memory tell of buffered I/O.
func filesReadAgain(s seen) string {
	read := s.result.Of(v1alpha1.OperationRead)
	isKnown := s.known.Unlimited || s.known.unknownLimits(s.result) == ""
	if isKnown || read == nil || s.load.Buffered || s.load.FileBytes <= 0 || s.load.FileBytes > smallFiles {
		return ""
	}
	times := float64(read.Bytes) / float64(s.load.FileBytes)
	if times < readAgain {
		return ""
	}
	return fmt.Sprintf("%s of files, read %s times: a cache may have answered", size(s.load.FileBytes), humanize.Significant(times))
}

// fasterThanDocumented warns of storage that did far more than its limits, or than the end of the range that is documented, as magnetic disks do on files
// that fit into a cache below them (experiment E3). Of buffered I/O other warnings tell.
func fasterThanDocumented(s seen) string {
	company := s.known.Company
	all, load := s.known.atStorage(company.with(s.result), company.loadWith(s.load))
	if load.Buffered || company.ranOn() {
		return ""
	}
	var uses []use
	for _, set := range s.known.storageSets(all, load) {
		uses = append(uses, set.usesOf(all, load)...)
	}
	u := greatest(uses)
	if u.percent() <= exceededPercent || load.Gathered && !u.inMiB {
		return ""
	}
	u.company = nil // whose names are the user's, and may be long
	return fmt.Sprintf("%s%s (%d %%): a cache of the storage answered, or it can do more than is known", u, company.ofAll(), u.percent())
}
