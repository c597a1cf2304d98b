package fio

import (
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What adapts a job file leaves it as it is, and all readers see the same jobs.
func TestAJobFileNeverChanges(t *testing.T) {
	t.Parallel()
	f := mustParse(t, "[global]\nblocksize=4k\nrandseed=7\n[a]\nrw=randwrite\nsize=1M\n"+
		"[b]\nbs=8k\nrw=read\nsize=1M\nstonewall\n"+
		"[c]\nioengine=filecreate\nnrfiles=2\nfilesize=4k\n")
	want := f.String()
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			_, _, _ = f.WithLogs(1<<20, 60)
			f.With([]Setting{{Name: "bs", Value: "64k"}}).Loads()
			f.WarmUp(60, 1).WithoutSyncAtEnd().Warm(1).Loads()
			f.WithSeed(2).WithMetadata().WithMetadataNames("x").On(Volume{Directory: "/data"}).Loads()
			f.OnObjectStore().WithObjectNames("x").WithNamePrefix("client-1.").Loads()
			LayoutFile(f).Loads()
			f.Sections()[0].Options[0].Value = "1k"
		})
	}
	readers.Wait()
	var blocks []string
	for _, j := range f.jobs() {
		blocks = append(blocks, j.text("bs", ""))
	}
	if diff := cmp.Diff([]string{"4k", "8k", "4k"}, blocks); diff != "" || f.String() != want {
		t.Errorf("it has become\n%s\nblocks %s", f, diff)
	}
}

// Each method of a job file reads the same jobs, which are resolved at the first use.
func TestJobsAreResolvedOnce(t *testing.T) {
	t.Parallel()
	f := mustParse(t, "[global]\nbs=4k\n[a]\nrw=read\nsize=1M\n[b]\nrw=write\nsize=1M\n")
	if first := f.resolve(); f.resolve() != first || &f.jobs()[0] != &first.jobs[0] {
		t.Error("jobs were resolved twice")
	}
}
