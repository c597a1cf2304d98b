package runner

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/fio"
)

// Layout makes the directory and has fio create and fill the files that the job reads or overwrites, so
// that this is not part of what Measure measures. It returns the runner's exit code.
func Layout(ctx context.Context, o Options) int {
	return o.withLiveness(func(o Options) int { return o.finish("", o.layout(ctx)) })
}

func (o Options) layout(ctx context.Context) error {
	if o.Directory == "" && o.Precondition != nil {
		return o.preconditionDevice(ctx)
	}
	if err := o.makeDirectoryInTime(); err != nil {
		return err
	}
	for o.JobFile = range fio.LayoutParts(o.JobFile) {
		call, err := o.prepareFio("--create_only=1")
		if err != nil {
			return err
		}
		call.quiet = true
		if _, err := o.runFio(ctx, call); err != nil {
			return err
		}
	}
	if o.Precondition == nil {
		return nil
	}
	return o.preconditionFiles(ctx)
}

// layOutFirst lays out the files that are to be there when Measure begins. That has ended, and all of its processes with it,
// before anything is looked at or measured. It returns the runner's exit code.
func (o Options) layOutFirst(ctx context.Context) int {
	layout := o
	if o.LayoutFile != "" {
		layout.JobFile, layout.laterFile, layout.LayoutFile = o.LayoutFile, o.JobFile, ""
	}
	layout.Log = &prefixed{log: o.Log, prefix: digest.LayoutPrefix}
	// Whoever looks at the log finds a line from the beginning on.
	what := "test files are laid out"
	if o.Directory == "" {
		what = "the device is written"
	}
	fmt.Fprintln(layout.Log, what+", then fio measures")
	if code := Layout(ctx, layout); code != 0 {
		return code
	}
	fmt.Fprintln(o.Log, what)
	return 0
}

// prefixed is a log whose lines have a prefix.
type prefixed struct {
	log    io.Writer
	prefix string
	// inLine says that the last line has not ended yet.
	inLine bool
}

// Write implements io.Writer.
func (p *prefixed) Write(text []byte) (int, error) {
	var out bytes.Buffer
	for line := range bytes.Lines(text) {
		if !p.inLine {
			out.WriteString(p.prefix)
		}
		out.Write(line)
		p.inLine = !bytes.HasSuffix(line, []byte("\n"))
	}
	if _, err := p.log.Write(out.Bytes()); err != nil {
		return 0, err
	}
	return len(text), nil
}
