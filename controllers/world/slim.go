package world

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"

	"google.golang.org/protobuf/encoding/protowire"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
)

// An object of 1.3 MiB can take 30 MiB of memory when it is decoded: of 650,000 empty terms of node affinity each is
// two bytes as text, and 48 as a struct. Tenants may make such pods and Jobs, with the operator's label. So what the
// operator does not read of an object is cut out of the API server's answer before it is decoded. Kubernetes' own
// objects come as protobuf, whose fields can be skipped without decoding them.

// SlimAnswers cuts the API server's answers to the fields of pods, Jobs, claims, events and ConfigMaps, and to the
// metadata of StorageBenchmarks and schedules, that the operator reads.
func SlimAnswers(config *rest.Config) {
	rewriteAnswers(config, func(request *http.Request, response *http.Response) error {
		switch {
		case IsOf(response, runtime.ContentTypeProtobuf) && isWatch(request):
			body := response.Body
			replaceFrames(response, func() ([]byte, error) { return SlimFrame(body) })
			return nil
		case IsOf(response, runtime.ContentTypeProtobuf):
			return replaceBody(response, math.MaxInt64, Slim)
		case isApply(request) && IsOf(response, runtime.ContentTypeJSON):
			return replaceBody(response, math.MaxInt64, SlimApplied)
		case IsOf(response, runtime.ContentTypeJSON) && isOneOfOurs(request):
			return replaceBody(response, math.MaxInt64, func(text []byte) ([]byte, error) { return SlimOurs(text), nil })
		}
		return nil
	})
}

// isApply reports whether a request is a server-side apply.
func isApply(request *http.Request) bool {
	contentType := request.Header.Get("Content-Type")
	return request.Method == http.MethodPatch && contentType == string(types.ApplyYAMLPatchType)
}

// SlimApplied leaves of an object that was applied which one it is: nobody reads more of the answer.
func SlimApplied(text []byte) ([]byte, error) {
	var applied struct {
		metav1.TypeMeta `json:",inline"`
		Metadata        struct {
			Name            string    `json:"name"`
			Namespace       string    `json:"namespace,omitempty"`
			UID             types.UID `json:"uid"`
			ResourceVersion string    `json:"resourceVersion"`
		} `json:"metadata"`
	}
	if err := json.Unmarshal(text, &applied); err != nil {
		return nil, fmt.Errorf("read what was applied: %w", err)
	}
	return json.Marshal(applied)
}

// maxFrame is more than an API server sends of an object, which is at most 3 MiB.
const maxFrame = 16 << 20

// SlimFrame reads an event of a watch, and returns it with less in it. It begins with its length, as apimachinery's
// framer has it, and is a WatchEvent without a type of its own.
func SlimFrame(body io.Reader) ([]byte, error) {
	var length [4]byte
	if _, err := io.ReadFull(body, length[:]); err != nil {
		return nil, err
	}
	size := binary.BigEndian.Uint32(length[:])
	if size > maxFrame {
		return nil, fmt.Errorf("the API server sends an event of %d bytes, more than %d", size, maxFrame)
	}
	frame := make([]byte, size)
	if _, err := io.ReadFull(body, frame); err != nil {
		return nil, err
	}
	frame, err := slimWatchEvent.cut(frame)
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(frame))), frame...), err
}

// magic is what messages of Kubernetes begin with, each a runtime.Unknown: its type, and a message of that.
var magic = []byte("k8s\x00")

// Slim leaves of a message what the operator reads of its kind. One of another kind stays as it is.
func Slim(text []byte) ([]byte, error) {
	body, is := bytes.CutPrefix(text, magic)
	if !is {
		return text, nil
	}
	var of runtime.TypeMeta
	err := eachField(body, func(number protowire.Number, value []byte, _ []byte) error {
		if number != 1 {
			return nil
		}
		return of.Unmarshal(value)
	})
	kept := KeptOf(of.Kind)
	if err != nil || kept == nil {
		return text, err
	}
	cut, err := Message{1: whole, 2: {Of: kept}, 3: whole, 4: whole}.cut(body)
	return append(bytes.Clone(magic), cut...), err
}

// Message says which fields of a message are kept, by their numbers, and what of them.
type Message map[protowire.Number]keptField

// keptField says what is kept of a field.
type keptField struct {
	Of   Message                      // nil: all of it
	only func([]byte) bool            // those that are kept of a list, nil: all
	most int                          // how many of a list are kept, 0: all
	into func([]byte) ([]byte, error) // changes it, in place of the above
}

// cut returns the text of a message with what is kept of it.
func (m Message) cut(text []byte) ([]byte, error) {
	var kept []byte
	seen := map[protowire.Number]int{}
	err := eachField(text, func(number protowire.Number, value, field []byte) error {
		p, is := m[number]
		if !is || (p.only != nil && !p.only(value)) {
			return nil
		}
		if seen[number]++; p.most > 0 && seen[number] > p.most {
			return nil
		}
		change := p.into
		if p.Of != nil {
			change = p.Of.cut
		}
		if change == nil {
			kept = append(kept, field...)
			return nil
		}
		cut, err := change(value)
		kept = protowire.AppendBytes(protowire.AppendTag(kept, number, protowire.BytesType), cut)
		return err
	})
	return kept, err
}

// eachField calls a function for each field of a message, with its value, where that has a length, and with all of its
// bytes.
func eachField(text []byte, look func(number protowire.Number, value, field []byte) error) error {
	for len(text) > 0 {
		number, kind, tag := protowire.ConsumeTag(text)
		if tag < 0 {
			return errors.Join(errNotProtobuf, protowire.ParseError(tag))
		}
		length := protowire.ConsumeFieldValue(number, kind, text[tag:])
		if length < 0 {
			return errors.Join(errNotProtobuf, protowire.ParseError(length))
		}
		var value []byte
		if kind == protowire.BytesType {
			value, _ = protowire.ConsumeBytes(text[tag:])
		}
		if err := look(number, value, text[:tag+length]); err != nil {
			return err
		}
		text = text[tag+length:]
	}
	return nil
}

var errNotProtobuf = errors.New("the API server's answer is no protobuf")
