package fiooutput

import "slices"

// metadataEngines are the engines that move no data. fio has them count I/Os, a block of each file, which they only pretend to do. What
// they measure is in the completion latency of reads or writes, by rw: one for each file that was created, looked up or deleted.
// https://github.com/axboe/fio/blob/fio-3.39/engines/fileoperations.c
var metadataEngines = []string{"filecreate", "filestat", "filedelete", "dircreate", "dirstat", "dirdelete"}

// isOfMetadata reports whether a job with these options has an engine of metadata.
func isOfMetadata(options map[string]string) bool {
	return slices.Contains(metadataEngines, options["ioengine"])
}

// takeMetadata makes metadata of what fio calls reads or writes of a job whose engine is one of metadata.
func (g *Group) takeMetadata() {
	if !isOfMetadata(g.Options) {
		return
	}
	for _, d := range g.Directions() {
		if l := d.CompletionLatency; l != nil {
			timed := &Direction{IOs: l.Count, RuntimeMilliseconds: d.RuntimeMilliseconds, CompletionLatency: l}
			timed.setRates()
			g.Metadata = mergeDirections(g.Metadata, timed)
		}
	}
	g.Read, g.Write, g.Trim, g.Sync = nil, nil, nil, nil
}
