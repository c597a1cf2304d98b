package aws

import (
	"slices"
	"strings"
	"testing"
)

func TestLookupInstance(t *testing.T) {
	const mbit = 125_000
	tests := []struct {
		instanceType string
		want         Instance
	}{
		// E1: up to 12.5 Gbit/s of network.
		{"m6i.large", Instance{650 * mbit, 10_000 * mbit, 3600, 40_000, 781 * mbit, 12_500 * mbit, true, false}},
		// E5: 12.5 Gbit/s.
		{"m6i.8xlarge", Instance{10_000 * mbit, 10_000 * mbit, 40_000, 40_000, 12_500 * mbit, 12_500 * mbit, true, false}},
		// E2.
		{"r5.large", Instance{650 * mbit, 4750 * mbit, 3600, 18_750, 750 * mbit, 10_000 * mbit, true, false}},
		// Not EBS-optimized.
		{"t2.micro", Instance{0, 0, 0, 0, 64 * mbit, 1024 * mbit, false, false}},
		// Its bandwidth can be weighted.
		{"m8g.large", Instance{630 * mbit, 10_000 * mbit, 3600, 40_000, 937 * mbit, 12_500 * mbit, true, true}},
		// One of 32 network cards.
		{"p5.48xlarge", Instance{80_000 * mbit, 80_000 * mbit, 260_000, 260_000, 100_000 * mbit, 100_000 * mbit, true, false}},
	}
	for _, test := range tests {
		t.Run(test.instanceType, func(t *testing.T) {
			got, known := LookupInstance(test.instanceType)
			if !known || got != test.want {
				t.Errorf("got %+v (known: %t), want %+v", got, known, test.want)
			}
		})
	}
	if _, known := LookupInstance("m6i.tiny"); known {
		t.Error("m6i.tiny is known")
	}
}

func TestInstancesAreWhole(t *testing.T) {
	if rows := len(instances()); rows < 1000 {
		t.Errorf("got %d instance types, want those of AWS", rows)
	}
	if len(instancesCSV) > 100_000 {
		t.Errorf("the table has %d bytes, which all binaries carry", len(instancesCSV))
	}
	for name, i := range instances() {
		for _, pair := range [][2]int64{
			{i.EBSBaselineBytesPerSecond, i.EBSMaximumBytesPerSecond},
			{i.EBSBaselineIOPS, i.EBSMaximumIOPS},
			{i.NetworkBaselineBytesPerSecond, i.NetworkPeakBytesPerSecond},
		} {
			if pair[0] < 0 || pair[0] > pair[1] || pair[0] == 0 && pair[1] > 0 {
				t.Errorf("%s: %d is not a baseline of %d", name, pair[0], pair[1])
			}
		}
		if i.NetworkPeakBytesPerSecond == 0 {
			t.Errorf("%s has no network", name)
		}
	}
}

// Sorted, so that what changes from release to release can be read.
func TestInstancesAreSortedAndUnique(t *testing.T) {
	var names []string
	for line := range strings.Lines(instancesCSV) {
		if !strings.HasPrefix(line, "#") {
			name, _, _ := strings.Cut(line, ",")
			names = append(names, name)
		}
	}
	if !slices.IsSorted(names) {
		t.Error("not sorted")
	}
	if unique := len(slices.Compact(slices.Clone(names))); unique != len(names) || unique != len(instances()) {
		t.Errorf("%d lines, %d names, %d parsed", len(names), unique, len(instances()))
	}
}

func TestInstancesSource(t *testing.T) {
	if got := InstancesSource(); !strings.Contains(got, "DescribeInstanceTypes") || !strings.Contains(got, " of 20") {
		t.Errorf("got source %q, want what it is from and its date", got)
	}
}

func TestParseInstancesErrors(t *testing.T) {
	for _, table := range []string{"m6i.large,1,2,3,4,5\n", "m6i.large,1,2,3,4,5,six\n", "m6i.large,\"1\n"} {
		if _, err := parseInstances(table); err == nil || !strings.Contains(err.Error(), "generate.sh") {
			t.Errorf("%q: got error %v, want one with a remedy", table, err)
		}
	}
}

// Bandwidth that is weighted for one side is a quarter of its baseline less for the other.
func TestWeighting(t *testing.T) {
	const mbit = 125_000
	weighted, _ := LookupInstance("m8g.large")
	if got, want := weighted.OtherEBS(), int64(10_000*mbit-937*mbit/4); got != want {
		t.Errorf("EBS has %d, want %d", got, want)
	}
	if got, want := weighted.OtherNetwork(), int64(12_500*mbit-630*mbit/4); got != want {
		t.Errorf("the network has %d, want %d", got, want)
	}
	if fixed, _ := LookupInstance("m6i.large"); fixed.OtherEBS() != 0 || fixed.OtherNetwork() != 0 {
		t.Error("an m6i.large cannot be weighted")
	}
}

// Instances that are not built on Nitro give a volume with provisioned IOPS 32,000.
func TestXenVolumeLimits(t *testing.T) {
	for _, test := range []struct {
		instance, volume string
		want             int64
	}{
		{"i3.16xlarge", "io2", 32_000}, {"i3.16xlarge", "io1", 32_000}, {"i3.16xlarge", "gp3", 0}, {"m6i.large", "io2", 0}, {"m5.metal", "io2", 0},
	} {
		instance, known := LookupInstance(test.instance)
		if got := instance.VolumeLimits(test.instance, test.volume); !known || got.IOPS != test.want || len(got.Source) > 192 {
			t.Errorf("%s on %s: %+v, want %d IOPS", test.volume, test.instance, got, test.want)
		}
	}
}
