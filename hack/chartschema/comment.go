package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

const (
	// annotation stands alone on a line in front of a part of a schema and behind it.
	annotation = "@schema"
	// documented begins the description of a value, for helm-docs too.
	documented = "-- "
)

// said is what a comment says of a value.
type said struct {
	schema      schema
	description string
	// documented says whether helm-docs reads the description too.
	documented bool
}

// parseComment reads the comment in front of a value. Of a map that is described key by key the comment needs no "--".
func parseComment(comment string) (said, error) {
	var inSchema, described bool
	var yamlLines, words []string
	for line := range strings.Lines(comment) {
		text := strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(line), "#"), " ")
		switch {
		case text == annotation:
			inSchema = !inSchema
		case inSchema:
			yamlLines = append(yamlLines, text)
		case strings.HasPrefix(text, documented):
			described, words = true, []string{strings.TrimPrefix(text, documented)}
		case strings.HasPrefix(text, "@") && described: // of helm-docs, such as "@default -- ..."
		case text != "":
			words = append(words, text)
		}
	}
	if inSchema {
		return said{}, fmt.Errorf("its comment has a line %q without a second one that ends it", annotation)
	}
	part := schema{}
	if err := yaml.Unmarshal([]byte(strings.Join(yamlLines, "\n")), &part); err != nil {
		return said{}, fmt.Errorf("its %s: %w", annotation, err)
	}
	return said{part, strings.Join(words, " "), described}, check(part)
}

// check refuses keywords that JSON schema would silently ignore, such as "minimun".
func check(part schema) error {
	known := []string{
		"type", "enum", "const", "not", "oneOf", "anyOf", "description",
		"pattern", "minLength", "maxLength", "minimum", "maximum",
		"items", "minItems", "maxItems", "uniqueItems",
		"properties", "propertyNames", "additionalProperties", "required",
	}
	var problems []error
	for keyword, content := range part {
		if !slices.Contains(known, keyword) {
			problems = append(problems, fmt.Errorf("its %s has unknown keyword %q; known are %s", annotation, keyword, strings.Join(known, ", ")))
			continue
		}
		for _, inner := range within(keyword, content) {
			problems = append(problems, check(inner))
		}
	}
	return errors.Join(problems...)
}

// within returns the schemas in what a keyword says.
func within(keyword string, content any) []schema {
	var inner []schema
	add := func(candidate any) {
		if found, ok := candidate.(schema); ok {
			inner = append(inner, found)
		}
	}
	switch content := content.(type) {
	case []any:
		for _, candidate := range content {
			add(candidate)
		}
	case schema:
		if keyword != "properties" {
			return []schema{content}
		}
		for _, candidate := range content {
			add(candidate)
		}
	}
	return inner
}
