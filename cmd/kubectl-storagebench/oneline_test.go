package main

import "testing"

func TestTargetName(t *testing.T) {
	for name, want := range map[string]string{
		"gp3": "gp3", "efs.csi": "efs-csi", "a_b": "a-b", "a-very-long-storage-class-name-.-end": "a-very-long-storage-class-name",
	} {
		if got := targetName(name); got != want {
			t.Errorf("targetName(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestSeconds(t *testing.T) {
	for text, want := range map[string]int32{"30": 30, "30s": 30, "2m": 120, "1h": 3600, "1500ms": 2, "0": 0} {
		if got, err := seconds(text); err != nil || got != want {
			t.Errorf("seconds(%q) = %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "soon", "-1", "-1s", "9999999h"} {
		if got, err := seconds(text); err == nil {
			t.Errorf("seconds(%q) = %d, want an error", text, got)
		}
	}
}
