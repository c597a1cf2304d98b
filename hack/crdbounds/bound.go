package main

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// What has no bound of its own gets one of these.
const (
	// maxObjects is how many objects a list may have.
	maxObjects = 32
	// maxValues is how many texts or numbers a list may have, such as the names of nodes.
	maxValues = 256
	// maxEntries is how many entries a map may have.
	maxEntries = 32
	// maxKey is the longest name that Kubernetes gives to labels and the like: a domain, a slash and a name.
	maxKey = 253 + 1 + 63
	// maxText is how many characters a text may have.
	maxText = 4096
	// maxQuantity is how many characters a quantity, or another number as text, may have.
	maxQuantity = 256
	// maxInteger is the greatest number up to which each is its own in JSON, where many programs have none but floats.
	maxInteger = 1<<53 - 1
)

// node is a JSON schema.
type node = map[string]any

// bound gives all of a schema bounds that has none.
func bound(schema node) {
	switch {
	case schema["x-kubernetes-int-or-string"] == true:
		setDefault(schema, "maxLength", maxQuantity)
	case schema["type"] == "string":
		if schema["enum"] == nil {
			setDefault(schema, "maxLength", maxText)
		}
	case schema["type"] == "integer":
		boundInteger(schema)
	case schema["type"] == "array":
		boundArray(schema)
	}
	if values, isMap := schema["additionalProperties"].(node); isMap {
		boundMap(schema)
		bound(values)
	}
	properties, _ := schema["properties"].(node)
	for _, property := range properties {
		if property, ok := property.(node); ok {
			bound(property)
		}
	}
}

// boundInteger keeps out numbers that cannot be read: one object that cannot be read ends the list of all of them, and API servers
// before Kubernetes 1.34 take no notice of the format.
func boundInteger(schema node) {
	least, most := -int64(maxInteger), int64(maxInteger)
	if schema["format"] == "int32" {
		least, most = math.MinInt32, math.MaxInt32
	}
	setDefault(schema, "minimum", least)
	setDefault(schema, "maximum", most)
}

func boundArray(schema node) {
	items, _ := schema["items"].(node)
	most := maxValues
	if items["type"] == "object" {
		most = maxObjects
	}
	setDefault(schema, "maxItems", most)
	bound(items)
}

func boundMap(schema node) { setDefault(schema, "maxProperties", maxEntries) }

// boundKeys bounds the keys of all maps of a spec, which only CEL can do: by one rule on each field of the spec and
// on each item of its lists that has maps.
func boundKeys(spec node) {
	properties, _ := spec["properties"].(node)
	for _, value := range properties {
		field, _ := value.(node)
		if items, isList := field["items"].(node); isList {
			field = items
		}
		rules, _ := field["x-kubernetes-validations"].([]any)
		if shortKeys := keysRule(field, "self", 0); shortKeys != "" {
			field["x-kubernetes-validations"] = append(rules, node{
				"rule":    shortKeys,
				"message": fmt.Sprintf("a name in it may have at most %d characters; choose a shorter one", maxKey),
				"reason":  "FieldValueInvalid",
			})
		}
	}
}

// keysRule returns a CEL expression that bounds the keys of all maps in a value, "" if it has none. A list at depth n
// goes by the variable en.
func keysRule(schema node, value string, depth int) string {
	if _, isMap := schema["additionalProperties"].(node); isMap {
		return fmt.Sprintf("%s.all(k, size(k) <= %d)", value, maxKey)
	}
	if items, isList := schema["items"].(node); isList {
		item := fmt.Sprintf("e%d", depth)
		if rule := keysRule(items, item, depth+1); rule != "" {
			return fmt.Sprintf("%s.all(%s, %s)", value, item, rule)
		}
		return ""
	}
	properties, _ := schema["properties"].(node)
	var all []string
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		property, _ := properties[name].(node)
		if rule := keysRule(property, value+"."+name, depth); rule != "" {
			all = append(all, fmt.Sprintf("(!has(%s.%s) || %s)", value, name, rule))
		}
	}
	return strings.Join(all, " && ")
}

// spreadDefaults gives the default of an object's field to that field, so that it holds as well where the object is
// given without it.
func spreadDefaults(schema node) {
	properties, _ := schema["properties"].(node)
	defaults, _ := schema["default"].(node)
	for name, value := range defaults {
		if property, ok := properties[name].(node); ok {
			property["default"] = value
			delete(defaults, name)
		}
	}
	for _, property := range properties {
		if property, ok := property.(node); ok {
			spreadDefaults(property)
		}
	}
}

func setDefault(schema node, key string, value any) {
	if schema[key] == nil {
		schema[key] = value
	}
}
