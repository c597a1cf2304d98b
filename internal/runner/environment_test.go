package runner

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storagebench/storagebench/internal/digest"
)

// newMachine returns a machine with 4 CPUs whose /proc and /sys have the files.
func newMachine(t *testing.T, files map[string]string) machine {
	t.Helper()
	m := machine{root: t.TempDir(), cpus: 4}
	m.write(t, files)
	if err := os.MkdirAll(filepath.Join(m.root, "proc"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("7", filepath.Join(m.root, "proc/self")); err != nil {
		t.Fatal(err)
	}
	return m
}

func (m machine) write(t *testing.T, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(m.root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// Texts of files as kernels write them.
const (
	meminfo   = "MemTotal:        8388608 kB\nMemFree:         1048576 kB\n"
	memTotal  = 8 << 30
	statV1    = "nr_periods 120\nnr_throttled 30\nthrottled_time 1234567890\nnr_bursts 0\nburst_time 0\n"
	statV2    = "usage_usec 5000\nuser_usec 3000\nsystem_usec 2000\n" + "nr_periods 120\nnr_throttled 30\nthrottled_usec 1234567\nnr_bursts 0\nburst_usec 0\n"
	wrongStat = "nr_periods 999\nnr_throttled 998\n"
	pod       = "/kubepods/burstable/pod5c7e0846/e7ddecd7a994"
)

func TestMachine(t *testing.T) {
	type limits struct{ CPUMillis, MemoryBytes, Periods, Throttled int64 }
	for _, test := range []struct {
		name  string
		files map[string]string
		want  limits
	}{
		{
			name: "v2 with a cgroup namespace",
			files: map[string]string{
				"proc/meminfo": meminfo, "proc/7/cgroup": "0::/\n",
				"sys/fs/cgroup/cpu.max": "150000 100000\n", "sys/fs/cgroup/cpu.stat": statV2, "sys/fs/cgroup/memory.max": "536870912\n",
			},
			want: limits{1500, 512 << 20, 120, 30},
		}, {
			name: "v2 without limits",
			files: map[string]string{
				"proc/meminfo": meminfo, "proc/7/cgroup": "0::/\n",
				"sys/fs/cgroup/cpu.max": "max 100000\n", "sys/fs/cgroup/cpu.stat": "usage_usec 5000\nnr_periods 0\nnr_throttled 0\n", "sys/fs/cgroup/memory.max": "max\n",
			},
			want: limits{CPUMillis: 4000, MemoryBytes: memTotal},
		}, {
			name: "v2 with limits over what the node has",
			files: map[string]string{
				"proc/meminfo": meminfo, "proc/7/cgroup": "0::/\n",
				"sys/fs/cgroup/cpu.max": "800000 100000\n", "sys/fs/cgroup/memory.max": "17179869184\n",
			},
			want: limits{CPUMillis: 4000, MemoryBytes: memTotal},
		}, {
			name: "v2 with the host's cgroup namespace",
			files: map[string]string{
				"proc/meminfo": meminfo, "proc/7/cgroup": "0::" + pod + "\n",
				"sys/fs/cgroup/cpu.stat":              wrongStat,
				"sys/fs/cgroup" + pod + "/cpu.max":    "50000 100000\n",
				"sys/fs/cgroup" + pod + "/cpu.stat":   statV2,
				"sys/fs/cgroup" + pod + "/memory.max": "1073741824\n",
			},
			want: limits{500, 1 << 30, 120, 30},
		}, {
			name: "v2 with the host's cgroup namespace and only its own cgroup",
			files: map[string]string{
				"proc/meminfo": meminfo, "proc/7/cgroup": "0::" + pod + "\n",
				"sys/fs/cgroup/cpu.max": "150000 100000\n", "sys/fs/cgroup/cpu.stat": statV2, "sys/fs/cgroup/memory.max": "536870912\n",
			},
			want: limits{1500, 512 << 20, 120, 30},
		}, {
			name: "v1 as containerd mounts it",
			files: map[string]string{
				"proc/meminfo":                                  meminfo,
				"proc/7/cgroup":                                 "9:name=systemd:" + pod + "\n4:memory:" + pod + "\n2:cpuacct:" + pod + "\n1:cpu:" + pod + "\n0::" + pod + "\n",
				"sys/fs/cgroup/cpu/cpu.cfs_quota_us":            "25000\n",
				"sys/fs/cgroup/cpu/cpu.cfs_period_us":           "100000\n",
				"sys/fs/cgroup/cpu/cpu.stat":                    statV1,
				"sys/fs/cgroup/memory/memory.limit_in_bytes":    "268435456\n",
				"sys/fs/cgroup/cpuacct/cpuacct.usage":           "1\n",
				"sys/fs/cgroup/unified/cgroup.controllers":      "",
				"sys/fs/cgroup/unified" + pod + "/cgroup.procs": "",
			},
			want: limits{250, 256 << 20, 120, 30},
		}, {
			name: "v1 with joint controllers on a host",
			files: map[string]string{
				"proc/meminfo":                       meminfo,
				"proc/7/cgroup":                      "5:memory:/session\n4:cpu,cpuacct:/session\n",
				"sys/fs/cgroup/cpu,cpuacct/cpu.stat": wrongStat,
				"sys/fs/cgroup/cpu,cpuacct/session/cpu.cfs_quota_us":  "200000\n",
				"sys/fs/cgroup/cpu,cpuacct/session/cpu.cfs_period_us": "100000\n",
				"sys/fs/cgroup/cpu,cpuacct/session/cpu.stat":          statV1,
			},
			want: limits{2000, memTotal, 120, 30},
		}, {
			name: "v1 without limits",
			files: map[string]string{
				"proc/meminfo": meminfo, "proc/7/cgroup": "4:memory:" + pod + "\n1:cpu:" + pod + "\n",
				"sys/fs/cgroup/cpu/cpu.cfs_quota_us":         "-1\n",
				"sys/fs/cgroup/cpu/cpu.cfs_period_us":        "100000\n",
				"sys/fs/cgroup/cpu/cpu.stat":                 "nr_periods 0\nnr_throttled 0\nthrottled_time 0\n",
				"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
			},
			want: limits{CPUMillis: 4000, MemoryBytes: memTotal},
		}, {
			name: "v1 on a host",
			files: map[string]string{
				"proc/meminfo": meminfo, "proc/7/cgroup": "4:memory:/session\n1:cpu:/session\n",
				"sys/fs/cgroup/cpu/cpu.stat":                         wrongStat,
				"sys/fs/cgroup/cpu/cpu.cfs_quota_us":                 "-1\n",
				"sys/fs/cgroup/cpu/session/cpu.stat":                 statV1,
				"sys/fs/cgroup/cpu/session/cpu.cfs_quota_us":         "100000\n",
				"sys/fs/cgroup/cpu/session/cpu.cfs_period_us":        "100000\n",
				"sys/fs/cgroup/memory/memory.limit_in_bytes":         "9223372036854771712\n",
				"sys/fs/cgroup/memory/session/memory.limit_in_bytes": "1048576\n",
			},
			want: limits{1000, 1 << 20, 120, 30},
		}, {
			name:  "limits without the node's memory and the runner's cgroup",
			files: map[string]string{"sys/fs/cgroup/cpu.max": "150000 100000\n", "sys/fs/cgroup/memory.max": "536870912\n"},
			want:  limits{CPUMillis: 1500, MemoryBytes: 512 << 20},
		}, {
			name:  "no limit of memory and not the node's",
			files: map[string]string{"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"},
			want:  limits{CPUMillis: 4000},
		}, {
			name: "what is no number",
			files: map[string]string{
				"proc/meminfo": "MemTotal: much kB\n", "proc/7/cgroup": "nonsense\n",
				"sys/fs/cgroup/cpu.max": "x y\n", "sys/fs/cgroup/cpu.stat": "nr_periods\nnr_throttled x\n", "sys/fs/cgroup/memory.max": "-5\n",
			},
			want: limits{CPUMillis: 4000},
		}, {
			name: "a period of nothing",
			files: map[string]string{
				"proc/meminfo": meminfo, "sys/fs/cgroup/cpu.max": "1000 0\n",
			},
			want: limits{CPUMillis: 4000, MemoryBytes: memTotal},
		},
		{name: "nothing", want: limits{CPUMillis: 4000}},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := newMachine(t, test.files)
			p := m.periods()
			got := limits{m.cpuMillis(), m.memoryBytes(), p.all, p.throttled}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// Only what happened during the measurement counts, and no kernel makes the report one that Decode refuses.
func TestPeriodsOfTheMeasurement(t *testing.T) {
	const stat = "sys/fs/cgroup/cpu.stat"
	for _, test := range []struct {
		name, before, after string
		want                digest.Environment
	}{
		{"throttled", "nr_periods 100\nnr_throttled 90\n", "nr_periods 160\nnr_throttled 110\n", digest.Environment{Periods: 60, ThrottledPeriods: 20}},
		{"not throttled", "nr_periods 100\nnr_throttled 90\n", "nr_periods 160\nnr_throttled 90\n", digest.Environment{Periods: 60}},
		{"no limit", "nr_periods 0\nnr_throttled 0\n", "nr_periods 0\nnr_throttled 0\n", digest.Environment{}},
		{"falling", "nr_periods 100\nnr_throttled 90\n", "nr_periods 10\nnr_throttled 9\n", digest.Environment{}},
		{"more throttled than all", "nr_periods 100\nnr_throttled 10\n", "nr_periods 101\nnr_throttled 20\n", digest.Environment{Periods: 1, ThrottledPeriods: 1}},
		{"fewer throttled", "nr_periods 100\nnr_throttled 10\n", "nr_periods 101\nnr_throttled 9\n", digest.Environment{Periods: 1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := newMachine(t, map[string]string{stat: test.before})
			seen := observe(t.Context(), m, filesSeen{})
			m.write(t, map[string]string{stat: test.after})
			test.want.CPUMillis = 4000
			if diff := cmp.Diff(test.want, seen()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// Steal is a part of all CPU time of the measurement, in which the time of guests is counted once.
func TestStealOfTheMeasurement(t *testing.T) {
	for _, test := range []struct {
		name, before, after string
		want                int64
	}{
		// user nice system idle iowait irq softirq steal guest guest_nice, in hundredths of a second
		{"no credits left", "cpu 1000 0 1000 8000 0 0 0 500 0 0\n", "cpu 1500 0 1200 8100 0 0 0 700 0 0\n", 200},
		{"none", "cpu 1000 0 1000 8000 0 0 0 500 0 0\n", "cpu 2000 0 1000 8000 0 0 0 500 0 0\n", 0},
		{"all", "cpu 1000 0 1000 8000 0 0 0 500 0 0\n", "cpu 1000 0 1000 8000 0 0 0 900 0 0\n", 1000},
		{"of all kinds of time", "cpu 1000 0 1000 8000 10 10 10 500 0 0\n", "cpu 1100 100 1100 8100 110 110 110 600 90 90\n", 125},
		{"falling", "cpu 1000 0 1000 8000 0 0 0 500 0 0\n", "cpu 1500 0 1000 8000 0 0 0 400 0 0\n", 0},
		{"no time", "cpu 1000 0 1000 8000 0 0 0 500 0 0\n", "cpu 1000 0 1000 8000 0 0 0 500 0 0\n", 0},
		{"not known before", "", "cpu 1000 0 1000 8000 0 0 0 500 0 0\n", 0},
		{"not known after", "cpu 1000 0 1000 8000 0 0 0 500 0 0\n", "cpu x\n", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			const stat = "proc/stat"
			m := newMachine(t, map[string]string{stat: test.before})
			seen := observe(t.Context(), m, filesSeen{})
			m.write(t, map[string]string{stat: test.after})
			if got := seen().StealPermille; got != test.want {
				t.Errorf("%d thousandths, want %d", got, test.want)
			}
		})
	}
}

// What Measure reports is of the machine that the test is on.
func TestMeasureReportsTheMachine(t *testing.T) {
	f := newFixture(t, "[reads]\nrw=read\nsize=1M")
	f.wants(Measure(t.Context(), f.Options), 0)
	e := f.report().Environment
	if e.CPUMillis < 1 || e.CPUMillis > int64(runtime.NumCPU())*1000 {
		t.Errorf("%d thousandths of a CPU of %d CPUs", e.CPUMillis, runtime.NumCPU())
	}
	if before := thisMachine().cpuTime(); before.all <= 0 || before.stolen < 0 || e.StealPermille < 0 || e.StealPermille > 1000 {
		t.Errorf("%d thousandths of the CPU time were stolen, of %+v", e.StealPermille, before)
	}
	if used := usageOf(f.Directory); e.UsedPermille < used.space-100 || e.UsedPermille > used.space+100 {
		t.Errorf("the file system is %d thousandths full, and %+v are used", e.UsedPermille, used)
	}
	if total := thisMachine().totalBytes(); e.MemoryBytes < 1<<20 || e.MemoryBytes > total {
		t.Errorf("%d bytes of memory of %d", e.MemoryBytes, total)
	}
}
