package main

import (
	"errors"
	"fmt"
	"maps"
	"strings"

	"go.yaml.in/yaml/v3"
)

// schema is a JSON schema, or a part of one.
type schema = map[string]any

// ofValues returns the schema of all values. Errors name the value and say what its comment lacks; there may be several.
func ofValues(content []byte) (schema, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(content, &document); err != nil {
		return nil, err
	}
	if len(document.Content) != 1 || document.Content[0].Kind != yaml.MappingNode {
		return nil, errors.New("want one YAML document, a map")
	}
	properties, required, err := ofKeys("", document.Content[0])
	if err != nil {
		return nil, err
	}
	// Helm gives it to every chart.
	properties["global"] = schema{"type": "object", "description": "Values that Helm shares with subcharts; none is used."}
	root := closed(properties, required)
	root["$schema"] = "http://json-schema.org/draft-07/schema#" // the newest that Helm 3 knows
	return root, nil
}

// closed returns the schema of a map whose keys are all known.
func closed(properties schema, required []string) schema {
	made := schema{"type": "object", "additionalProperties": false, "properties": properties}
	if len(required) > 0 {
		made["required"] = required
	}
	return made
}

// ofKeys returns the schemas of what a map holds, and which of it the chart cannot do without.
func ofKeys(path string, node *yaml.Node) (properties schema, required []string, err error) {
	properties = schema{}
	var problems []error
	for i := 0; i < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		property, err := ofValue(strings.TrimPrefix(path+"."+key.Value, "."), key.HeadComment, value)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		properties[key.Value] = property.schema
		if property.needed {
			required = append(required, key.Value)
		}
	}
	return properties, required, errors.Join(problems...)
}

// property is the schema of a value, and whether the chart cannot do without it: users remove values with null.
type property struct {
	schema schema
	needed bool
}

func ofValue(path, comment string, value *yaml.Node) (property, error) {
	said, err := parseComment(comment)
	if err != nil {
		return property{}, fmt.Errorf("%s: %w", path, err)
	}
	if value.Kind == yaml.MappingNode && len(value.Content) > 0 && said.schema["additionalProperties"] == nil {
		if len(said.schema) > 0 {
			return property{}, fmt.Errorf("%s: its @schema has no additionalProperties, so its keys are described one by one; remove the @schema or add that", path)
		}
		properties, required, err := ofKeys(path, value)
		made := closed(properties, required)
		if said.description != "" {
			made["description"] = said.description
		}
		return property{made, true}, err
	}
	if !said.documented {
		return property{}, fmt.Errorf("%s: it has no description; add a comment \"# -- ...\" in front of it", path)
	}
	made := schema{"description": said.description}
	if said.schema["type"] == nil && said.schema["oneOf"] == nil {
		if made["type"], err = typeOf(value); err != nil {
			return property{}, fmt.Errorf("%s: %w", path, err)
		}
	}
	maps.Copy(made, said.schema)
	switch {
	case value.Kind == yaml.MappingNode && made["additionalProperties"] == nil:
		return property{}, fmt.Errorf("%s: nothing says what it may hold; add additionalProperties to its @schema", path)
	case value.Kind == yaml.SequenceNode && made["items"] == nil:
		return property{}, fmt.Errorf("%s: nothing says what it may hold; add items to its @schema", path)
	}
	return property{made, value.Kind == yaml.ScalarNode && value.Value != ""}, nil
}

func typeOf(value *yaml.Node) (string, error) {
	types := map[string]string{
		"!!map": "object", "!!seq": "array", "!!str": "string", "!!int": "integer", "!!bool": "boolean", "!!float": "number",
	}
	if known, ok := types[value.Tag]; ok {
		return known, nil
	}
	return "", errors.New("its default has no type; give it one, or its @schema a type")
}
