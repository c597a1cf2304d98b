package controllers

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"

	"k8s.io/client-go/rest"
)

// rewriteAnswers has a function change what the API server answers whoever asks by a config, before it is decoded.
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
	if err != nil || response.StatusCode < http.StatusOK || response.StatusCode >= http.StatusMultipleChoices {
		return response, err
	}
	if err := r.rewrite(request, response); err != nil {
		return nil, errors.Join(err, response.Body.Close())
	}
	return response, nil
}

// WrappedRoundTripper implements net.RoundTripperWrapper of apimachinery, by which client-go finds the connection below.
func (r rewriting) WrappedRoundTripper() http.RoundTripper { return r.next }

// isOf says whether an answer is of a media type.
func isOf(response *http.Response, wanted string) bool {
	media, _, err := mime.ParseMediaType(response.Header.Get("Content-Type"))
	return err == nil && media == wanted
}

// isWatch says whether a request watches: its answer has no end.
func isWatch(request *http.Request) bool { return request.URL.Query().Get("watch") != "" }

// forgetLength makes an answer one whose length is not known.
func forgetLength(response *http.Response) {
	response.ContentLength = -1
	response.Header.Del("Content-Length")
}

// replaceBody reads an answer and has a function change it.
func replaceBody(response *http.Response, change func([]byte) ([]byte, error)) error {
	text, err := io.ReadAll(response.Body)
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
