package fiooutput

import "testing"

// A document is found wherever fio prints it, and the text around it is kept.
func TestDocuments(t *testing.T) {
	const document = "{\n  \"fio version\" : \"fio-3.33\",\n  \"jobs\" : []\n}\n"
	for name, test := range map[string]struct {
		output, rest string
		documents    int
	}{
		"alone":                        {document, "\n", 1},
		"after a line":                 {"fio: an error\n" + document, "fio: an error\n\n", 1},
		"after a line without a break": {"verify: bad magic header 9988, wanted acca at file /scr" + document, "verify: bad magic header 9988, wanted acca at file /scr\n\n", 1},
		"after a line and another":     {document + "verify: {" + document, "\nverify: {\n\n", 2},
		"a line that ends in a brace":  {"what it is: {\n  more of it\n", "what it is: {\n  more of it\n", 0},
		"a brace at the end":           {"what it is: {", "what it is: {", 0},
		"cut off":                      {"verify: bad{\n  \"fio version\" : ", "verify: bad\n  \"fio version\" : ", 0},
	} {
		t.Run(name, func(t *testing.T) {
			documents, rest := splitDocuments([]byte(test.output))
			if len(documents) != test.documents || string(rest) != test.rest {
				t.Errorf("%d documents and %q", len(documents), rest)
			}
			for _, d := range documents {
				if string(d)+"\n" != document {
					t.Errorf("a document is %s", d)
				}
			}
		})
	}
}
