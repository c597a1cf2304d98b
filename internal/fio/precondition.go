package fio

import (
	"fmt"
	"iter"
	"strconv"
	"strings"
)

// Precondition is how test files, or a device, are written before anything is measured.
type Precondition struct {
	// Passes is how often, BS in blocks of what size.
	Passes int32
	BS     string
}

// String returns it as an argument of the runner. ParsePrecondition reads it.
func (p *Precondition) String() string { return fmt.Sprintf("%d:%s", p.Passes, p.BS) }

// ParsePrecondition reads what String wrote.
func ParsePrecondition(text string) (*Precondition, error) {
	p := &Precondition{}
	if _, err := fmt.Sscanf(text, "%d:%s", &p.Passes, &p.BS); err != nil || p.Passes < 1 {
		return nil, fmt.Errorf("%.40q is not how to precondition, such as 2:128k", text)
	}
	if p.BlockBytes() == 0 {
		return nil, fmt.Errorf("%.40q is no size of blocks, such as 128k", p.BS)
	}
	return p, nil
}

// BlockBytes returns the size of the blocks, 0 if that is none.
func (p *Precondition) BlockBytes() int64 {
	const binaryBase = 1024
	bytes, ok := parseBytes(p.BS, binaryBase)
	if !ok || bytes < 0 {
		return 0
	}
	return bytes
}

// WholeDevice returns a job file that writes all of the device that another one works on, around the page cache. It is
// nil if that works on none.
func (p *Precondition) WholeDevice(f *JobFile) *JobFile {
	for _, j := range f.jobs() {
		if name := j.text("filename", ""); name != "" {
			options := append(p.options(p.BS),
				with("filename", name), with("direct", "1"), with("ioengine", "libaio"), with("iodepth", "16"))
			return Sections{{Name: "precondition", Options: options}}.File()
		}
	}
	return nil
}

// File is a test file that is there.
type File struct {
	Path  string
	Bytes int64
}

const (
	// maxNames is how long the names of files of one section are together, in bytes: fio reads lines of up to 8 KiB.
	maxNames = 4 << 10
	// maxFilesOfSection bounds how long fio only syncs when it has written a section.
	maxFilesOfSection = 64
	// maxWriters is how many sections a job file has.
	maxWriters = 12
)

// Files returns job files that write test files, one after the other: all of each, but for what is less than a page at
// its end. What a page cache holds of them is on the storage then.
func (p *Precondition) Files(files []File) iter.Seq[*JobFile] {
	return func(yield func(*JobFile) bool) {
		var written Sections
		for section := range p.sections(files) {
			written = append(written, section)
			if len(written) == maxWriters {
				if !yield(written.File()) {
					return
				}
				written = nil
			}
		}
		if len(written) > 0 {
			yield(written.File())
		}
	}
}

// sections returns a section for files that follow each other and are written in the same blocks.
func (p *Precondition) sections(files []File) iter.Seq[Section] {
	return func(yield func(Section) bool) {
		var names []string
		length, block := 0, int64(0)
		flush := func() bool { // a colon at the end keeps a blank there
			if len(names) == 0 {
				return true
			}
			options := append(p.options(strconv.FormatInt(block, 10)), with("filename", strings.Join(names, ":")+":"),
				with("file_service_type", "sequential"), Option{Name: "stonewall"})
			names, length = nil, 0
			return yield(Section{Name: "precondition", Options: options})
		}
		for _, file := range files {
			of := p.blockOf(file.Bytes)
			if of == 0 {
				continue
			}
			name := strings.ReplaceAll(file.Path, ":", `\:`)
			if (of != block || length+len(name) > maxNames || len(names) == maxFilesOfSection) && !flush() {
				return
			}
			names, length, block = append(names, name), length+len(name)+1, of
		}
		flush()
	}
}

// blockOf returns the blocks in which all of a file can be written: fio leaves out what is less than one. 0 if the file
// is less than a page.
func (p *Precondition) blockOf(bytes int64) int64 {
	block := p.BlockBytes()
	for block > pageBytes && (bytes%block != 0 || block > bytes) {
		block /= 2
	}
	if bytes < block {
		return 0
	}
	return block
}

// options are those with which blocks are written one after the other.
func (p *Precondition) options(block string) []Option {
	return []Option{
		with("rw", "write"), with("bs", block), with("loops", strconv.Itoa(int(p.Passes))), with(groupReporting, "1"),
		with("end_fsync", "1"),
	}
}
