package fiooutput

import (
	"bytes"
	"encoding/json"
)

// firstMember is what fio begins each document with, after its {.
var firstMember = []byte(`  "fio version"`)

// splitDocuments finds the complete JSON documents in fio's output and returns them apart from the text
// around them. A document begins with a { at the start of a line, as fio prints it, or at the end of one: a process of fio
// that is ended may not come to its last line break. What fio prints that is no JSON is mended: values that are no number
// (nan, inf) become null, and lines that another process of fio wrote in the middle of a document are moved out of it.
func splitDocuments(data []byte) (documents [][]byte, rest []byte) {
	for len(data) > 0 {
		line, after := cutLine(data)
		if line[0] != '{' {
			text, begins := bytes.CutSuffix(line, []byte("{\n"))
			if begins && bytes.HasPrefix(after, firstMember) {
				line, after = append(bytes.Clone(text), '\n'), data[len(text):]
			}
			rest = append(rest, line...)
			data = after
			continue
		}
		s := scanner{data: data}
		if !s.scan() {
			data = after
			continue
		}
		if json.Valid(s.document) {
			documents = append(documents, s.document)
		}
		rest = append(rest, s.notes...)
		data = data[s.position:]
	}
	return documents, rest
}

// cutLine returns the first line with its end, and what follows.
func cutLine(data []byte) (line, after []byte) {
	if end := bytes.IndexByte(data, '\n'); end >= 0 {
		return data[:end+1], data[end+1:]
	}
	return data, nil
}

// scanner copies one document from the start of data.
type scanner struct {
	data     []byte
	position int
	depth    int
	// document is what was copied, notes the lines that do not belong to it.
	document, notes []byte
}

// scan says whether the document is complete. It is not if another begins first, so that all scans together
// take linear time.
func (s *scanner) scan() bool {
	for s.position < len(s.data) {
		switch c := s.data[s.position]; {
		case c == '{' && s.depth > 0 && (s.startsLine() || s.beginsDocument()):
			return false
		case c == '"':
			if !s.copyString() {
				return false
			}
		case isLetter(c):
			s.copyWord()
		default:
			s.document = append(s.document, c)
			s.position++
			if s.closes(c) {
				return true
			}
		}
	}
	return false
}

// closes counts brackets and says whether c closes the document.
func (s *scanner) closes(c byte) bool {
	switch c {
	case '{', '[':
		s.depth++
	case '}', ']':
		s.depth--
	}
	return s.depth <= 0
}

// copyString copies a string with its quotes; false if it does not end in its line.
func (s *scanner) copyString() bool {
	start := s.position
	for s.position++; s.position < len(s.data); s.position++ {
		switch s.data[s.position] {
		case '\n':
			return false
		case '\\':
			s.position++
		case '"':
			s.position++
			s.document = append(s.document, s.data[start:s.position]...)
			return true
		}
	}
	return false
}

// startsLine says whether position is the first of a line.
func (s *scanner) startsLine() bool {
	return s.position == 0 || s.data[s.position-1] == '\n'
}

// beginsDocument reports whether a document begins at the position, at the end of a line.
func (s *scanner) beginsDocument() bool {
	after, begins := bytes.CutPrefix(s.data[s.position:], []byte("{\n"))
	return begins && bytes.HasPrefix(after, firstMember)
}

// copyWord copies a value without quotes. fio indents every line of a document except its first and last,
// so a word at the start of a line begins a note.
func (s *scanner) copyWord() {
	if s.startsLine() {
		line, _ := cutLine(s.data[s.position:])
		s.notes = append(s.notes, line...)
		s.position += len(line)
		return
	}
	start := s.position
	for s.position < len(s.data) && isLetter(s.data[s.position]) {
		s.position++
	}
	switch word := string(s.data[start:s.position]); word {
	case "nan", "inf", "NaN", "Infinity", "NAN", "INF":
		s.document = append(bytes.TrimSuffix(s.document, []byte("-")), "null"...)
	default:
		s.document = append(s.document, word...)
	}
}

func isLetter(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// Documents returns the complete JSON documents in what fio printed, apart from the text around them; values that are no JSON
// (nan, inf) have become null.
func Documents(output []byte) [][]byte {
	documents, _ := splitDocuments(output)
	return documents
}
