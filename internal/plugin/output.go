package plugin

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/storagebench/storagebench/internal/report"
)

// format is a way to print a T.
type format[T any] struct {
	name, about string
	print       func(io.Writer, T, report.Style) error
}

// unstyled is a format that looks the same everywhere.
func unstyled[T any](write func(io.Writer, T) error) func(io.Writer, T, report.Style) error {
	return func(w io.Writer, t T, _ report.Style) error { return write(w, t) }
}

// infallible is a format that cannot fail.
func infallible[T any](write func(io.Writer, T, report.Style)) func(io.Writer, T, report.Style) error {
	return func(w io.Writer, t T, style report.Style) error {
		write(w, t, style)
		return nil
	}
}

// addOutputFlag adds flag --output with the names of formats, of which the first is the default. It is completed by the
// shell.
func addOutputFlag[T any](cmd *cobra.Command, formats []format[T]) *string {
	var completions []cobra.Completion
	for _, f := range formats {
		completions = append(completions, cobra.CompletionWithDesc(f.name, f.about))
	}
	output := cmd.Flags().StringP("output", "o", formats[0].name, "How to print it: "+formatNames(formats))
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(completions, cobra.ShellCompDirectiveNoFileComp)))
	return output
}

// formatNamed returns the format of a name. Commands ask for it before they ask a cluster for anything.
func formatNamed[T any](formats []format[T], name string) (format[T], error) {
	for _, f := range formats {
		if f.name == name {
			return f, nil
		}
	}
	return format[T]{}, fmt.Errorf("--output %q is not known: use %s", name, formatNames(formats))
}

// formatNames lists the names of formats for people, such as "table, wide or csv".
func formatNames[T any](formats []format[T]) string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = f.name
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
