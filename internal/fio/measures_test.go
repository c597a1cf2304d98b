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

// Sections that report apart are told apart.
func TestMeasuresOf(t *testing.T) {
	file, err := Parse("[global]\nsize=1M\n[r]\nrw=read\n[w]\nrw=write\nfdatasync=1\n")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, parts := range file.MeasuresOf() {
		got = append(got, strings.Join(slices.Sorted(maps.Keys(parts)), " "))
	}
	if want := []string{"read", "sync write"}; !slices.Equal(got, want) {
		t.Errorf("the results of %v have %q, want %q", file.Groups(), got, want)
	}
}
