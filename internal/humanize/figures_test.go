package humanize

import (
	"fmt"
	"math"
	"testing"
)

func TestPlural(t *testing.T) {
	for n, want := range map[int]string{0: "0 runs", 1: "1 run", 2: "2 runs", 1200: "1200 runs"} {
		if got := Plural(n, "run"); got != want {
			t.Errorf("Plural(%d) is %q, want %q", n, got, want)
		}
	}
}

func TestFew(t *testing.T) {
	names := []string{"a", "b", "c", "d"}
	for _, test := range []struct {
		names []string
		most  int
		want  string
	}{
		{nil, 2, ""},
		{names[:1], 2, "a"},
		{names[:2], 2, "a, b"},
		{names[:3], 2, "a, b and 1 more"},
		{names, 2, "a, b and 2 more"},
		{names, 1, "a and 3 more"},
	} {
		if got := Few(test.names, test.most); got != test.want {
			t.Errorf("Few(%q, %d) is %q, want %q", test.names, test.most, got, test.want)
		}
	}
}

// TestNumbers: where the two differ is at zeros behind, and at what is less than a hundredth.
func TestNumbers(t *testing.T) {
	for _, test := range []struct {
		f                float64
		sentence, column string
	}{
		{0, "0", "0.00"},
		{0.00390625, "0.00391", "0.00"},
		{0.5, "0.5", "0.50"},
		{5, "5", "5.00"},
		{7.8125, "7.81", "7.81"},
		{9.994, "9.99", "9.99"},
		{9.996, "10", "10.0"},
		{47.64, "47.6", "47.6"},
		{99.94, "99.9", "99.9"},
		{99.96, "100", "100"},
		{124.19, "124", "124"},
		{2000, "2000", "2000"},
		{math.MaxInt64, "9223372036854775808", "9223372036854775808"},
	} {
		t.Run(fmt.Sprint(test.f), func(t *testing.T) {
			if got := Significant(test.f); got != test.sentence {
				t.Errorf("Significant is %q, want %q", got, test.sentence)
			}
			if got := ThreeDigits(test.f); got != test.column {
				t.Errorf("ThreeDigits is %q, want %q", got, test.column)
			}
		})
	}
}

func TestRateFall(t *testing.T) {
	for second, want := range map[int32]string{0: "3000 IOPS at first, then slowly down to 1800", 12: "3000 IOPS until second 12, then 1800"} {
		if got := RateFall(3_000_000, second, 1_800_000); got != want {
			t.Errorf("at second %d: got %q, want %q", second, got, want)
		}
	}
}
