package result

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/plan"
)

// foreign is a measurement that others have published, or that AWS documents, on storage that is described.
type foreign struct {
	name, target, fio, instance string
	published                   v1alpha1.Result
	// cause is what held it back, as its source says or as follows from the documented limits, and want what is said here.
	cause, want string
}

// Sources of the figures, all read on 2026-11-28.
const (
	// README.md, scripts/create_and_attach_volumes.sh and fio_results/ at commit 450cd119, on an r5b.large, December 2020.
	miztiik = "https://github.com/miztiik/ebs-gp3-perf"
	// fio-iodepth-4/fio-libaio-4K.md and fio-16K.md at commit 23f662c8, on a t2.micro with a root volume of 8 GiB, October 2017.
	dyu = "https://github.com/dyu/vps-comparison"
	// etcd's write-ahead log on gp2 of 300 GiB and on gp3 with 3,000 and 6,000 IOPS, on m6i.xlarge.
	besthub = "https://www.besthub.dev/articles/why-upgrading-ebs-volumes-boosted-etcd-write-performance-and-what-still-limits-it-5d6d8d0fac94"
	// On the root volume of a build agent, gp2 of 250 GiB by default, September 2020.
	buildkite = "https://github.com/buildkite/elastic-ci-stack-for-aws/pull/682"
	// EFS with 4 jobs and iodepth 256, November 2024. Of the writes the rate is taken to be that of the reads, as rw is randrw; their latency follows.
	jupyterhub = "https://github.com/2i2c-org/jupyterhub-home-nfs/issues/6"
	// io1 with 3,000 IOPS on an r5.2xlarge, 32 jobs with iodepth 32.
	cdolan = "https://gist.github.com/cdolan/7d049ffe27ecbd93792e7b7e67259efb"
	// Mountpoint 1.0.0 on an r6id.8xlarge, one job that reads 256 KiB at a time.
	mountpoint495 = "https://github.com/awslabs/mountpoint-s3/issues/495"
	// Instance stores: a stripe of 8 on an i3en.24xlarge (disk.md), and that of an i3.2xlarge.
	s3bfg = "https://github.com/andrewpatto/s3bfg"
	pkb   = "https://github.com/GoogleCloudPlatform/PerfKitBenchmarker/issues/1307"
	// A driver that gave gp3 volumes 125 MiB/s where the class asked for 250. What that makes of 16 I/Os of 1 MiB in flight follows.
	driver1583 = "https://github.com/kubernetes-sigs/aws-ebs-csi-driver/issues/1583"
	// Random and small I/Os of HDD volumes.
	repost = "https://repost.aws/knowledge-center/ebs-low-throughput-performance"
)

// written has what fio 2.14 has written in JSON: IOPS in thousandths, the block in KiB, and the mean latency in microseconds.
func written(milliIOPS, kibibytes, microseconds int64) v1alpha1.Result {
	io := at(milliIOPS/1000, kibibytes*kib, time.Duration(microseconds)*time.Microsecond)
	io.MilliIOPS, io.BytesPerSecond = milliIOPS, milliIOPS*kibibytes*kib/1000
	return writes(io)
}

// both is a mix of reads and writes with their rates and mean latencies.
func both(reads, writes, block int64, read, write time.Duration) v1alpha1.Result {
	return v1alpha1.Result{ElapsedMilliseconds: 60_000, Figures: v1alpha1.ListOf(
		at(reads, block, read).As(v1alpha1.OperationRead), at(writes, block, write).As(v1alpha1.OperationWrite))}
}

// synced is writes of which each was synced, with the mean time of a sync.
func synced(iops, block int64, sync time.Duration) v1alpha1.Result {
	r := writes(at(iops, block, time.Second/time.Duration(iops)-sync))
	r.Figures = append(r.Figures, v1alpha1.Figures{
		Name: v1alpha1.OperationSync, Count: 60 * iops, Latency: &v1alpha1.Latency{MeanNanoseconds: sync.Nanoseconds()},
	})
	return r
}

// foreigners are measurements of others.
func foreigners() []foreign {
	const (
		gp3Throughput = "capacity: 201Gi, ebs: {type: gp3, iops: 4000, throughput: 1000}"
		// Two volumes as one device: what both have is what a user would set.
		raid0   = "capacity: 202Gi, ebs: {type: gp3, iops: 4000, throughput: 1000}, limits: {iops: 8000, bytesPerSecond: 2097152000}"
		io2IOPS = "capacity: 54Gi, ebs: {type: io2, iops: 16000}"
		gp3IOPS = "capacity: 255Gi, ebs: {type: gp3, iops: 16000, throughput: 1000}"
		efs     = "efs: {fileSystemID: fs-01234567, throughputMode: Elastic}"
		iops    = v1alpha1.BoundVolumeIOPS
		bytes   = v1alpha1.BoundVolumeThroughput
		node    = v1alpha1.BoundInstanceThroughput
	)
	var all []foreign
	for _, r := range []struct {
		target, want        string
		kib, milliIOPS, lat int64
	}{
		{gp3Throughput, iops, 4, 4_394_580, 58_193}, {raid0, iops, 4, 8_780_269, 29_133}, {io2IOPS, iops, 4, 17_584_516, 14_551}, {gp3IOPS, iops, 4, 17_583_459, 14_549},
		{gp3Throughput, iops, 8, 4_130_716, 61_899}, {raid0, iops, 8, 8_272_817, 30_920}, {io2IOPS, iops, 8, 16_631_152, 15_380}, {gp3IOPS, iops, 8, 16_597_482, 15_410},
		{gp3Throughput, iops, 16, 4_156_720, 61_511}, {raid0, iops, 16, 8_348_515, 30_637}, {io2IOPS, iops, 16, 16_602_377, 15_413}, {gp3IOPS, iops, 16, 16_634_902, 15_379},
		{gp3Throughput, iops, 32, 4_136_708, 61_791}, {raid0, iops, 32, 8_301_346, 30_807}, {io2IOPS, iops, 32, 16_741_514, 15_278}, {gp3IOPS, iops, 32, 16_645_125, 15_364},
		{gp3Throughput, iops, 64, 4_165_853, 61_358}, {raid0, iops, 64, 8_333_897, 30_667}, {io2IOPS, iops, 64, 16_653_086, 15_362}, {gp3IOPS, iops, 64, 16_738_539, 15_276},
		{gp3Throughput, iops, 128, 4_159_829, 61_406}, {raid0, iops, 128, 8_313_870, 30_740}, {io2IOPS, node, 128, 10_557_740, 24_229}, {gp3IOPS, bytes, 128, 8_798_264, 29_045},
		{gp3Throughput, bytes, 256, 4_170_429, 61_229}, {raid0, node, 256, 5_266_892, 48_470}, {io2IOPS, node, 256, 4_997_611, 51_111}, {gp3IOPS, bytes, 256, 4_175_287, 61_159},
	} {
		all = append(all, foreign{
			name: fmt.Sprintf("%s, %s, %d KiB", miztiik, r.target, r.kib), target: r.target, instance: "r5b.large",
			fio:       fmt.Sprintf("rw: randwrite, bs: %dk, iodepth: 16, numjobs: 16, size: 1G, runtimeSeconds: 10", r.kib),
			published: written(r.milliIOPS, r.kib, r.lat), cause: r.want, want: r.want,
		})
	}
	ms := func(milliseconds float64) time.Duration {
		return time.Duration(milliseconds * float64(time.Millisecond))
	}
	return append(all,
		foreign{dyu + " writes", "capacity: 8Gi, ebs: {type: gp2}", "rw: write, bs: 4k, iodepth: 4, size: 4G", "t2.micro", writes(at(3068, 4*kib, ms(1.302))), iops, iops},
		foreign{dyu + " reads", "capacity: 8Gi, ebs: {type: gp2}", "rw: read, bs: 4k, iodepth: 4, size: 4G", "t2.micro", reads(at(3070, 4*kib, ms(1.301))), iops, iops},
		foreign{dyu + " posixaio, of which glibc does one at a time", "capacity: 8Gi, ebs: {type: gp2}", "rw: write, bs: 16k, iodepth: 32, size: 4G", "t2.micro",
			writes(at(1231, 16*kib, ms(25.97))), queue, queue},
		foreign{besthub + " gp2", "capacity: 300Gi, ebs: {type: gp2}", etcd, "m6i.xlarge", synced(709, 2300, ms(1.2)), latency, latency},
		foreign{besthub + " gp3", "capacity: 300Gi, ebs: {type: gp3}", etcd, "m6i.xlarge", synced(1105, 2300, ms(0.7)), latency, latency},
		foreign{besthub + " gp3, more IOPS", "capacity: 300Gi, ebs: {type: gp3, iops: 6000}", etcd, "m6i.xlarge", synced(1129, 2300, ms(0.7)), latency, latency},
		foreign{buildkite + " one I/O at a time", "capacity: 250Gi, ebs: {type: gp2}", "rw: randrw, bs: 4k, iodepth: 1, size: 4G", "c5.large",
			both(797, 804, 4*kib, ms(0.647), ms(0.598)), latency, latency},
		foreign{buildkite + " 4 jobs", "capacity: 250Gi, ebs: {type: gp2}", "rw: randrw, bs: 64k, iodepth: 64, numjobs: 4, size: 4G", "c5.large",
			both(1539, 1543, 64*kib, ms(82.62), ms(83.46)), iops, iops},
		foreign{jupyterhub, efs, "rw: randrw, bs: 4k, iodepth: 256, numjobs: 4, size: 1G", "r5.xlarge", both(2801, 2801, 4*kib, ms(177.57), ms(188)), queue, queue},
		foreign{cdolan, "capacity: 200Gi, ebs: {type: io1, iops: 3000}", "rw: randread, bs: 4k, iodepth: 32, numjobs: 32, size: 4G", "r5.2xlarge",
			reads(at(3009, 4*kib, ms(340))), iops, iops},
		foreign{mountpoint495, "s3: {bucket: my-bucket}, capacity: 100Gi", "rw: read, bs: 256k, ioengine: psync, size: 10G", "r6id.8xlarge",
			reads(at(4959, 256*kib, ms(0.2016))), latency, latency},
		foreign{s3bfg, "storageClassName: local, capacity: 7Ti", "rw: randwrite, bs: 64k, ioengine: psync, numjobs: 16, size: 1G", "i3en.24xlarge",
			writes(at(9168, 64*kib, ms(1.744))), "not published", unknown},
		foreign{pkb, "storageClassName: local, capacity: 1700Gi", "rw: randread, bs: 4k, iodepth: 64, size: 1G", "i3.2xlarge",
			reads(at(290_000, 4*kib, ms(0.22))), "one job", unknown},
		foreign{driver1583, "capacity: 500Gi, ebs: {type: gp3, iops: 5000, throughput: 250}", "rw: read, bs: 1m, iodepth: 16, size: 4G", "m5.2xlarge",
			reads(at(125, mib, ms(128))), "125 MiB/s that nobody knows of", queue},
		foreign{repost + " random", "capacity: 2458Gi, ebs: {type: sc1}", "rw: randread, bs: 16k, iodepth: 16, size: 4G", "m5.2xlarge", reads(at(192, 16*kib, ms(83.3))), bytes, bytes},
		foreign{repost + " small", "capacity: 2458Gi, ebs: {type: sc1}", "rw: read, bs: 16k, iodepth: 16, size: 4G", "m5.2xlarge", reads(at(192, 16*kib, ms(83.3))), bytes, bytes},
		foreign{repost + " merged", "capacity: 2458Gi, ebs: {type: sc1}", "rw: read, bs: 32k, iodepth: 16, size: 4G", "m5.2xlarge", reads(at(6144, 32*kib, ms(2.6))), bytes, bytes},
	)
}

// etcd is how etcd writes its log, as measured with fio.
const etcd = `rw: write, bs: "2300", ioengine: sync, direct: false, fdatasync: 1, size: 22m, timeBased: false`

// No measurement of others gets a verdict that is wrong. Unknown is never wrong.
func TestForeignRows(t *testing.T) {
	rows := foreigners()
	t.Logf("%d measurements", len(rows))
	for i := range rows {
		f := &rows[i]
		sb := &v1alpha1.StorageBenchmark{}
		text := fmt.Sprintf("spec: {targets: [{name: t, %s}], workloads: [{name: w, fio: {%s}}]}", f.target, f.fio)
		if err := yaml.UnmarshalStrict([]byte(text), sb); err != nil {
			t.Fatal(err)
		}
		runs, problems := plan.Runs(sb.Spec.Default(), nil)
		if len(problems) > 0 {
			t.Fatalf("%s: %v", f.name, problems.ToAggregate())
		}
		got := judge(&runs[0], f.published, f.instance).LimitedBy[0]
		t.Logf("%s\n\t%s, by its source %s: %s", f.name, got.Reason, f.cause, got.Message)
		if got.Reason != f.want {
			t.Errorf("%s: %s: %s; want %s", f.name, got.Reason, got.Message, f.want)
		}
		if more := strings.Contains(got.Message, "try more jobs"); more && !slices.Contains([]string{latency}, f.cause) {
			t.Errorf("%s: more load is advised of what %s holds back: %s", f.name, f.cause, got.Message)
		}
	}
}
