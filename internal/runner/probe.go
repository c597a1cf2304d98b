package runner

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/fio"
	"github.com/storagebench/storagebench/internal/fiooutput"
)

// probeLimit is how long a probe may take.
const probeLimit = fio.ProbeLimitSeconds * time.Second

// probe runs the probe's job file and returns what it measured. It is nil if the probe fails, takes longer than it may, or is ended, which the log tells: what
// was measured before counts all the same.
func (o Options) probe(ctx context.Context, limit time.Duration) *digest.Probe {
	fmt.Fprintln(o.Log, "fio has measured, and now probes with more I/Os in flight")
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	p := o
	p.JobFile, p.Log = o.ProbeFile, &prefixed{log: o.Log, prefix: digest.ProbePrefix}
	output, err := p.runProbe(ctx)
	if err != nil {
		fmt.Fprintf(p.Log, "the probe has failed: %v\n", err)
		return nil
	}
	return newProbe(output)
}

func (o Options) runProbe(ctx context.Context) (*fiooutput.Output, error) {
	call, err := o.prepareFio()
	if err != nil {
		return nil, err
	}
	call.quiet = true
	return o.runFio(ctx, call)
}

// newProbe adds up what fio has read and written, nil if that is nothing, or was not all at the same time.
func newProbe(output *fiooutput.Output) *digest.Probe {
	if len(output.Groups) != 1 {
		return nil
	}
	g := &output.Groups[0]
	count, rate, bytes, latency := int64(0), 0.0, 0.0, 0.0
	for _, d := range g.Directions() {
		count += d.IOs
		rate += d.IOPS
		bytes += d.BytesPerSecond
		if d.Latency != nil {
			latency += d.IOPS * d.Latency.MeanNanoseconds
		}
	}
	if count == 0 || rate <= 0 {
		return nil
	}
	const most = math.MaxInt64 / 2
	p := &digest.Probe{CPUPercent: round(g.UserCPUPercent + g.SystemCPUPercent), Figures: digest.Figures{Figures: v1alpha1.Figures{
		Name: v1alpha1.OperationTotal, Count: count, MilliIOPS: round(min(rate*1000, most)), BytesPerSecond: round(min(bytes, most)),
	}}}
	if latency > 0 {
		p.Figures.SetLatency(count, round(min(latency/rate, most)), 0)
	}
	return p
}

func round(f float64) int64 { return int64(math.Round(f)) }
