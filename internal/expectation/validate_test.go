package expectation

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

func TestValidate(t *testing.T) {
	measured := Measured{"log": {"write": true, "sync": true}, "data": {"read": true, "write": true}}
	for expect, want := range map[string]string{
		"{workload: log, metric: sync.p99, max: 10ms}":                 "",
		"{metric: read.p99, max: 1.5s}":                                "",
		"{metric: total.iops, min: 2700}":                              "",
		"{metric: write.bandwidth, min: 125Mi}":                        "",
		`{metric: write.iops, target: efs, minRatioToBaseline: "0.8"}`: "",
		"{metric: metadata.bandwidth, min: 1}":                         `metric "metadata.bandwidth" is not known`,
		"{workload: log, metric: metadata.p99, max: 1ms}":              "no job of workload log creates, looks up or deletes files",
		"{metric: sync.p98, max: 10ms}":                                `expectations[0]: Invalid value: metric "sync.p98" is not known: use one such as sync.p99`,
		"{metric: sync.iops, min: 10}":                                 `metric "sync.iops" is not known`,
		"{metric: sync.p99}":                                           "set exactly one of max, min, maxRatioToBaseline and minRatioToBaseline",
		`{metric: sync.p99, max: 10ms, maxRatioToBaseline: "2"}`:       "set exactly one of max, min",
		"{metric: write.iops, max: 10ms}":                              "max and maxRatioToBaseline are for latencies: of write.iops set min or minRatioToBaseline",
		"{metric: write.p99, min: 10}":                                 "min and minRatioToBaseline are for iops and bandwidth: of write.p99 set max or maxRatioToBaseline",
		`{metric: write.p99, max: "10"}`:                               `max "10" is no latency: give one with its unit, ns, us, ms or s, such as 10ms`,
		"{metric: write.p99, max: 1h}":                                 `max "1h" is no latency`,
		"{metric: write.p99, max: 99999999999s}":                       `max "99999999999s" is no latency`,
		"{metric: write.iops, min: 125Mi}":                             `min "125Mi" is no number of I/Os per second: give a whole number such as 2700`,
		"{metric: write.iops, min: -1}":                                `min "-1" is no number of I/Os per second`,
		"{metric: write.bandwidth, min: 125MB}":                        `min "125MB" is no bandwidth: give bytes per second such as 125Mi`,
		`{metric: write.p99, maxRatioToBaseline: "fast"}`:              `ratio "fast" is no number above 0, such as 1.2`,
		`{metric: write.p99, maxRatioToBaseline: "0"}`:                 `ratio "0" is no number above 0`,
		"{target: gp4, metric: write.p99, max: 1ms}":                   `expectations[0].target: Unsupported value: "gp4": supported values: "gp3", "efs"`,
		"{workload: lug, metric: write.p99, max: 1ms}":                 `expectations[0].workload: Unsupported value: "lug": supported values: "log", "data"`,
		`{target: gp3, metric: write.p99, maxRatioToBaseline: "1.2"}`:  `expectations[0].target: Invalid value: "gp3": the baseline has no ratio to itself: name another target, or set max or min`,
		"{workload: log, metric: read.p99, max: 1ms}":                  `expectations[0].metric: Invalid value: "read.p99": no job of workload log reads: choose another metric or workload`,
		"{workload: data, metric: sync.p99, max: 1ms}":                 "no job of workload data calls fsync or fdatasync after its writes: choose another metric or workload",
		"{metric: trim.p99, max: 1ms}":                                 `no workload trims: choose another metric`,
	} {
		t.Run(expect, func(t *testing.T) {
			spec := specOf(t, twoTargets+"expectations: ["+expect+"]")
			problems := Validate(field.NewPath("expectations"), spec, measured)
			switch {
			case want == "" && len(problems) > 0:
				t.Errorf("it is refused: %v", problems)
			case want != "" && (len(problems) != 1 || !strings.Contains(problems[0].Error(), want)):
				t.Errorf("it is refused with %v, want %s", problems, want)
			}
		})
	}
}

func TestRatioNeedsASecondTarget(t *testing.T) {
	spec := specOf(t, "targets: [{name: gp3}]\nworkloads: [{name: log}]\n"+`expectations: [{metric: write.p99, maxRatioToBaseline: "1.2"}]`)
	problems := Validate(field.NewPath("expectations"), spec, Measured{"log": {"write": true}})
	if len(problems) != 1 || !strings.Contains(problems[0].Error(), "a ratio to the baseline needs a second target: add it, or set max or min") {
		t.Errorf("it is refused with %v", problems)
	}
}

// A workload of metadata has its own metrics, and no total, which is of data.
func TestValidateMetadata(t *testing.T) {
	for expect, want := range map[string]string{
		"{workload: files, metric: metadata.iops, min: 1000}": "",
		"{metric: metadata.p99, max: 10ms}":                   "",
		"{metric: total.iops, min: 1}":                        "no workload moves data: choose another metric",
		"{workload: files, metric: read.p99, max: 1ms}":       "no job of workload files reads",
	} {
		spec := specOf(t, "targets: [{name: gp3}]\nworkloads: [{name: files}]\nexpectations: ["+expect+"]")
		problems := Validate(field.NewPath("expectations"), spec, Measured{"files": {"metadata": true}})
		if (want == "") != (len(problems) == 0) || (want != "" && !strings.Contains(problems[0].Error(), want)) {
			t.Errorf("%s is refused with %v, want %q", expect, problems, want)
		}
	}
}
