// Command crdbounds gives all of the specs of CRDs bounds that has none, in the files that it is given: crdbounds crd.yaml...
//
// Markers bound the API's own types. Those of Kubernetes, such as an affinity, have no bounds of their own, and of a list
// without one the smallest object makes most of in memory: 430,000 empty terms of an affinity, which are 1.3 MB as text,
// are 22 MB. Defaults of an object become defaults of its fields.
package main

import (
	"errors"
	"fmt"
	"os"

	"sigs.k8s.io/yaml"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "crdbounds:", err)
		os.Exit(1)
	}
}

func run(paths []string) error {
	if len(paths) == 0 {
		return errors.New("want the paths of CRDs, got none")
	}
	for _, path := range paths {
		if err := boundFile(path); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

// boundFile gives a CRD bounds in its file.
func boundFile(path string) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	bounded, err := boundedCRD(content)
	if err != nil {
		return err
	}
	return os.WriteFile(path, bounded, 0o644)
}

// boundedCRD returns a CRD with bounds in the specs of all versions.
func boundedCRD(content []byte) ([]byte, error) {
	var crd map[string]any
	if err := yaml.Unmarshal(content, &crd); err != nil {
		return nil, err
	}
	spec, _ := crd["spec"].(map[string]any)
	versions, _ := spec["versions"].([]any)
	if len(versions) == 0 {
		return nil, fmt.Errorf("it has no versions")
	}
	for _, version := range versions {
		schema, err := specOf(version)
		if err != nil {
			return nil, err
		}
		bound(schema)
		boundKeys(schema)
		spreadDefaults(schema)
	}
	text, err := yaml.Marshal(crd)
	return append([]byte("---\n"), text...), err
}

// specOf returns the schema of a version's spec.
func specOf(version any) (node, error) {
	for _, key := range []string{"schema", "openAPIV3Schema", "properties", "spec"} {
		fields, _ := version.(map[string]any)
		if version = fields[key]; version == nil {
			return nil, fmt.Errorf("a version has no %s", key)
		}
	}
	fields, ok := version.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("a version's spec is no schema")
	}
	return fields, nil
}
