package fio

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	text := "; head\r\n" +
		"\t# also a comment\n" +
		"[global]\n" +
		"name = \x60id\x60 of all\n" +
		"bs = 4k\n" +
		"\n" +
		"  size=1G ; inline\n" +
		"[ job 1]\n" +
		"stonewall\n" +
		"description=\n" +
		"rw=randread # inline\n" +
		"[global]\n" +
		"[job2]"
	want := Sections{
		{Name: "global", Options: []Option{
			{Name: "bs", Value: "4k", HasValue: true, Line: 5},
			{Name: "size", Value: "1G", HasValue: true, Line: 7},
		}},
		{Name: " job 1", Options: []Option{
			{Name: "stonewall", Line: 9},
			{Name: "description", HasValue: true, Line: 10},
			{Name: "rw", Value: "randread", HasValue: true, Line: 11},
		}},
		{Name: "global"},
		{Name: "job2"},
	}
	if diff := cmp.Diff(want, mustParse(t, text).sections); diff != "" {
		t.Error(diff)
	}
}

func TestParseRefuses(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"nothing":                 {"", "no job: add a section"},
		"global only":             {"[global]\nbs=4k\n", "no job: add a section"},
		"global by its prefix":    {"[globalize]\nbs=4k\n", "no job: add a section"},
		"option before a section": {"\nbs=4k\n[a]\n", `line 2: option "bs=4k" stands before any section`},
		"section not closed":      {"[a]\n[b\n", `line 2: "[b" is no section`},
		"text after a section":    {"[a] rw=read\n", `line 1: "[a] rw=read" is no section`},
		"section in a section":    {"[a][b]\n", `line 1: "[a][b]" is no section`},
		"section without name":    {"[]\n", `line 1: "[]" has no name`},
		"long name":               {"[" + strings.Repeat("x", 256) + "]\n", "line 1: the section's name has 256 bytes"},
		"control character":       {"[a]\nbs=4k\vrw=write\n", "line 2: "},
		"NUL":                     {"[a]\nbs=4k\x00\n", "line 2: "},
		"carriage return inside":  {"[a]\nbs=4k\rexec_prerun=id\n", "line 2: "},
		"invalid UTF-8":           {"[a]\nbs=\xff\n", "line 2: "},
		"too long":                {"[a]\n" + strings.Repeat("#", maxTextBytes), "shorten it to 65536"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse(tt.text)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q in it", err, tt.want)
			}
		})
	}
}

func TestStringIsParsedAsTheSame(t *testing.T) {
	first := mustParse(t, "[global]\nbs = 4k\n[a]\nstonewall\nrw=\n\n\n[b]\n")
	want := "[global]\nbs=4k\n\n[a]\nstonewall\nrw=\n\n[b]\n"
	if diff := cmp.Diff(want, first.String()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want, mustParse(t, want).String()); diff != "" {
		t.Error(diff)
	}
}

func TestOn(t *testing.T) {
	for name, tt := range map[string]struct {
		text   string
		volume Volume
		want   string
	}{
		"no global section": {
			"[a]\nrw=read\n", Volume{Directory: "/data"},
			"[global]\ndirectory=/data\n\n[a]\nrw=read\n",
		},
		"global section first": {
			"[global]\nfilename=shared\n[a]\n[global]\nbs=4k\n[b]\n", Volume{Directory: "/data/x:y"},
			"[global]\ndirectory=/data/x\\:y\nfilename=shared\n\n[a]\n\n[global]\nbs=4k\n\n[b]\n",
		},
		"global section later": {
			"[a]\n[global]\nbs=4k\n[b]\n", Volume{Device: "/dev/xvda"},
			"[global]\nfilename=/dev/xvda\n\n[a]\n\n[global]\nbs=4k\n\n[b]\n",
		},
		"verification": {
			"[a]\nverify=crc32c\n", Volume{Device: "/dev/xvda"},
			"[global]\nfilename=/dev/xvda\nverify_state_save=0\n\n[a]\nverify=crc32c\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := mustParse(t, tt.text)
			before := f.String()
			if diff := cmp.Diff(tt.want, f.On(tt.volume).String()); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(before, f.String()); diff != "" {
				t.Errorf("On changed the file itself: %s", diff)
			}
		})
	}
}
