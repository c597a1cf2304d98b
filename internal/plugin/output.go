package plugin

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

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

// documents are the formats for programs of what a function returns.
func documents[T any](document func(T) (any, error)) []format[T] {
	return []format[T]{
		{"json", "for jq", unstyled(func(w io.Writer, t T) error { return printDocument(w, printJSON, document, t) })},
		{"yaml", "as YAML", unstyled(func(w io.Writer, t T) error { return printDocument(w, printYAML, document, t) })},
	}
}

func printDocument[T any](w io.Writer, encode func(io.Writer, any) error, document func(T) (any, error), t T) error {
	facts, err := document(t)
	if err != nil {
		return err
	}
	return encode(w, facts)
}

// same is the document of what is one itself.
func same[T any](t T) (any, error) { return t, nil }

// inYAML returns what writes as YAML what a function writes as JSON.
func inYAML[T any](writeJSON func(io.Writer, T) error) func(io.Writer, T) error {
	return func(w io.Writer, t T) error {
		var document bytes.Buffer
		if err := writeJSON(&document, t); err != nil {
			return err
		}
		text, err := yaml.JSONToYAML(document.Bytes())
		if err != nil {
			return err
		}
		_, err = w.Write(text)
		return err
	}
}

// printJSON prints facts as JSON.
func printJSON(w io.Writer, facts any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(facts)
}

// printYAML prints facts as YAML.
func printYAML(w io.Writer, facts any) error {
	text, err := yaml.Marshal(facts)
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}
