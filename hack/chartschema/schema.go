package main

import (
	"errors"
	"fmt"
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
	root, err := ofMap("", document.Content[0])
	if err != nil {
		return nil, err
	}
	root["$schema"] = "http://json-schema.org/draft-07/schema#" // the newest that Helm 3 knows
	// Helm gives it to every chart.
	root["properties"].(schema)["global"] = schema{"type": "object", "description": "Values that Helm shares with subcharts; none is used."}
	return root, nil
}

// ofMap returns the schema of a map whose keys are all known.
func ofMap(path string, node *yaml.Node) (schema, error) {
	properties := schema{}
	required := []string{}
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
	made := schema{"type": "object", "additionalProperties": false, "properties": properties}
	if len(required) > 0 {
		made["required"] = required
	}
	return made, errors.Join(problems...)
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
		made, err := ofMap(path, value)
		if err == nil && said.description != "" {
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
	for keyword, content := range said.schema {
		made[keyword] = content
	}
	switch {
	case value.Kind == yaml.MappingNode && made["additionalProperties"] == nil:
		return property{}, fmt.Errorf("%s: nothing says what it may hold; add additionalProperties to its @schema", path)
	case value.Kind == yaml.SequenceNode && made["items"] == nil:
		return property{}, fmt.Errorf("%s: nothing says what it may hold; add items to its @schema", path)
	}
	return property{made, value.Kind == yaml.ScalarNode && value.Value != ""}, nil
}

func typeOf(value *yaml.Node) (string, error) {
	switch value.Kind {
	case yaml.MappingNode:
		return "object", nil
	case yaml.SequenceNode:
		return "array", nil
	}
	types := map[string]string{"!!str": "string", "!!int": "integer", "!!bool": "boolean", "!!float": "number"}
	if known, ok := types[value.Tag]; ok {
		return known, nil
	}
	return "", fmt.Errorf("its default has no type; give it one, or its @schema a type")
}
