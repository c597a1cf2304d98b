package world

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
)

// rewriteAnswers has a function change the API server's answers to the clients of a config, before they are decoded.
func rewriteAnswers(config *rest.Config, rewrite func(*http.Request, *http.Response) error) {
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return rewriting{next, rewrite} })
}

// rewriting is a way to the API server whose answers a function changes.
type rewriting struct {
	next    http.RoundTripper
	rewrite func(*http.Request, *http.Response) error
}

// RoundTrip implements http.RoundTripper.
func (r rewriting) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := r.next.RoundTrip(request)
	if err != nil || response.StatusCode < http.StatusOK {
		return response, err
	}
	rewrite := r.rewrite
	if response.StatusCode >= http.StatusMultipleChoices {
		rewrite = ShortenError
	}
	if err := rewrite(request, response); err != nil {
		return nil, errors.Join(err, response.Body.Close())
	}
	return response, nil
}

const (
	// MaxErrorAnswer is the most bytes that are read of an answer that is an error. For a Job of somebody else that has
	// the name of one of ours, the API server lists all differences, twice.
	MaxErrorAnswer = 64 << 10
	// ToldOfError is how many bytes are told of a longer one.
	ToldOfError = 1 << 10
)

// ShortenError leaves an answer that is an error as it is, and of a longer one than anybody reads its beginning, with
// the reason that its code stands for.
func ShortenError(request *http.Request, response *http.Response) error {
	return replaceBody(response, MaxErrorAnswer+1, func(text []byte) ([]byte, error) {
		if len(text) <= MaxErrorAnswer {
			return text, nil
		}
		generic := apierrors.NewGenericServerResponse(
			response.StatusCode, request.Method, schema.GroupResource{}, "", "", 0, false)
		status := generic.ErrStatus
		status.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
		status.Details = nil
		status.Message = fmt.Sprintf("the API server's answer has more than %d bytes, and begins with %s",
			MaxErrorAnswer, printable(text[:ToldOfError]))
		response.Header.Set("Content-Type", runtime.ContentTypeJSON)
		return json.Marshal(status)
	})
}

// printable leaves out what is no text of an answer, which may be protobuf.
func printable(text []byte) string {
	isNoText := func(r rune) bool { return r == utf8.RuneError || !unicode.IsPrint(r) }
	return strings.Join(strings.FieldsFunc(string(text), isNoText), " ")
}

// WrappedRoundTripper implements net.RoundTripperWrapper of apimachinery, by which client-go finds the connection
// below.
func (r rewriting) WrappedRoundTripper() http.RoundTripper { return r.next }

// IsOf reports whether an answer is of a media type.
func IsOf(response *http.Response, wanted string) bool {
	media, _, err := mime.ParseMediaType(response.Header.Get("Content-Type"))
	return err == nil && media == wanted
}

// isWatch reports whether a request watches: its answer has no end.
func isWatch(request *http.Request) bool { return request.URL.Query().Get("watch") != "" }

// forgetLength makes an answer one whose length is not known.
func forgetLength(response *http.Response) {
	response.ContentLength = -1
	response.Header.Del("Content-Length")
}

// replaceBody reads an answer, up to so many bytes, and has a function change it.
func replaceBody(response *http.Response, most int64, change func([]byte) ([]byte, error)) error {
	text, err := io.ReadAll(io.LimitReader(response.Body, most))
	if err != nil {
		return err
	}
	changed, err := change(text)
	if err != nil {
		return err
	}
	if err := response.Body.Close(); err != nil {
		return err
	}
	forgetLength(response)
	response.Body = io.NopCloser(bytes.NewReader(changed))
	return nil
}

// replaceFrames has a function return the events of a watch, one after the other.
func replaceFrames(response *http.Response, next func() ([]byte, error)) {
	forgetLength(response)
	response.Body = &Framed{Closer: response.Body, Next: next}
}

// Framed is a body that comes frame by frame.
type Framed struct {
	io.Closer
	Next func() ([]byte, error)
	rest []byte
}

// Read implements io.Reader.
func (f *Framed) Read(p []byte) (int, error) {
	if len(f.rest) == 0 {
		frame, err := f.Next()
		if err != nil {
			return 0, err
		}
		f.rest = frame
	}
	n := copy(p, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}
