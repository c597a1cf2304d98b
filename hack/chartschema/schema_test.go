package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSchema(t *testing.T) {
	for name, test := range map[string]struct{ values, want string }{
		"types are those of the defaults": {
			"# -- A.\na: x\n# -- B.\nb: 2\n# -- C.\nc: false\n",
			`{"a": {"type": "string", "description": "A."}, "b": {"type": "integer", "description": "B."}, "c": {"type": "boolean", "description": "C."}}`,
		},
		"what the annotation says is added": {
			"# @schema\n# minimum: 1\n# enum: [1, 2]\n# @schema\n# -- Of two\n# lines.\na: 1\n",
			`{"a": {"type": "integer", "minimum": 1, "enum": [1, 2], "description": "Of two lines."}}`,
		},
		"a type of the annotation is the only one": {
			"# @schema\n# oneOf: [{type: integer}, {enum: [all]}]\n# @schema\n# -- A.\na: all\n",
			`{"a": {"oneOf": [{"type": "integer"}, {"enum": ["all"]}], "description": "A."}}`,
		},
		"maps are closed": {
			"# Both.\na:\n  # -- One.\n  one: 1\n  # -- Two.\n  two: \"\"\n",
			`{"a": {"type": "object", "additionalProperties": false, "required": ["one"], "description": "Both.", "properties": {
			  "one": {"type": "integer", "description": "One."}, "two": {"type": "string", "description": "Two."}}}}`,
		},
		"maps that may hold anything say so": {
			"# @schema\n# additionalProperties: {type: string}\n# @schema\n# -- Labels.\na: {x: y}\n",
			`{"a": {"type": "object", "additionalProperties": {"type": "string"}, "description": "Labels."}}`,
		},
		"what helm-docs is told is no description": {
			"# -- A.\n# @default -- by the name\na: \"\"\n",
			`{"a": {"type": "string", "description": "A."}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			made, err := ofValues([]byte(test.values))
			if err != nil {
				t.Fatal(err)
			}
			properties := made["properties"].(schema)
			delete(properties, "global")
			text, err := json.Marshal(properties)
			if err != nil {
				t.Fatal(err)
			}
			var got, want any
			if err := json.Unmarshal(text, &got); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal([]byte(test.want), &want); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("properties (-want +got):\n%s", diff)
			}
		})
	}
}

func TestOnlyWhatHasADefaultIsRequired(t *testing.T) {
	made, err := ofValues([]byte(`
# -- A.
scalar: 1
# -- A.
off: false
# -- A.
empty: ""
# @schema
# items: {type: string}
# @schema
# -- A.
list: [a]
# @schema
# additionalProperties: false
# @schema
# -- A.
open: {a: b}
closed:
  # -- A.
  empty: ""
`))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"scalar", "off", "closed"}, made["required"]); diff != "" {
		t.Errorf("required (-want +got):\n%s", diff)
	}
}

// TestProblems: what would weaken the schema is refused, with the value's name.
func TestProblems(t *testing.T) {
	for name, test := range map[string]struct{ values, want string }{
		"no comment":                     {"a:\n  b: 1\n", "a.b: it has no description"},
		"a comment for nobody":           {"# A.\na: 1\n", `a: it has no description; add a comment "# -- ..."`},
		"any list":                       {"# -- A.\na: []\n", "a: nothing says what it may hold; add items"},
		"any map":                        {"# -- A.\na: {}\n", "a: nothing says what it may hold; add additionalProperties"},
		"no type":                        {"# -- A.\na:\n", "a: its default has no type"},
		"a misspelt keyword":             {"# @schema\n# minimun: 1\n# @schema\n# -- A.\na: 1\n", `a: its @schema has unknown keyword "minimun"`},
		"a misspelt keyword of items":    {"# @schema\n# items: {typ: string}\n# @schema\n# -- A.\na: []\n", `unknown keyword "typ"`},
		"a misspelt keyword below":       {"# @schema\n# additionalProperties: false\n# properties: {x: {typ: string}}\n# @schema\n# -- A.\na: {}\n", `unknown keyword "typ"`},
		"a misspelt keyword of a choice": {"# @schema\n# oneOf: [{typ: string}]\n# @schema\n# -- A.\na: 1\n", `unknown keyword "typ"`},
		"an annotation without end":      {"# @schema\n# minimum: 1\n# -- A.\na: 1\n", "without a second one that ends it"},
		"an annotation that is no YAML":  {"# @schema\n# {\n# @schema\n# -- A.\na: 1\n", "a: its @schema: yaml"},
		"an annotation of a closed map":  {"# @schema\n# minimum: 1\n# @schema\na:\n  # -- B.\n  b: 1\n", "a: its @schema has no additionalProperties"},
		"no map":                         {"- a\n", "want one YAML document, a map"},
		"all problems together":          {"# -- A.\na: []\nb: 1\n", "\nb: it has no description"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := ofValues([]byte(test.values)); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error is %v, want one with %q", err, test.want)
			}
		})
	}
}
