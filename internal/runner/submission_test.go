package runner

import "testing"

// What libaio does through the page cache it does in submission, and a synchronous engine has none.
func TestReportOfSubmission(t *testing.T) {
	for engine, want := range map[string]bool{"libaio\niodepth=8": true, "psync": false} {
		f := newFixture(t, "[reads]\nrw=read\nbs=64k\nsize=8M\nioengine="+engine)
		f.wants(Measure(t.Context(), f.Options), 0)
		read := f.report().Groups[0].Read
		if (read.Submission > 0) != want || read.Submission > read.Latency.Mean {
			t.Errorf("%s: submissions take %d ns of %d", engine, read.Submission, read.Latency.Mean)
		}
	}
}
