package fio

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// Options that fill a volume are refused under each of their names, in each section, with the value and a remedy.
func TestFillingOthersSpace(t *testing.T) {
	for text, want := range map[string]string{
		"[a]\nrw=write\nsize=1M\nfill_device=0\n":             "",
		"[a]\nrw=write\nsize=1M\n":                            "",
		"[a]\nrw=write\nfill_device=1\n":                      "fill_device=1",
		"[a]\nrw=write\nfill_fs=1\n":                          "fill_fs=1",
		"[a]\nrw=write\nfill_device\n":                        "fill_device",
		"[global]\nfill_fs=1\n[a]\nrw=write\nsize=1M\n":       "fill_fs=1",
		"[a]\nsize=1M\n[b]\nrw=write\nsize=1M\nfill_device=1": "[b]",
	} {
		f, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		got := ValidateOnOthersSpace(nil, f)
		if want == "" && len(got) == 0 {
			continue
		}
		if len(got) != 1 || !strings.Contains(got[0].Error(), want) || !strings.Contains(got[0].Error(), "remove it and set size") {
			t.Errorf("%q: %v, want %q", text, got, want)
		}
	}
}

// A part of a volume whose size is not known is no size of a file. A device that existed before is only read.
func TestPercentOfOthersSpace(t *testing.T) {
	for _, option := range []string{"size=50%", "size=1M\noffset=50%", "size=1M\noffset_increment=10%"} {
		if got := refused(t, "[a]\nrw=write\n"+option+"\n", corev1.PersistentVolumeFilesystem, false); len(got) == 0 {
			t.Errorf("%s of a file system is let pass", option)
		}
		if got := refused(t, "[a]\nrw=write\n"+option+"\n", corev1.PersistentVolumeBlock, true); len(got) == 0 {
			t.Errorf("%s of a device that is only read is let pass for writes", option)
		}
	}
}
