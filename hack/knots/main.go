// Command knots measures how far the files of each Go package depend on each other, and how many methods one value offers.
//
//	go run ./hack/knots [-files N] [-methods N] PACKAGES
//
// It prints two figures for each package: how many files are in its largest reference cycle, where a file refers to another
// one that declares what it uses; and the largest method set of its types, with the methods of embedded fields. The program
// fails if a package is above one of the limits. Files of tests do not count.
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"text/tabwriter"
)

func main() {
	var limits figures
	flag.IntVar(&limits.files, "files", 0, "the most files that may refer to each other in a cycle; 0: any number")
	flag.IntVar(&limits.methods, "methods", 0, "the most methods that a type may have; 0: any number")
	flag.Parse()
	if err := run(os.Stdout, limits, flag.Args()...); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// figures are what is measured of a package, or the most that is allowed of each.
type figures struct{ files, methods int }

// run prints the figures of packages, the most tangled one first, and returns an error for each that is above a limit.
func run(out io.Writer, limits figures, patterns ...string) error {
	packages, err := load(patterns...)
	if err != nil {
		return err
	}
	slices.SortStableFunc(packages, func(a, b *checked) int { return cmp.Compare(len(b.cycle()), len(a.cycle())) })
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "PACKAGE\tFILES\tIN A CYCLE\tMETHODS\tOF TYPE")
	var above []error
	for _, p := range packages {
		cycle := p.cycle()
		methods, of := p.methods()
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%s\n", p.path, len(p.files), len(cycle), methods, of)
		if limits.files > 0 && len(cycle) > limits.files {
			above = append(above, fmt.Errorf("%s: %d files refer to each other in a cycle, more than %d: %v", p.path, len(cycle), limits.files, cycle))
		}
		if limits.methods > 0 && methods > limits.methods {
			above = append(above, fmt.Errorf("%s: type %s has %d methods, more than %d", p.path, of, methods, limits.methods))
		}
	}
	return errors.Join(append(above, table.Flush())...)
}
