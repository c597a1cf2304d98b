package fio

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// TestInherit: a workload has what spec.fio says and it does not set itself, but for what contradicts what it sets.
func TestInherit(t *testing.T) {
	const asynchronous = "ioengine: libaio, iodepth: 16, direct: true"
	for name, test := range map[string]struct{ global, workload, targets, want string }{
		"the shortest":           {"", "fio: {rw: randread, bs: 4k}", "", "{rw: randread, bs: 4k, size: 1G, runtimeSeconds: 30, " + asynchronous + "}"},
		"its own values":         {"", "fio: {rw: read, size: 1M, iodepth: 1, direct: false, runtimeSeconds: 5}", "", "{rw: read, size: 1M, ioengine: libaio, iodepth: 1, direct: false, runtimeSeconds: 5}"},
		"what the spec says":     {"{bs: 8k, size: 2M}", "fio: {rw: read}", "", "{rw: read, bs: 8k, size: 2M, runtimeSeconds: 30, " + asynchronous + "}"},
		"options of both":        {`{options: {thinktime: "1", nice: "1"}}`, `fio: {rw: read, options: {nice: "2"}}`, "", `{rw: read, size: 1G, runtimeSeconds: 30, options: {thinktime: "1", nice: "2"}, ` + asynchronous + "}"},
		"an engine that waits":   {"", "fio: {rw: read, ioengine: psync}", "", "{rw: read, ioengine: psync, direct: true, size: 1G, runtimeSeconds: 30}"},
		"engines of a matrix":    {"", "{fio: {rw: read}, matrix: {ioengine: [sync, psync]}}", "", "{rw: read, ioengine: libaio, direct: true, size: 1G, runtimeSeconds: 30}"},
		"a mapped file":          {"", "fio: {rw: read, ioengine: mmap}", "", "{rw: read, ioengine: mmap, size: 1G, runtimeSeconds: 30}"},
		"operations on files":    {"{numjobs: 2}", "fio: {rw: read, ioengine: filecreate, nrfiles: 10}", "", "{rw: read, ioengine: filecreate, nrfiles: 10, numjobs: 2}"},
		"all of its size":        {"", "fio: {rw: write, size: 1M, timeBased: false}", "", "{rw: write, size: 1M, timeBased: false, " + asynchronous + "}"},
		"at most so long":        {"", "fio: {rw: write, timeBased: false, runtimeSeconds: 9}", "", "{rw: write, size: 1G, timeBased: false, runtimeSeconds: 9, " + asynchronous + "}"},
		"several times its size": {"", "fio: {rw: write, size: 1M, loops: 2}", "", "{rw: write, size: 1M, loops: 2, " + asynchronous + "}"},
		"a part of its size":     {"", `fio: {rw: write, options: {io_size: 1M}}`, "", "{rw: write, size: 1G, options: {io_size: 1M}, " + asynchronous + "}"},
		"sizes of files":         {"", `fio: {rw: read, options: {filesize: 1M}}`, "", "{rw: read, runtimeSeconds: 30, options: {filesize: 1M}, " + asynchronous + "}"},
		"buffered":               {"", `fio: {rw: read, options: {buffered: "1"}}`, "", `{rw: read, ioengine: libaio, iodepth: 16, size: 1G, runtimeSeconds: 30, options: {buffered: "1"}}`},
		"several block sizes":    {"{bs: 8k}", `fio: {rw: read, options: {bssplit: "4k/50:8k/50"}}`, "", `{rw: read, size: 1G, runtimeSeconds: 30, options: {bssplit: "4k/50:8k/50"}, ` + asynchronous + "}"},
		"another kind of rate":   {"{rate: 1m}", "fio: {rw: read, rateIOPS: 5}", "", "{rw: read, rateIOPS: 5, size: 1G, runtimeSeconds: 30, " + asynchronous + "}"},
		"no rate":                {"{rate: 1m}", "fio: {rw: read, rate: '0'}", "", "{rw: read, size: 1G, runtimeSeconds: 30, " + asynchronous + "}"},
		"no rate of its kind":    {"{rate: 1m}", "fio: {rw: read, rateIOPS: 0}", "", "{rw: read, size: 1G, runtimeSeconds: 30, " + asynchronous + "}"},
		"no I/Os per second":     {"{rateIOPS: 5}", "fio: {rw: read, rateIOPS: '0,0'}", "", "{rw: read, size: 1G, runtimeSeconds: 30, " + asynchronous + "}"},
		"nothing to undo":        {"", "fio: {rw: read, rateIOPS: 0}", "", "{rw: read, rateIOPS: 0, size: 1G, runtimeSeconds: 30, " + asynchronous + "}"},
		"rates of a matrix":      {"{rate: 1m}", "{fio: {rw: read}, matrix: {rateIOPS: [5, 10]}}", "", "{rw: read, size: 1G, runtimeSeconds: 30, " + asynchronous + "}"},
		"its own block size":     {`{options: {bssplit: "4k/50:8k/50"}}`, "fio: {rw: read, bs: 4k}", "", "{rw: read, bs: 4k, size: 1G, runtimeSeconds: 30, " + asynchronous + "}"},
		"block sizes of a matrix": {
			"{options: {blocksize_range: 4k-8k}}", "{fio: {rw: read}, matrix: {bs: [4k, 8k]}}", "",
			"{rw: read, size: 1G, runtimeSeconds: 30, " + asynchronous + "}",
		},
		"its own size":           {`{options: {fill_device: "1", filesize: 1M}}`, "fio: {rw: write, size: 2M}", "", "{rw: write, size: 2M, runtimeSeconds: 30, " + asynchronous + "}"},
		"itself buffered":        {`{options: {buffered: "0"}}`, "fio: {rw: read, direct: false}", "", "{rw: read, size: 1G, runtimeSeconds: 30, ioengine: libaio, iodepth: 16, direct: false}"},
		"another engine":         {`{options: {userspace_reap: "1", nice: "1"}}`, "fio: {rw: read, ioengine: psync}", "", `{rw: read, ioengine: psync, direct: true, size: 1G, runtimeSeconds: 30, options: {nice: "1"}}`},
		"one of its engines":     {`{options: {userspace_reap: "1"}}`, "{fio: {rw: read}, matrix: {ioengine: [libaio, psync]}}", "", `{rw: read, size: 1G, runtimeSeconds: 30, options: {userspace_reap: "1"}, ` + asynchronous + "}"},
		"options all inherit":    {`{options: {bssplit: "4k/50:8k/50"}}`, "fio: {rw: read}", "", `{rw: read, size: 1G, runtimeSeconds: 30, options: {bssplit: "4k/50:8k/50"}, ` + asynchronous + "}"},
		"a log that syncs":       {"", "fio: {rw: write, bs: 8k, fdatasync: 1}", "", "{rw: write, bs: 8k, fdatasync: 1, size: 1G, runtimeSeconds: 30}"},
		"syncs of all":           {"{fsync: 4}", "fio: {rw: write, ioengine: io_uring}", "", "{rw: write, fsync: 4, ioengine: io_uring, size: 1G, runtimeSeconds: 30}"},
		"syncs of a matrix":      {"", "{fio: {rw: write}, matrix: {fdatasync: [0, 1]}}", "", "{rw: write, size: 1G, runtimeSeconds: 30}"},
		"all of the spec's size": {"{size: 100G, timeBased: false}", "fio: {rw: write}", "", "{rw: write, size: 100G, timeBased: false, " + asynchronous + "}"},
		"loops of the spec":      {"{loops: 3}", "fio: {rw: write}", "", "{rw: write, loops: 3, size: 1G, " + asynchronous + "}"},
		"a limit of the spec":    {"{timeBased: false, runtimeSeconds: 60}", "fio: {rw: write}", "", "{rw: write, timeBased: false, runtimeSeconds: 60, size: 1G, " + asynchronous + "}"},
		"loops of a matrix":      {"", "{fio: {rw: write}, matrix: {loops: [1, 4]}}", "", "{rw: write, size: 1G, " + asynchronous + "}"},
		"until it is steady":     {"{rampTimeSeconds: 5}", "{fio: {rw: read}, until: {steadyState: {}}}", "", "{rw: read, size: 1G, " + asynchronous + "}"},
		"writes to a bucket":     {"", "fio: {rw: write}", "{name: s, s3: {bucket: my-bucket}}", "{rw: write, size: 1G, timeBased: false, " + asynchronous + "}"},
		"reads of a bucket":      {"", "fio: {rw: read}", "{name: s, s3: {bucket: my-bucket}}", "{rw: read, size: 1G, runtimeSeconds: 30, " + asynchronous + "}"},
	} {
		t.Run(name, func(t *testing.T) {
			spec := &v1alpha1.StorageBenchmarkSpec{Fio: &v1alpha1.FioParameters{}, Workloads: make([]v1alpha1.Workload, 1)}
			var target v1alpha1.Target
			var want v1alpha1.FioParameters
			for into, text := range map[any]string{spec.Fio: test.global, &spec.Workloads[0]: test.workload, &target: test.targets, &want: test.want} {
				if err := yaml.UnmarshalStrict([]byte(text), into); err != nil {
					t.Fatalf("%s: %v", text, err)
				}
			}
			spec.Targets = []v1alpha1.Target{target}
			spec.Default()
			before := spec.DeepCopy()
			inherited := Inherit(spec)
			if diff := cmp.Diff(&want, inherited.Workloads[0].Fio); diff != "" || inherited.Fio != nil {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(before, spec); diff != "" {
				t.Errorf("the spec was changed:\n%s", diff)
			}
		})
	}
}

// Presets and job files inherit nothing.
func TestInheritedByFioAlone(t *testing.T) {
	spec := &v1alpha1.StorageBenchmarkSpec{Workloads: []v1alpha1.Workload{{Preset: new("etcd")}, {JobFile: new("[a]")}}}
	want := spec.DeepCopy()
	spec.Default()
	if diff := cmp.Diff(want, Inherit(spec)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
