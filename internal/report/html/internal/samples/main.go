// samples writes the reports of all samples into a directory: what browser tests look at, and people who work on reports.
package main

import (
	"errors"
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
	index := &html.Index{Where: "Samples", Group: "Namespace", Notes: []string{"Not read: broken.yaml"}}
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
		if name == "hostile" {
			continue // its names are longer than an API server accepts
		}
		index.Benchmarks = append(index.Benchmarks, html.IndexRow{
			Link: name + ".html", Name: sb.Name, Group: sb.Namespace, Status: "Completed", Runs: sb.Status.Progress, Summary: sb.Status.Summary,
		})
	}
	return writeIndex(filepath.Join(args[0], "index.html"), index)
}

// writeIndex writes the page with links to all samples.
func writeIndex(path string, index *html.Index) error {
	file, err := os.Create(path) //nolint:gosec // where to write is for the caller to say
	if err != nil {
		return err
	}
	return errors.Join(index.Write(file), file.Close())
}
