package main

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/storagebench/storagebench/test/await"
)

// operator is the real program, in a process of its own.
type operator struct {
	*process
	metrics string // address of its metrics
}

// memoryLimit is what the chart tells the operator of its memory limit.
var memoryLimit = "GOMEMLIMIT=" + strconv.Itoa(mostMemory)

// startOperator starts the operator, and waits until it serves.
func startOperator(ctx context.Context, c *controlPlane, path string) (*operator, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	address := "127.0.0.1:" + strconv.Itoa(port)
	environment := []string{"KUBECONFIG=" + c.users[userOperator], memoryLimit}
	p, err := startProcess(c.directory, "manager", path, environment, c.fail,
		"--runner-image=runner", "--health-probe-bind-address=0", "--metrics-bind-address="+address)
	if err != nil {
		return nil, err
	}
	o := &operator{process: p, metrics: "http://" + address + "/metrics"}
	wait := await.Wait{For: "the operator to serve", Patience: startPatience, Interval: lookInterval}
	return o, wait.Until(ctx, func(ctx context.Context) error {
		_, err := o.passes(ctx)
		return err
	})
}

// passes returns how many passes over benchmarks the operator has made.
func (o *operator) passes(ctx context.Context) (int, error) {
	families, err := o.families(ctx)
	if err != nil {
		return 0, err
	}
	return int(sum(families["controller_runtime_reconcile_total"], (*dto.Metric).GetCounter)), nil
}

// sum adds up counters, or gauges, of a family.
func sum[V interface{ GetValue() float64 }](family *dto.MetricFamily, value func(*dto.Metric) V) float64 {
	total := 0.0
	for _, metric := range family.GetMetric() {
		total += value(metric).GetValue()
	}
	return total
}

// families returns the operator's metrics.
func (o *operator) families(ctx context.Context) (map[string]*dto.MetricFamily, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, o.metrics, http.NoBody)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("metrics of the operator: %s", response.Status)
	}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(response.Body)
	if err != nil {
		return nil, fmt.Errorf("metrics of the operator: %w", err)
	}
	return families, nil
}
