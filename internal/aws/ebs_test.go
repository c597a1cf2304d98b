package aws

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestVolumeProblems(t *testing.T) {
	tests := []struct {
		name   string
		volume Volume
		// "field=value: part of the message" of each problem.
		want []string
	}{
		{"defaults are gp3", Volume{}, nil},
		{"E1", Volume{Type: "gp3", GiB: 30, IOPS: new(int64(3000)), Throughput: new(int64(125))}, nil},
		{"E2 gp3", Volume{Type: "gp3", GiB: 100, Throughput: new(int64(128))}, nil},
		{"E2 gp2", Volume{Type: "gp2", GiB: 100}, nil},
		{"E3 standard", Volume{Type: "standard", GiB: 100}, nil},
		{"unknown type", Volume{Type: "gp4", GiB: 1}, []string{"type=gp4: use one of gp3, gp2, io2, io1, st1, sc1, standard"}},
		{"types are lower case", Volume{Type: "GP3"}, []string{"type=GP3: use one of"}},

		{"gp3 smallest", Volume{Type: "gp3", GiB: 1, IOPS: new(int64(3000))}, nil},
		{"gp3 largest", Volume{Type: "gp3", GiB: 65536, IOPS: new(int64(80000)), Throughput: new(int64(2000))}, nil},
		{"gp3 too large", Volume{Type: "gp3", GiB: 65537}, []string{"capacity=65537: gp3 volumes have 1 to 65536 GiB; request at most 65536Gi"}},
		{"negative capacity", Volume{Type: "gp3", GiB: -1}, []string{"capacity=-1: request at least 1Gi"}},
		{"gp2 too large", Volume{Type: "gp2", GiB: 16385}, []string{"capacity=16385: 1 to 16384 GiB"}},
		{"io1 too small", Volume{Type: "io1", GiB: 3, IOPS: new(int64(100))}, []string{"capacity=3: 4 to 16384 GiB; request at least 4Gi"}},
		{"io2 largest", Volume{Type: "io2", GiB: 65536, IOPS: new(int64(256000))}, nil},
		{"st1 smallest", Volume{Type: "st1", GiB: 125}, nil},
		{"st1 too small", Volume{Type: "st1", GiB: 124}, []string{"capacity=124: st1 volumes have 125 to 16384 GiB; request at least 125Gi, or use another type"}},
		{"sc1 too small", Volume{Type: "sc1", GiB: 30}, []string{"capacity=30: request at least 125Gi"}},
		{"standard too large", Volume{Type: "standard", GiB: 1025}, []string{"capacity=1025: 1 to 1024 GiB"}},

		{"gp3 too few iops", Volume{IOPS: new(int64(2999))}, []string{"iops=2999: gp3 takes 3000 to 80000 IOPS; set iops within"}},
		{"gp3 too many iops", Volume{IOPS: new(int64(80001))}, []string{"iops=80001: gp3 takes 3000 to 80000"}},
		{"zero is not unset", Volume{IOPS: new(int64(0))}, []string{"iops=0: gp3 takes 3000"}},
		{"gp3 500 a GiB", Volume{GiB: 10, IOPS: new(int64(5000))}, nil},
		{"gp3 over 500 a GiB", Volume{GiB: 10, IOPS: new(int64(5001))}, []string{"iops=5001: at most 500 IOPS per GiB, so 5000 for 10 GiB; set iops to 5000, or request 11Gi"}},
		{"gp3 baseline at any size", Volume{GiB: 4, IOPS: new(int64(3001))}, []string{"iops=3001: so 3000 for 4 GiB; set iops to 3000, or request 7Gi"}},
		{"io1 50 a GiB", Volume{Type: "io1", GiB: 100, IOPS: new(int64(5000))}, nil},
		{"io1 over 50 a GiB", Volume{Type: "io1", GiB: 100, IOPS: new(int64(5001))}, []string{"iops=5001: request 101Gi"}},
		{"io1 too many", Volume{Type: "io1", GiB: 4000, IOPS: new(int64(64001))}, []string{"iops=64001: 100 to 64000 IOPS"}},
		{"io2 1000 a GiB", Volume{Type: "io2", GiB: 4, IOPS: new(int64(4000))}, nil},
		{"io2 over 1000 a GiB", Volume{Type: "io2", GiB: 4, IOPS: new(int64(4001))}, []string{"iops=4001: request 5Gi"}},
		{"io2 too few", Volume{Type: "io2", GiB: 4, IOPS: new(int64(99))}, []string{"iops=99: io2 takes 100 to 256000"}},
		{"io1 needs iops", Volume{Type: "io1", GiB: 4}, []string{"iops=: set iops (100 to 200) or iopsPerGB"}},
		{"io2 needs iops", Volume{Type: "io2"}, []string{"iops=: set iops (100 to 256000) or iopsPerGB"}},
		{"gp2 has no iops", Volume{Type: "gp2", IOPS: new(int64(3000))}, []string{"iops=3000: its IOPS follow from the size (3 per GiB); remove it, or use gp3"}},
		{"st1 has no iops", Volume{Type: "st1", IOPS: new(int64(500))}, []string{"iops=500: remove it, or use gp3"}},

		{"iopsPerGB", Volume{Type: "io1", GiB: 4, IOPSPerGiB: new(int64(25))}, nil},
		{"iopsPerGB is lowered by the driver", Volume{Type: "io1", GiB: 100, IOPSPerGiB: new(int64(100))}, nil},
		{"iopsPerGB of any size", Volume{Type: "io1", IOPSPerGiB: new(int64(1))}, nil},
		{"iopsPerGB too low", Volume{Type: "io1", GiB: 4, IOPSPerGiB: new(int64(24))}, []string{"iopsPerGB=24: at least 100 IOPS, and 24 per GiB are 96 for 4 GiB; set iopsPerGB to 25, or request 5Gi"}},
		{"iopsPerGB too low for gp3", Volume{GiB: 100, IOPSPerGiB: new(int64(29))}, []string{"iopsPerGB=29: set iopsPerGB to 30, or request 104Gi"}},
		{"iopsPerGB that the driver does not lower", Volume{GiB: 4, IOPSPerGiB: new(int64(751))}, []string{"iopsPerGB=751: no more than 3000 IOPS for 4 GiB, and 751 per GiB are 3004; set iops to 3000 instead, or request 6Gi"}},
		{"iopsPerGB beyond 32 bits", Volume{GiB: 65536, IOPSPerGiB: new(int64(40_000))}, []string{"iopsPerGB=40000: cannot compute 40000 IOPS per GiB for 65536 GiB, which are more than 32 bits hold; gp3 takes at most 500 per GiB"}},
		{"iopsPerGB within 32 bits", Volume{GiB: 65536, IOPSPerGiB: new(int64(32_767))}, nil},
		{"iopsPerGB of nothing", Volume{IOPSPerGiB: new(int64(0))}, []string{"iopsPerGB=0: at least 1"}},
		{"iops and iopsPerGB", Volume{IOPS: new(int64(3000)), IOPSPerGiB: new(int64(500))}, []string{"iopsPerGB=500: iops or iopsPerGB, not both"}},
		{"gp2 has no iopsPerGB", Volume{Type: "gp2", IOPSPerGiB: new(int64(3))}, []string{"iopsPerGB=3: cannot be set on gp2"}},

		{"gp3 too slow", Volume{Throughput: new(int64(124))}, []string{"throughput=124: gp3 takes 125 to 2000 MiB/s"}},
		{"gp3 too fast", Volume{IOPS: new(int64(80000)), Throughput: new(int64(2001))}, []string{"throughput=2001: 125 to 2000"}},
		{"gp3 0.25 MiB/s an IOPS", Volume{Throughput: new(int64(750))}, nil},
		{"gp3 over 0.25 MiB/s an IOPS", Volume{Throughput: new(int64(751))}, []string{"throughput=751: 0.25 MiB/s per IOPS, so 750 MiB/s with 3000 IOPS; raise iops to 3004, or lower throughput"}},
		{"gp3 fastest", Volume{IOPS: new(int64(8000)), Throughput: new(int64(2000))}, nil},
		{"gp3 throughput by iopsPerGB", Volume{GiB: 16, IOPSPerGiB: new(int64(500)), Throughput: new(int64(2000))}, nil},
		{"gp3 throughput over iopsPerGB", Volume{GiB: 15, IOPSPerGiB: new(int64(500)), Throughput: new(int64(2000))}, []string{"throughput=2000: 1875 MiB/s with 7500 IOPS"}},
		{"gp3 throughput by iopsPerGB of any size", Volume{IOPSPerGiB: new(int64(500)), Throughput: new(int64(2000))}, nil},
		{"gp2 has no throughput", Volume{Type: "gp2", Throughput: new(int64(250))}, []string{"throughput=250: 128 MiB/s up to 170 GiB, else 250"}},
		{"io2 has no throughput", Volume{Type: "io2", IOPS: new(int64(100)), Throughput: new(int64(250))}, []string{"throughput=250: cannot be set on io2: it follows from the IOPS"}},
		{"all problems", Volume{Type: "sc1", GiB: 1, IOPS: new(int64(1)), Throughput: new(int64(1))}, []string{"capacity=1: ", "iops=1: ", "throughput=1: "}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			expectProblems(t, test.volume.Problems(), test.want)
		})
	}
}

func expectProblems(t *testing.T, got []Problem, want []string) {
	t.Helper()
	matches := len(got) == len(want)
	for i := 0; matches && i < len(got); i++ {
		field, message, _ := strings.Cut(want[i], ": ")
		matches = field == got[i].Field+"="+got[i].Value && strings.Contains(got[i].Message, message)
	}
	if !matches {
		t.Errorf("got problems %q, want %q", got, want)
	}
}

func TestVolumeLimits(t *testing.T) {
	tests := []struct {
		volume Volume
		// Figures as "IOPS, MiB/s; without credits: IOPS, MiB/s (0: unchanged)" and part of the source.
		want, source string
	}{
		{Volume{Type: "gp3", GiB: 30, IOPS: new(int64(3000)), Throughput: new(int64(125))}, "3000, 125", "AWS: gp3 volume with 3000 IOPS and 125 MiB/s provisioned"},
		{Volume{}, "3000, 125", "3000 IOPS and 125 MiB/s"},
		{Volume{GiB: 100, IOPSPerGiB: new(int64(50)), Throughput: new(int64(128))}, "5000, 128", "5000 IOPS and"},
		{Volume{GiB: 10, IOPSPerGiB: new(int64(1000))}, "5000, 125", "5000 IOPS (the most for its size)"},
		{Volume{GiB: 1000, IOPSPerGiB: new(int64(500))}, "80000, 125", "(the most for its size)"},

		// As the driver has it.
		{Volume{GiB: 1000, IOPS: new(int64(90_000))}, "80000, 125", "(the most for its size)"},
		{Volume{GiB: 6, IOPS: new(int64(5000))}, "3000, 125", "(the most for its size)"},
		{Volume{GiB: 5, IOPS: new(int64(5000))}, "0, 125", "gp3 volume with 125 MiB/s"},
		{Volume{GiB: 5, IOPSPerGiB: new(int64(1000))}, "0, 125", ""},
		{Volume{GiB: 65536, IOPSPerGiB: new(int64(40_000))}, "0, 125", ""},
		{Volume{GiB: 10, IOPSPerGiB: new(int64(50))}, "0, 125", ""},
		{Volume{GiB: 10, IOPSPerGiB: new(int64(50)), AllowIncrease: true}, "3000, 125", "3000 IOPS (the least of its type)"},
		{Volume{GiB: 5, IOPS: new(int64(100)), AllowIncrease: true}, "3000, 125", "(the least of its type)"},
		{Volume{Type: "io1", GiB: 10, IOPSPerGiB: new(int64(5)), AllowIncrease: true}, "100, 25", "(the least of its type)"},
		{Volume{Type: "io2", GiB: 10, IOPS: new(int64(5))}, "0, 0", "not known"},
		{Volume{GiB: 100, IOPS: new(int64(0)), IOPSPerGiB: new(int64(50))}, "5000, 125", ""},

		{Volume{IOPSPerGiB: new(int64(500))}, "0, 125", "gp3 volume with 125 MiB/s"},
		{Volume{Type: "io1", IOPSPerGiB: new(int64(50))}, "0, 0", "not known"},
		{Volume{Type: "io2", GiB: 100}, "0, 0", "not known"},

		{Volume{Type: "gp2", GiB: 1}, "3000, 128; 100, 25", "bursts to 3000 IOPS with credits and has 100 without"},
		{Volume{Type: "gp2", GiB: 33}, "3000, 128; 100, 25", ""},
		{Volume{Type: "gp2", GiB: 34}, "3000, 128; 102, 25.5", ""},
		{Volume{Type: "gp2", GiB: 100}, "3000, 128; 300, 75", ""},
		{Volume{Type: "gp2", GiB: 170}, "3000, 128; 510, 127.5", ""},
		{Volume{Type: "gp2", GiB: 171}, "3000, 250; 513, 128.2", ""},
		{Volume{Type: "gp2", GiB: 333}, "3000, 250; 999, 249.8", ""},
		{Volume{Type: "gp2", GiB: 334}, "3000, 250; 1002, 0", ""},
		{Volume{Type: "gp2", GiB: 999}, "3000, 250; 2997, 0", ""},
		{Volume{Type: "gp2", GiB: 1000}, "3000, 250", "needs no credits"},
		{Volume{Type: "gp2", GiB: 5333}, "15999, 250", ""},
		{Volume{Type: "gp2", GiB: 5334}, "16000, 250", ""},
		{Volume{Type: "gp2"}, "0, 0", "size that is not known"},

		{Volume{Type: "io1", GiB: 100, IOPS: new(int64(100))}, "100, 25", "io1 volume with 100 IOPS provisioned, from which 25 MiB/s follow"},
		{Volume{Type: "io1", GiB: 100, IOPS: new(int64(2000))}, "2000, 500", ""},
		{Volume{Type: "io1", GiB: 640, IOPS: new(int64(32000))}, "32000, 500", ""},
		{Volume{Type: "io1", GiB: 960, IOPS: new(int64(48000))}, "48000, 750", ""},
		{Volume{Type: "io1", GiB: 1280, IOPS: new(int64(64000))}, "64000, 1000", ""},
		{Volume{Type: "io1", GiB: 100, IOPSPerGiB: new(int64(100))}, "5000, 500", "(the most for its size)"},
		{Volume{Type: "io2", GiB: 4, IOPS: new(int64(1000))}, "1000, 256", ""},
		{Volume{Type: "io2", GiB: 16, IOPS: new(int64(15625))}, "15625, 4000", ""},
		{Volume{Type: "io2", GiB: 256, IOPS: new(int64(256000))}, "256000, 4000", ""},

		{Volume{Type: "st1", GiB: 128}, "31, 31.2; 5, 5", "bursts to 31.3 MiB/s with credits and has 5 without"},
		{Volume{Type: "st1", GiB: 1024}, "250, 250; 40, 40", ""},
		{Volume{Type: "st1", GiB: 2048}, "500, 500; 80, 80", ""},
		{Volume{Type: "st1", GiB: 12799}, "500, 500; 500, 500.0", ""},
		{Volume{Type: "st1", GiB: 12800}, "500, 500", "has 500 MiB/s"},
		{Volume{Type: "sc1", GiB: 128}, "10, 10; 2, 1.5", ""},
		{Volume{Type: "sc1", GiB: 1024}, "80, 80; 12, 12", ""},
		{Volume{Type: "sc1", GiB: 3200}, "250, 250; 38, 37.5", ""},
		{Volume{Type: "sc1", GiB: 16384}, "250, 250; 192, 192", ""},
		{Volume{Type: "sc1"}, "0, 0", "size that is not known"},
		{Volume{Type: "standard", GiB: 100}, "200, 90", "about 100 IOPS"},
		{Volume{Type: "unknown"}, "0, 0", ""},
	}
	for _, test := range tests {
		t.Run(fmt.Sprintf("%s %d GiB %s", test.volume.Type, test.volume.GiB, test.want), func(t *testing.T) {
			limits := test.volume.Limits()
			got := fmt.Sprintf("%d, %s", limits.IOPS, mibs(limits.BytesPerSecond))
			if limits.Burst != nil {
				got += fmt.Sprintf("; %d, %s", limits.Burst.BaselineIOPS, mibs(limits.Burst.BaselineBytesPerSecond))
			}
			if got != test.want {
				t.Errorf("got limits %s, want %s", got, test.want)
			}
			if !strings.Contains(limits.Source, test.source) || len(limits.Source) > 256 {
				t.Errorf("got source %q, want %q in it and at most 256 characters", limits.Source, test.source)
			}
		})
	}
}

// What only a driver that was not let ask for the region's most would leave is known of gp3 alone.
func TestLoweredIOPS(t *testing.T) {
	for _, test := range []struct {
		volume Volume
		want   int64
	}{
		{Volume{GiB: 100, IOPS: new(int64(16_000))}, 0},
		{Volume{GiB: 100, IOPS: new(int64(16_001))}, 16_000},
		{Volume{GiB: 100, IOPSPerGiB: new(int64(500))}, 16_000},
		{Volume{GiB: 31, IOPS: new(int64(20_000))}, 0}, // 15,500 for its size
		{Volume{Type: "io2", GiB: 100, IOPS: new(int64(64_000))}, 0},
		{Volume{Type: "gp2", GiB: 16_384}, 0},
	} {
		if got := test.volume.Limits().LoweredIOPS; got != test.want {
			t.Errorf("%+v: %d, want %d", test.volume, got, test.want)
		}
	}
}

// mibs is a number of bytes in MiB, with at most one digit behind the point.
func mibs(bytes int64) string {
	if bytes%mib == 0 {
		return fmt.Sprint(bytes / mib)
	}
	return fmt.Sprintf("%.1f", float64(bytes)/mib)
}

func TestHDDAndStandardLimitsAreMarked(t *testing.T) {
	for _, name := range []string{"gp3", "gp2", "st1", "sc1", "standard"} {
		limits := Volume{Type: name, GiB: 500}.Limits()
		if hdd := !strings.HasPrefix(name, "gp"); limits.RandomIOPS != hdd {
			t.Errorf("%s: RandomIOPS is %t", name, limits.RandomIOPS)
		}
		if limits.Approximate != (name == "standard") {
			t.Errorf("%s: Approximate is %t", name, limits.Approximate)
		}
	}
}

func TestIOUnits(t *testing.T) {
	tests := []struct {
		name       string
		volume     string
		ios, bytes int64
		sequential bool
		units      float64
		credits    float64
	}{
		{"small", "gp2", 1000, 1000 * 16 * kib, false, 1000, 1000},
		{"small and sequential on an SSD", "gp2", 1000, 1000 * 16 * kib, true, 1000, 1000},
		{"full", "gp2", 1000, 1000 * 256 * kib, false, 1000, 1000},
		{"larger", "gp2", 1000, 1000 * mib, false, 4000, 4000},
		{"larger on gp3", "gp3", 10, 10 * mib, false, 40, 40},
		{"larger on io2", "io2", 10, 10 * mib, false, 40, 40},
		{"small and random on an HDD", "st1", 64, mib, false, 64, 64 * mib},
		{"small and sequential on an HDD", "st1", 64, mib, true, 1, mib},
		{"larger on an HDD", "sc1", 10, 40 * mib, false, 40, 40 * mib},
		{"none", "sc1", 0, 0, false, 0, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			volume, known := LookupVolumeType(test.volume)
			if !known {
				t.Fatalf("no type %s", test.volume)
			}
			if got := volume.IOUnits(test.ios, test.bytes, test.sequential); got != test.units {
				t.Errorf("got %v I/Os, want %v", got, test.units)
			}
			if got := volume.CreditUnits(test.ios, test.bytes, test.sequential); got != test.credits {
				t.Errorf("got %v credits, want %v", got, test.credits)
			}
		})
	}
}

func TestVolumeTypesAreWhole(t *testing.T) {
	names := make([]string, 0, len(VolumeTypes()))
	for _, volume := range VolumeTypes() {
		names = append(names, volume.Name)
		if volume.MinGiB < 1 || volume.MinGiB > volume.MaxGiB || volume.IOBytes == 0 || volume.limits == nil {
			t.Errorf("%s: incomplete: %+v", volume.Name, volume)
		}
		if !strings.HasPrefix(volume.Source, "https://docs.aws.amazon.com/") || !strings.Contains(volume.Source, "read 20") {
			t.Errorf("%s: source %q names no documentation and when it was read", volume.Name, volume.Source)
		}
	}
	slices.Sort(names)
	if len(slices.Compact(names)) != 7 {
		t.Errorf("got types %q, want 7 of them", names)
	}
}
