// samples writes the reports of all samples into a directory: what browser tests look at, and people who work on reports.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/storagebench/storagebench/internal/report/html"
	"github.com/storagebench/storagebench/internal/report/html/internal/sample"
)

func main() {
	if err := write(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "samples:", err)
		os.Exit(1)
	}
}

// write writes each sample into a file of the directory that is the only argument.
func write(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("got %d arguments; want one, the directory to write to", len(args))
	}
	over := sample.OverTime()
	for name, sb := range sample.All() {
		file, err := os.Create(filepath.Join(args[0], name+".html")) //nolint:gosec // where to write is for the caller to say
		if err != nil {
			return err
		}
		if err := html.Write(file, sb, over[name]); err != nil {
			return err
		}
		if err := file.Close(); err != nil {
			return err
		}
	}
	return nil
}
