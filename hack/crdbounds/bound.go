package main

import (
	"fmt"
	"math"
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

// boundMap bounds a map's size and its keys, which only CEL can look at.
func boundMap(schema node) {
	setDefault(schema, "maxProperties", maxEntries)
	rules, _ := schema["x-kubernetes-validations"].([]any)
	schema["x-kubernetes-validations"] = append(rules, node{
		"rule":    fmt.Sprintf("self.all(k, size(k) <= %d)", maxKey),
		"message": fmt.Sprintf("a name in it may have at most %d characters; choose a shorter one", maxKey),
		"reason":  "FieldValueInvalid",
	})
}

func setDefault(schema node, key string, value any) {
	if schema[key] == nil {
		schema[key] = value
	}
}
