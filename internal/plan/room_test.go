package plan

import (
	"fmt"
	"strings"
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/test/builder"
)

// What results say of syncs takes room in the status: five of them count as one more, also where a matrix chooses which do.
func TestRoomOfSyncs(t *testing.T) {
	const writes = "[a]\nrw=write\nsize=4k\n"
	for _, test := range []struct {
		name     string
		jobFile  string
		matrix   matrix
		targets  int
		clients  int32
		problems string
	}{
		{"none", writes, matrix{"iodepth": many(100)}, 2, 1, ""},
		{"as many as fit", writes + "fdatasync=1\n", matrix{"iodepth": many(83)}, 2, 1, ""},
		{"one too many", writes + "fdatasync=1\n", matrix{"iodepth": many(84)}, 2, 1, "168 of 168 results have latencies of fsync, fdatasync or sync_file_range, which take room: every 5 of them count as one more result, and at most 200 results are possible; split the benchmark"},
		{"by the matrix, half of them", writes, matrix{"iodepth": many(45), "fsync": of("0", "1")}, 2, 1, ""},
		{"by the matrix, too many", writes, matrix{"iodepth": many(46), "fsync": of("0", "1")}, 2, 1, "92 of 184 results"},
		{"clients", writes + "fsync=1\n", matrix{"iodepth": many(135)}, 1, 2, ""},
		{"too many of clients", writes + "fsync=1\n", matrix{"iodepth": many(136)}, 1, 2, "136 of 136 results"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := builder.NewJobFile("w", test.jobFile)
			w.Matrix = test.matrix
			b := builder.NewBenchmark("ns", "sb").Workload(w).With(func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Clients = new(test.clients) })
			for i := range test.targets {
				b.Target(builder.NewTarget(fmt.Sprintf("t%d", i)))
			}
			runs, problems := Runs(spec(b), nil)
			got := strings.Join(messages(problems), "; ")
			if !strings.Contains(got, test.problems) || (got == "") != (test.problems == "") || (len(runs) == 0) != (got != "") {
				t.Errorf("%d runs, problems %s", len(runs), got)
			}
		})
	}
}
