package runner

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/storagebench/storagebench/internal/digest"
)

// ebsVolume is what the driver says of a volume: the names, labels and kinds of pkg/metrics/nvme.go of aws-ebs-csi-driver v1.64.0.
type ebsVolume struct {
	id string
	// exceeded are the seconds of the four limits: the volume's IOPS and throughput, the instance's IOPS and throughput.
	exceeded [4]float64
	// read and write are its operations: how many took up to 1, 2 and 4 ms, and all of them.
	read, write [3]uint64
}

// exporterOfVolumes serves what the driver's node plugin serves of volumes, which may change.
func exporterOfVolumes(t *testing.T, volumes *[]ebsVolume) string {
	t.Helper()
	registry := prometheus.NewRegistry()
	registry.MustRegister(collector{volumes})
	server := httptest.NewServer(promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	t.Cleanup(server.Close)
	return server.URL + "/metrics"
}

type collector struct{ volumes *[]ebsVolume }

var exceededNames = []string{metricVolumeIOPS, metricVolumeThroughput, metricInstanceIOPS, metricInstanceThroughput}

func described(name string) *prometheus.Desc {
	return prometheus.NewDesc(name, "What the driver says of it.", []string{"volume_id"}, prometheus.Labels{"instance_id": "i-0123456789abcdef0"})
}

func (c collector) Describe(descriptions chan<- *prometheus.Desc) {
	for _, name := range exceededNames {
		descriptions <- described(name)
	}
}

func (c collector) Collect(metrics chan<- prometheus.Metric) {
	for _, v := range *c.volumes {
		for i, name := range exceededNames {
			metrics <- prometheus.MustNewConstMetric(described(name), prometheus.CounterValue, v.exceeded[i], v.id)
		}
		metrics <- prometheus.MustNewConstMetric(described("aws_ebs_csi_volume_queue_length"), prometheus.GaugeValue, 16, v.id)
		for m, cumulative := range map[operationMetrics][3]uint64{readMetrics: v.read, writeMetrics: v.write} {
			all := float64(cumulative[2])
			for name, value := range map[string]float64{m.count: all, m.bytes: 4096 * all, m.seconds: 0.0015 * all} {
				metrics <- prometheus.MustNewConstMetric(described(name), prometheus.CounterValue, value, v.id)
			}
			buckets := map[float64]uint64{0.001: cumulative[0], 0.002: cumulative[1], 0.004: cumulative[2]}
			metrics <- prometheus.MustNewConstHistogram(described(m.latency), cumulative[2], 0, buckets, v.id)
		}
	}
}

// What EBS says of the time between two looks is a difference, of the volume that was asked about.
func TestExceeded(t *testing.T) {
	var log bytes.Buffer
	volumes := []ebsVolume{{id: "vol-other", exceeded: [4]float64{900, 900, 900, 900}}, {id: "vol-mine", exceeded: [4]float64{1.5, 20, 3, 0}}}
	e := &exporter{url: exporterOfVolumes(t, &volumes), volume: "vol-mine", log: &log}
	seen := filesSeen{exporter: e, volume: e.ask(t.Context())}
	exceededSince := func(seen filesSeen) *digest.Exceeded {
		exceeded, _ := seen.volumeSince(t.Context())
		return exceeded
	}
	volumes[0].exceeded = [4]float64{990, 990, 990, 990}
	volumes[1].exceeded = [4]float64{59.75, 20, 3.25, 0.000002}
	want := &digest.Exceeded{VolumeIOPS: 58_250_000, InstanceIOPS: 250_000, InstanceThroughput: 2}
	if diff := cmp.Diff(want, exceededSince(seen)); diff != "" {
		t.Errorf("-want +got:\n%s\n%s", diff, &log)
	}
	volumes[1].exceeded[1] = 19 // attached anew
	if got := exceededSince(seen); got != nil {
		t.Errorf("time has run backwards: %+v", got)
	}
	volumes = volumes[:1]
	if got := exceededSince(seen); got != nil || !strings.Contains(log.String(), " of vol-mine") {
		t.Errorf("of a volume that is gone EBS says %+v: %s", got, &log)
	}
	if got := exceededSince(filesSeen{}); got != nil {
		t.Errorf("without an exporter EBS says %+v", got)
	}
}

// An exporter that does not answer, or not with metrics, costs a line of the log, and a busy one a second try.
func TestExporterThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	const text = "aws_ebs_csi_exceeded_iops_seconds_total{volume_id=\"v\"} 1\naws_ebs_csi_exceeded_tp_seconds_total{volume_id=\"v\"} 2\n" +
		"aws_ebs_csi_ec2_exceeded_iops_seconds_total{volume_id=\"v\"} 3\naws_ebs_csi_ec2_exceeded_tp_seconds_total{volume_id=\"v\"} 4\n"
	typed := ""
	for _, name := range exceededNames {
		typed += "# TYPE " + name + " counter\n"
	}
	for _, test := range []struct {
		name     string
		answers  []string // a status, or text
		want     bool
		log      string
		requests int
	}{
		{"metrics", []string{typed + text}, true, "", 1},
		{"busy once", []string{"429", typed + text}, true, "", 2},
		{"always busy", []string{"429", "429", typed + text}, false, "429 Too Many Requests", 2},
		{"missing", []string{"404"}, false, "404 Not Found", 1},
		{"elsewhere", []string{"302"}, false, "302 Found", 1},
		{"no metrics", []string{"<html>"}, false, "what are no metrics", 1},
		{"no counters", []string{text}, false, "has no aws_ebs_csi_", 1},
		{"not a number", []string{strings.Replace(typed+text, "} 1", "} NaN", 1)}, false, "has no aws_ebs_csi_exceeded_iops_seconds_total", 1},
		{"beyond all time", []string{strings.Replace(typed+text, "} 2", "} 1e300", 1)}, false, "has no aws_ebs_csi_exceeded_tp_seconds_total", 1},
		{"nothing", []string{""}, false, "has no aws_ebs_csi_", 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			requests := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				answer := test.answers[min(requests, len(test.answers)-1)]
				requests++
				switch answer {
				case "429":
					w.WriteHeader(http.StatusTooManyRequests)
				case "404":
					w.WriteHeader(http.StatusNotFound)
				case "302":
					w.Header().Set("Location", "http://metadata.example/")
					w.WriteHeader(http.StatusFound)
				default:
					_, _ = w.Write([]byte(answer))
				}
			}))
			defer server.Close()
			var log bytes.Buffer
			got := (&exporter{url: server.URL, volume: "v", log: &log}).ask(t.Context())
			if (got != nil) != test.want || !strings.Contains(log.String(), test.log) || requests != test.requests {
				t.Errorf("%d requests, EBS says %+v: %q", requests, got, &log)
			}
			if test.want && got.exceeded != (digest.Exceeded{VolumeIOPS: 1e6, VolumeThroughput: 2e6, InstanceIOPS: 3e6, InstanceThroughput: 4e6}) {
				t.Errorf("EBS says %+v", got)
			}
		})
	}
	t.Run("silence", func(t *testing.T) {
		release := make(chan struct{})
		server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
		defer server.Close()
		defer close(release)
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		var log bytes.Buffer
		if got := (&exporter{url: server.URL, volume: "v", log: &log}).ask(ctx); got != nil || !strings.Contains(log.String(), "deadline exceeded") {
			t.Errorf("EBS says %+v: %q", got, &log)
		}
	})
}

// A volume is known by what the runner is told, or by the serial number of its NVMe device.
func TestVolumeOfExporter(t *testing.T) {
	files := map[string]string{
		"sys/dev/block/259:4/device/serial":       "vol0123456789abcdef0 \n",
		"sys/devices/nvme2n1/device/serial":       "vol-0aaaaaaaaaaaaaaaa\n",
		"sys/dev/block/259:7/device/serial":       "AWS22222222222222222\n",
		"sys/devices/nvme2n1/nvme2n1p1/partition": "1\n",
	}
	m := newMachine(t, files)
	if err := os.Symlink(filepath.Join(m.root, "sys/devices/nvme2n1/nvme2n1p1"), filepath.Join(m.root, "sys/dev/block/259:5")); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, url, told string
		counted         counted
		want            string
	}{
		{"not to be asked", "", "vol-1", counted{major: 259, minor: 4}, ""},
		{"told", "http://x", "vol-1", counted{}, "vol-1"},
		{"by its serial number", "http://x", "", counted{major: 259, minor: 4}, "vol-0123456789abcdef0"},
		{"by that of the device of a partition", "http://x", "", counted{major: 259, minor: 5}, "vol-0aaaaaaaaaaaaaaaa"},
		{"instance storage", "http://x", "", counted{major: 259, minor: 7}, ""},
		{"no NVMe device", "http://x", "", counted{major: 7, minor: 1}, ""},
		{"NFS", "http://x", "", counted{minor: 57, mountPoint: "/efs"}, ""},
	} {
		var log bytes.Buffer
		e := Options{EBSMetricsURL: test.url, VolumeID: test.told, Log: &log}.exporterOf(m, test.counted)
		got := ""
		if e != nil {
			got = e.volume
		}
		if got != test.want || (test.url != "" && test.want == "") != strings.Contains(log.String(), "not known which volume") {
			t.Errorf("%s: %q, want %q: %s", test.name, got, test.want, &log)
		}
	}
}

// An exporter that does not answer costs nothing but its answer: what was seen of files and storage is there at a start that is near.
func TestExporterThatHangsCostsNothingElse(t *testing.T) {
	t.Parallel()
	hang := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	t.Cleanup(hang.Close)
	dir := t.TempDir()
	start := filepath.Join(t.TempDir(), "start")
	if err := os.WriteFile(start, []byte(time.Now().Add(1500*time.Millisecond).UTC().Format(time.RFC3339Nano)), 0o600); err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	o := Options{
		JobFile: "[a]\nrw=read\nsize=4k\ndirectory=" + dir + "\n", Directory: dir, StartFile: start,
		EBSMetricsURL: hang.URL, VolumeID: "vol-1", Fio: "true", Log: &log,
	}
	seen, err := (&sharedStart{file: start, now: time.Now, log: &log}).prepare(t.Context(), o)
	if err != nil || seen.directory == "" || seen.counted == (counted{}) || seen.volume != nil {
		t.Errorf("seen was %+v, %v", seen, err)
	}
	if !strings.Contains(log.String(), "the start is too near to wait for what EBS says of the volume") {
		t.Errorf("the log is %q", log.String())
	}
}
