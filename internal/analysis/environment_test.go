package analysis

import (
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// TestEnvironmentTraps plants each trap of the node and of the file system, and what is just none.
func TestEnvironmentTraps(t *testing.T) {
	data := v1alpha1.Result{ElapsedMilliseconds: 60_000, Figures: v1alpha1.ListOf(burstOf(1000, 4096).As(v1alpha1.OperationRead))}
	files := v1alpha1.Result{ElapsedMilliseconds: 60_000, Figures: []v1alpha1.Figures{{Name: v1alpha1.OperationMetadata, Count: 100_000, CompletionLatency: &v1alpha1.LatencyDistribution{P50Nanoseconds: 1_000_000}}}}
	of := func(clients int32) v1alpha1.Result {
		r := data
		r.Clients, r.CommonMilliseconds = clients, r.ElapsedMilliseconds
		return r
	}
	const (
		steal = "CPUSteal the hypervisor kept 5.1 % of the node's CPU time (steal), more than 5 %: CPU credits are used up, or neighbours have it"
		full  = "NearlyFull the file system was 90.1 % full: above 90 % free space takes longer to find, and results are worse than usual"
	)
	for _, test := range []struct {
		name   string
		result v1alpha1.Result
		jobs   int64
		client Client
		want   string
	}{
		{"nothing", data, 16, Client{}, ""},
		{"a little steal", data, 16, Client{StealPermille: 50}, ""},
		{"steal", data, 16, Client{StealPermille: 51}, steal},
		{"steal from several clients", of(4), 64, Client{StealPermille: 600}, "CPUSteal the hypervisor kept 60 % of a node's CPU time (steal), more than 5 %: CPU credits are used up, or neighbours have it"},
		{"with space", data, 1, Client{UsedPermille: 900, UsedInodesPermille: 1000}, ""},
		{"nearly full", data, 1, Client{UsedPermille: 901}, full},
		{"files on it", files, 1, Client{UsedPermille: 901}, full},
		{"with inodes", files, 1, Client{UsedInodesPermille: 900}, ""},
		{"few inodes", files, 1, Client{UsedPermille: 950, UsedInodesPermille: 999},
			"NearlyFull 99.9 % of the file system's inodes were used: above 90 % free ones take longer to find, and results are worse than usual"},
		{"even jobs", data, 16, Client{BusiestJobPermille: 63}, ""},
		{"a job with half of all", data, 16, Client{BusiestJobPermille: 500}, ""},
		{"a hot job", data, 16, Client{BusiestJobPermille: 854},
			"UnevenJobs one of 16 jobs did 85.4 % of the I/O (by bytes): latencies are mostly that job's, and the others waited for something that is not the storage"},
		{"a hot job of one of four clients", of(4), 16, Client{BusiestJobPermille: 854},
			"UnevenJobs one of 4 jobs did 85.4 % of the I/O (by bytes): latencies are mostly that job's, and the others waited for something that is not the storage"},
		{"one of three that has less than twice its share", data, 3, Client{BusiestJobPermille: 666}, ""},
		{"one of two", data, 2, Client{BusiestJobPermille: 990}, ""},
		{"jobs that are not known", data, 0, Client{BusiestJobPermille: 990}, ""},
	} {
		got := ""
		for _, w := range Warnings([]v1alpha1.Result{test.result}, nil, []Load{{Jobs: test.jobs}}, test.client) {
			got += w.Reason + " " + w.Message
		}
		if got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}
