package fiooutput

import "testing"

func TestRateOfLine(t *testing.T) {
	for line, want := range map[string]int64{
		"Jobs: 2 (f=2): [w(2)][75.0%][w=242MiB/s][w=61.9k IOPS][eta 00m:01s]":                      61_900,
		"Jobs: 1 (f=1): [m(1)][50.0%][r=100KiB/s,w=0KiB/s][r=25,w=1 IOPS][eta 00m:01s]":            26,
		"Jobs: 1 (f=1): [r(1)][3.3%][r=0KiB/s][r=0 IOPS][eta 00m:58s]":                             0,
		"Jobs: 4 (f=4): [m(4)][9.0%][r=1GiB/s,w=1GiB/s,t=8KiB/s][r=1.2M,w=1000k,t=2 IOPS][eta 9s]": 2_200_002,
		"Jobs: 1 (f=1): [r(1)][3.3%][r=8EiB/s][r=99999999999999999999T IOPS][eta 00m:58s]":         1_000_000_000_000_000,
	} {
		if got, ok := RateOfLine(line); !ok || got != want {
			t.Errorf("%s: %d, %v; want %d", line, got, ok, want)
		}
	}
	for _, line := range []string{
		"", "Jobs: 1 (f=0): [F(1)][100.0%][eta 00m:00s]", "randwrite: Laying out IO file (1 file / 1024MiB)",
		"[w= IOPS]", "[w=1.2.3 IOPS]", "[w=-5 IOPS]", "[w=1e5 IOPS]", "[w=NaN IOPS]",
	} {
		if got, ok := RateOfLine(line); ok {
			t.Errorf("%q has a rate of %d", line, got)
		}
	}
}
