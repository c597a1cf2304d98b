package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// All that can be long gets a bound, and what has one keeps it.
func TestBound(t *testing.T) {
	for name, test := range map[string]struct{ schema, want string }{
		"text":                      {"{type: string}", "{type: string, maxLength: 4096}"},
		"text with a bound":         {"{type: string, maxLength: 3}", "{type: string, maxLength: 3}"},
		"one of some texts":         {"{type: string, enum: [a]}", "{type: string, enum: [a]}"},
		"quantity":                  {"{anyOf: [{type: integer}, {type: string}], x-kubernetes-int-or-string: true}", "{anyOf: [{type: integer}, {type: string}], x-kubernetes-int-or-string: true, maxLength: 256}"},
		"small number":              {"{type: integer, format: int32, minimum: 1}", "{type: integer, format: int32, minimum: 1, maximum: 2147483647}"},
		"small number with a bound": {"{type: integer, format: int32, maximum: 0}", "{type: integer, format: int32, minimum: -2147483648, maximum: 0}"},
		"number":                    {"{type: integer, format: int64}", "{type: integer, format: int64, minimum: -9007199254740991, maximum: 9007199254740991}"},
		"texts":                     {"{type: array, items: {type: string}}", "{type: array, maxItems: 256, items: {type: string, maxLength: 4096}}"},
		"objects":                   {"{type: array, items: {type: object, properties: {a: {type: string}}}}", "{type: array, maxItems: 32, items: {type: object, properties: {a: {type: string, maxLength: 4096}}}}"},
		"objects with a bound":      {"{type: array, maxItems: 2, items: {type: object}}", "{type: array, maxItems: 2, items: {type: object}}"},
		"map":                       {"type: object\nadditionalProperties: {type: string}", "type: object\nmaxProperties: 32\nadditionalProperties: {type: string, maxLength: 4096}"},
		"map with a bound":          {"type: object\nmaxProperties: 2\nadditionalProperties: {type: boolean}", "type: object\nmaxProperties: 2\nadditionalProperties: {type: boolean}"},
		"neither":                   {"{type: boolean}", "{type: boolean}"},
	} {
		t.Run(name, func(t *testing.T) {
			var schema map[string]any
			if err := yaml.Unmarshal([]byte(test.schema), &schema); err != nil {
				t.Fatal(err)
			}
			bound(schema)
			if diff := cmp.Diff(normal(t, []byte(test.want)), marshal(t, schema)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Only the spec is bounded: the status is the operator's.
func TestBoundedCRD(t *testing.T) {
	crd := func(bound string) string {
		return "spec: {versions: [{schema: {openAPIV3Schema: {properties: {spec: {type: string" + bound + "}, status: {type: string}}}}}]}"
	}
	got, err := boundedCRD([]byte(crd("")))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("---\n"+normal(t, []byte(crd(", maxLength: 4096"))), string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for text, want := range map[string]string{
		"spec: {}":               "no versions",
		"spec: {versions: [{}]}": "no schema",
		strings.ReplaceAll(crd(""), "{type: string}", "1"): "is no schema",
	} {
		if _, err := boundedCRD([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("of %s: %v, want %q", text, err, want)
		}
	}
}

func normal(t *testing.T, text []byte) string {
	t.Helper()
	var value any
	if err := yaml.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	return marshal(t, value)
}

func marshal(t *testing.T, value any) string {
	t.Helper()
	text, err := yaml.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A rule on each field of the spec, and on each item of its lists, bounds the keys of all maps below.
func TestBoundKeys(t *testing.T) {
	const aMap = "{type: object, additionalProperties: {type: string}}"
	for name, test := range map[string]struct{ schema, rule string }{
		"none":   {"{type: object, properties: {a: {type: string}}}", ""},
		"a map":  {aMap, "self.all(k, size(k) <= 317)"},
		"two":    {"{type: object, properties: {b: " + aMap + ", a: " + aMap + "}}", "(!has(self.a) || self.a.all(k, size(k) <= 317)) && (!has(self.b) || self.b.all(k, size(k) <= 317))"},
		"a list": {"{type: array, items: {type: object, properties: {a: " + aMap + "}}}", "(!has(self.a) || self.a.all(k, size(k) <= 317))"},
		"lists below": {"{type: object, properties: {l: {type: array, items: {type: object, properties: {m: {type: array, items: " + aMap + "}}}}}}",
			"(!has(self.l) || self.l.all(e0, (!has(e0.m) || e0.m.all(e1, e1.all(k, size(k) <= 317)))))"},
	} {
		t.Run(name, func(t *testing.T) {
			var spec map[string]any
			if err := yaml.Unmarshal([]byte("{type: object, properties: {f: "+test.schema+"}}"), &spec); err != nil {
				t.Fatal(err)
			}
			boundKeys(spec)
			field := spec["properties"].(node)["f"].(node)
			if items, isList := field["items"].(node); isList {
				field = items
			}
			rules, _ := field["x-kubernetes-validations"].([]any)
			got := ""
			for _, rule := range rules {
				got += rule.(node)["rule"].(string)
			}
			if got != test.rule {
				t.Errorf("got  %s\nwant %s", got, test.rule)
			}
		})
	}
}

// What an object has by default its fields have, too, where the object is given without them.
func TestSpreadDefaults(t *testing.T) {
	var schema map[string]any
	if err := yaml.Unmarshal([]byte("properties: {o: {default: {a: 1}, properties: {a: {type: integer}, b: {type: string}}}}"), &schema); err != nil {
		t.Fatal(err)
	}
	spreadDefaults(schema)
	want := "properties: {o: {default: {}, properties: {a: {type: integer, default: 1}, b: {type: string}}}}"
	if diff := cmp.Diff(normal(t, []byte(want)), marshal(t, schema)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
