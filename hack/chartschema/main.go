// Command chartschema prints the JSON schema of a Helm chart's values, made from its values.yaml: chartschema values.yaml
//
// Types are those of the defaults, descriptions the comments that helm-docs reads too ("# -- ..."), and what else a value must
// satisfy stands in front of them as YAML between two lines "# @schema", the syntax of dadav/helm-schema. The schema is
// strict: a value that is not in values.yaml is refused, a value that has a default that is not empty cannot be removed, and
// for a list or an open map values.yaml has to say what it holds.
//
// Helm-schema itself (4742db1, 2026-07) is not that strict: it drops keywords that it does not know, such as a misspelt minimum,
// takes lists of anything, infers no type where there is an annotation, and describes what a default of an open map holds.
package main

import (
	"encoding/json"
	"fmt"
	"os"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "chartschema:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("want one argument, the path of a values.yaml, got %d", len(args))
	}
	content, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	schema, err := ofValues(content)
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	out := json.NewEncoder(os.Stdout)
	out.SetIndent("", "  ")
	out.SetEscapeHTML(false)
	return out.Encode(schema)
}
