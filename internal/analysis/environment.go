package analysis

import (
	"fmt"
	"strconv"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

const (
	// maxStealPermille is how much of its CPU time a node may lack without a warning. Netdata's alarm of steal is raised at 10 % and cleared below
	// 5 % (20min_steal_cpu, https://github.com/netdata/netdata/blob/master/src/health/health.d/cpu.conf, read 2026-11-23). It is the lower one here, as
	// much as two targets may differ and count as the same (sameRatio): fio's jobs often use some of a node's CPUs only, and lack more of these.
	maxStealPermille = 50
	// maxUsedPermille is how full a file system may be without a warning. Red Hat advises against more than 85 % on GFS2, because finding free blocks takes
	// longer and files come apart (https://docs.redhat.com/en/documentation/Red_Hat_Enterprise_Linux/6/html/global_file_system_2/s1-blockallocate-gfs2,
	// read 2026-11-23). ext4 keeps the last 5 % from users for the same reason (mke2fs(8), option -m). 90 % is between both.
	maxUsedPermille = 900
	// maxBusiestPermille is the share of the busiest of several jobs up to which the others count: half.
	maxBusiestPermille = 500
)

// cpuSteal is about nodes whose hypervisor did not give them the CPU time that they asked for.
func cpuSteal(s seen) string {
	if s.client.StealPermille <= maxStealPermille {
		return ""
	}
	node := "the node's"
	if s.result.Clients > 1 {
		node = "a node's"
	}
	return fmt.Sprintf("the hypervisor kept %s %% of %s CPU time (steal), more than %s %%: CPU credits are used up, or neighbours have it",
		tenths(s.client.StealPermille), node, tenths(maxStealPermille))
}

// nearlyFull is about space, and of operations on files about inodes first.
func nearlyFull(s seen) string {
	switch {
	case s.result.Of(v1alpha1.OperationMetadata) != nil && s.client.UsedInodesPermille > maxUsedPermille:
		return fmt.Sprintf("%s %% of the file system's inodes were used: above %s %% free ones take longer to find, and results are worse than usual",
			tenths(s.client.UsedInodesPermille), tenths(maxUsedPermille))
	case s.client.UsedPermille > maxUsedPermille:
		return fmt.Sprintf("the file system was %s %% full: above %s %% free space takes longer to find, and results are worse than usual",
			tenths(s.client.UsedPermille), tenths(maxUsedPermille))
	}
	return ""
}

// unevenJobs is about clones of which one did most of the I/O, and at least twice its share.
func unevenJobs(s seen) string {
	jobs := s.load.Jobs / max(int64(s.result.Clients), 1)
	if share := s.client.BusiestJobPermille; share <= maxBusiestPermille || float64(share)*float64(jobs) < 2*1000 {
		return ""
	}
	return fmt.Sprintf("one of %d jobs did %s %% of the I/O (by bytes): latencies are mostly that job's, and the others waited for something that is not the storage",
		jobs, tenths(s.client.BusiestJobPermille))
}

// tenths prints thousandths as percent, such as 12.3.
func tenths(permille int64) string {
	return strconv.FormatFloat(float64(permille)/10, 'f', -1, 64)
}
