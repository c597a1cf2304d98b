package runner

import "testing"

// What libaio does through the page cache it does in submission, and a synchronous engine has none.
func TestReportOfSubmission(t *testing.T) {
	for engine, want := range map[string]bool{"libaio\niodepth=8": true, "psync": false} {
		f := newFixture(t, "[reads]\nrw=read\nbs=64k\nsize=8M\nioengine="+engine)
		f.wants(Measure(t.Context(), f.Options), 0)
		latency := f.report().Groups[0].Figures[0].Latency
		if (latency.SubmissionNanoseconds > 0) != want || latency.SubmissionNanoseconds > latency.MeanNanoseconds {
			t.Errorf("%s: submissions take %d ns of %d", engine, latency.SubmissionNanoseconds, latency.MeanNanoseconds)
		}
	}
}
