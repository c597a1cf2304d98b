package runner

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"

	"github.com/storagebench/storagebench/internal/digest"
)

const (
	// askTime is how long asking for a volume's metrics may take, with a second try: fio waits for it.
	askTime = 3 * time.Second
	// askAgainAfter is when an exporter is asked again that has been asked by too many: it answers 5 times a second (v1.64.0,
	// pkg/metrics/metrics.go of aws-ebs-csi-driver).
	askAgainAfter = 500 * time.Millisecond
)

// exceededMetrics are the counters of the node's part of aws-ebs-csi-driver (v1.64.0, docs/metrics.md), in seconds: for how long demand exceeded what
// the volume may do, and what its instance may.
const (
	metricVolumeIOPS         = "aws_ebs_csi_exceeded_iops_seconds_total"
	metricVolumeThroughput   = "aws_ebs_csi_exceeded_tp_seconds_total"
	metricInstanceIOPS       = "aws_ebs_csi_ec2_exceeded_iops_seconds_total"
	metricInstanceThroughput = "aws_ebs_csi_ec2_exceeded_tp_seconds_total"
)

// exporter is who knows what EBS itself says of a volume.
type exporter struct {
	url, volume string
	log         io.Writer
}

// exporterOf returns the exporter to ask about the storage, nil if there is none. A volume's ID is told to the runner, or it is the serial number of
// the NVMe device.
func (o Options) exporterOf(m machine, c counted) *exporter {
	if o.EBSMetricsURL == "" {
		return nil
	}
	volume := o.VolumeID
	if volume == "" {
		volume = m.ebsVolume(c)
	}
	if volume == "" {
		fmt.Fprintln(o.Log, "EBS is not asked: it is not known which volume this is")
		return nil
	}
	return &exporter{url: o.EBSMetricsURL, volume: volume, log: o.Log}
}

// ebsVolume returns the ID of the EBS volume that a device is, by its serial number, which lacks the hyphen; "" if it is none.
// https://docs.aws.amazon.com/ebs/latest/userguide/identify-nvme-ebs-device.html
func (m machine) ebsVolume(c counted) string {
	if c.major == 0 {
		return ""
	}
	device := filepath.Join(m.root, "sys/dev/block", fmt.Sprintf("%d:%d", c.major, c.minor))
	for _, name := range []string{"device/serial", "../device/serial"} { // of a device, and of the one that a partition is of
		text, err := os.ReadFile(device + "/" + name)
		if id, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "vol"); err == nil && ok {
			return "vol-" + strings.TrimPrefix(id, "-")
		}
	}
	return ""
}

// ask returns what EBS has counted since the volume was attached, nil if that cannot be known, which the log tells.
func (e *exporter) ask(ctx context.Context) *volumeSeen {
	if e == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	families, err := e.fetch(ctx)
	if err != nil {
		fmt.Fprintf(e.log, "EBS was asked in vain what it says of %s: %v\n", e.volume, err)
		return nil
	}
	exceeded := digest.Exceeded{}
	for name, figure := range map[string]*int64{
		metricVolumeIOPS: &exceeded.VolumeIOPS, metricVolumeThroughput: &exceeded.VolumeThroughput,
		metricInstanceIOPS: &exceeded.InstanceIOPS, metricInstanceThroughput: &exceeded.InstanceThroughput,
	} {
		seconds, found := counterOf(families[name], e.volume)
		if !found || !(seconds >= 0 && seconds <= maxExceededSeconds) { // nor is NaN
			fmt.Fprintf(e.log, "EBS was asked in vain: %s has no %s of %s\n", e.url, name, e.volume)
			return nil
		}
		*figure = round(seconds * 1e6)
	}
	return &volumeSeen{exceeded: exceeded, operations: operationsOf(families, e.volume)}
}

// askAside asks while other things are done, so that nothing waits for who does not answer. The channel brings one answer. It is nil if nobody is asked.
func (e *exporter) askAside(ctx context.Context) <-chan *volumeSeen {
	if e == nil {
		return nil
	}
	answer := make(chan *volumeSeen, 1)
	ctx = context.WithoutCancel(ctx) // it has a deadline of its own
	go func() { answer <- e.ask(ctx) }()
	return answer
}

// answered returns what the exporter has said by now, nil if nothing: what it says when fio runs is too late.
func (f filesSeen) answered(log io.Writer) *volumeSeen {
	if f.answer == nil {
		return nil
	}
	select {
	case seen := <-f.answer:
		return seen
	default:
		fmt.Fprintln(log, "the start is too near to wait for what EBS says of the volume")
		return nil
	}
}

// maxExceededSeconds is longer than a volume can have been attached.
const maxExceededSeconds = 1e12

// fetch returns what the exporter has, and tries a second time where it says that it is busy.
func (e *exporter) fetch(ctx context.Context) (map[string]*dto.MetricFamily, error) {
	families, busy, err := e.fetchOnce(ctx)
	if !busy {
		return families, err
	}
	select {
	case <-ctx.Done():
		return nil, err
	case <-time.After(askAgainAfter):
	}
	families, _, err = e.fetchOnce(ctx)
	return families, err
}

// directly reaches an exporter in the cluster, whatever proxy the environment names, and goes nowhere else.
var directly = &http.Client{
	Transport:     &http.Transport{DisableKeepAlives: true},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

func (e *exporter) fetchOnce(ctx context.Context) (families map[string]*dto.MetricFamily, busy bool, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, e.url, http.NoBody)
	if err != nil {
		return nil, false, err
	}
	answer, err := directly.Do(request)
	if err != nil {
		return nil, false, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, answer.StatusCode == http.StatusTooManyRequests, fmt.Errorf("%s answers %s", e.url, answer.Status)
	}
	families, err = metricsOf(answer.Body, e.volume, metricNames...)
	if err != nil {
		return nil, false, fmt.Errorf("%s answers what are no metrics: %w", e.url, err)
	}
	return families, false, nil
}

// counterOf returns the value of a counter of a volume, and whether there is one.
func counterOf(family *dto.MetricFamily, volume string) (value float64, found bool) {
	counter := metricOfVolume(family, volume).GetCounter()
	return counter.GetValue(), counter != nil
}

// volumeSince returns what EBS has counted of the volume since the files were looked at: for how long limits were exceeded, and which operations there were.
// Each is nil if it is not known, as where the volume was attached anew.
func (f filesSeen) volumeSince(ctx context.Context) (*digest.Exceeded, *digest.Volume) {
	if f.volume == nil {
		return nil, nil
	}
	now := f.exporter.ask(ctx)
	if now == nil {
		return nil, nil
	}
	between := now.exceeded
	if !subtract(between.Figures(), f.volume.exceeded.Figures()) {
		return nil, nil
	}
	return &between, now.operations.since(f.volume.operations)
}
