package fio

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestMeasures(t *testing.T) {
	for text, want := range map[string]string{
		"rw=read":                             "read",
		"rw=write":                            "write",
		"rw=randrw":                           "read write",
		"rw=trimwrite":                        "trim write",
		"rw=write\nfdatasync=1":               "sync write",
		"rw=write\nfsync=32":                  "sync write",
		"rw=write\nfsync=0":                   "write",
		"rw=randread\nfsync=1":                "read",
		"rw=write\nsync_file_range=write:8":   "sync write",
		"rw=read\n[b]\nrw=write\nfdatasync=1": "read sync write",
	} {
		file, err := Parse("[a]\n" + text + "\n")
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(slices.Sorted(maps.Keys(file.Measures())), " "); got != want {
			t.Errorf("%q measures %q, want %q", text, got, want)
		}
	}
}
