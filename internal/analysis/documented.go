package analysis

import "fmt"

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
