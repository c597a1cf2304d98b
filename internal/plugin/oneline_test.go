package plugin

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
