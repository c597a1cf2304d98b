package fio

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestPrecondition(t *testing.T) {
	p, err := ParsePrecondition((&Precondition{Passes: 3, BS: "128k"}).String())
	if err != nil || p.Passes != 3 || p.BS != "128k" {
		t.Fatalf("%+v, error %v", p, err)
	}
	for _, wrong := range []string{"", "2", "0:128k", "2:x", "x:128k", "2:0"} {
		if got, err := ParsePrecondition(wrong); err == nil {
			t.Errorf("%q is read as %+v", wrong, got)
		}
	}
	device, err := Parse("[global]\nfilename=/dev/storagebench\noffset=10%\n[a]\nsize=1M\nrw=read\n")
	if err != nil {
		t.Fatal(err)
	}
	text := p.WholeDevice(device).String()
	if !strings.Contains(text, "filename=/dev/storagebench\n") || !strings.Contains(text, "loops=3\n") || strings.Contains(text, "size=") || strings.Contains(text, "offset") {
		t.Errorf("a whole device is written by\n%s", text)
	}
}

// All files are written, each once, in blocks that leave nothing of them out but less than a page.
func TestPreconditionOfFiles(t *testing.T) {
	p := &Precondition{Passes: 2, BS: "128k"}
	for bytes, block := range map[int64]int64{0: 0, 100: 0, 4095: 0, 4096: 4096, 5000: 4096, 10 << 10: 4096, 64 << 10: 64 << 10, 128 << 10: 128 << 10, 192 << 10: 64 << 10, 1 << 30: 128 << 10} {
		if got := p.blockOf(bytes); got != block {
			t.Errorf("a file of %d bytes is written in blocks of %d, want %d", bytes, got, block)
		}
	}
	files := []File{{"/v/small", 100}, {"/v/a:b ", 1 << 20}}
	for i := range 20_000 {
		files = append(files, File{fmt.Sprintf("/v/%s.%d", strings.Repeat("x", i%200), i), int64(4096 << (i / 5000))})
	}
	var names []string
	for file := range p.Files(files) {
		if len(file.sections) > maxWriters {
			t.Errorf("a job file has %d sections", len(file.sections))
		}
		parsed, err := Parse(file.String())
		if err != nil {
			t.Fatal(err)
		}
		for _, j := range parsed.jobs() {
			if list := j.text("filename", ""); len(list) > maxNames+300 || j.text("bs", "") == "" {
				t.Errorf("a section has %d bytes of names", len(list))
			} else {
				names = append(names, strings.Split(strings.TrimSuffix(strings.ReplaceAll(list, `\:`, "\x00"), ":"), ":")...)
			}
		}
	}
	if len(names) != len(files)-1 || names[0] != "/v/a\x00b " {
		t.Errorf("%d files are written, want %d; the first is %q", len(names), len(files)-1, names[0])
	}
	slices.Sort(names)
	if different := slices.Compact(slices.Clone(names)); len(different) != len(names) {
		t.Error("some are written twice")
	}
}
