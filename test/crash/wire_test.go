package crash

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// wire is between the operators of a test, one after the other, and the API server. It sees all that they send: whoever
// decides about it is asked for each of their writes and reads. Not counted are events, which are sent beside a pass and
// best effort, the lists and watches of caches, and what the server is asked about itself.
type wire struct {
	mu     sync.Mutex
	calls  []call
	writes int
	reads  int
	decide func(call) fate
	hit    bool
	// held has until when the cache hears nothing of a resource, by the name of that.
	held map[string]time.Time
	// versions are those of the benchmark that its writes have made.
	versions []string
	// delayed is how many pieces of news caches had to wait for.
	delayed atomic.Int64
}

// call is a request that counts. Writes and reads are numbered apart, from 1.
type call struct {
	number      int
	write       bool
	verb        string
	resource    string
	name        string
	subresource string
}

// fate is what becomes of a call. The zero one is that nothing happens to it.
type fate struct {
	// before ends the operator and the call with it, after ends it when the API server has done what it was asked for.
	before, after bool
	// status answers the call, which does not reach the API server. With done it does, but its answer gets lost.
	status *metav1.Status
	done   bool
	// lost breaks the connection when the API server has done what it was asked for.
	lost bool
	// hold has the cache hear nothing about these resources for a time from now on.
	hold []string
}

func (f fate) isNone() bool {
	return !f.before && !f.after && f.status == nil && !f.lost && len(f.hold) == 0
}

func newWire(decide func(call) fate) *wire {
	return &wire{decide: decide, held: map[string]time.Time{}}
}

var hash = regexp.MustCompile(`-[0-9a-f]{8}\b`)

func (c call) String() string {
	kind := "read"
	if c.write {
		kind = "write"
	}
	text := fmt.Sprintf("%s %d: %s %s", kind, c.number, c.verb, c.resource)
	for _, part := range []string{c.name, c.subresource} {
		if part != "" {
			text += " " + hash.ReplaceAllString(part, "")
		}
	}
	return text
}

// holdFor is how long a cache that is held hears nothing: the operator makes several passes in that time. lag is how long
// that of an operator does which has just begun.
const (
	holdFor = 400 * time.Millisecond
	lag     = time.Second
)

// cached are the resources that the operator reads from caches.
var cached = []string{"storagebenchmarks", "jobs", "pods", "persistentvolumeclaims"}

// scheduled are those that it reads from caches for schedules.
var scheduled = []string{"storagebenchmarkschedules", "storagebenchmarks"}

// meet numbers a call and decides about it.
func (w *wire) meet(c call) fate {
	w.mu.Lock()
	defer w.mu.Unlock()
	count := &w.reads
	if c.write {
		count = &w.writes
	}
	*count++
	c.number = *count
	w.calls = append(w.calls, c)
	f := w.decide(c)
	w.hit = w.hit || !f.isNone()
	for _, resource := range f.hold {
		w.held[resource] = time.Now().Add(holdFor)
	}
	return f
}

// hold has caches hear nothing about the resources for a time.
func (w *wire) hold(resources []string, d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, resource := range resources {
		w.held[resource] = time.Now().Add(d)
	}
}

// remember takes down the version of the benchmark, or schedule, that a write has made.
func (w *wire) remember(c call, response *http.Response) error {
	if !c.write || !slices.Contains(scheduled, c.resource) || response.StatusCode/100 != 2 {
		return nil
	}
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	_ = response.Body.Close()
	response.Body = io.NopCloser(bytes.NewReader(text))
	var object metav1.PartialObjectMetadata
	if err := json.Unmarshal(text, &object); err != nil || object.ResourceVersion == "" { // of a deletion there is only a status
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.versions = append(w.versions, object.ResourceVersion)
	return nil
}

// past returns the version of the world of two writes to the benchmark ago, "" if there were none.
func (w *wire) past() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.versions) < 3 {
		return ""
	}
	return w.versions[len(w.versions)-3]
}

func (w *wire) heldUntil(resource string) time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.held[resource]
}

// seen returns the writes, or reads, and whether something has happened to one.
func (w *wire) seen(writes bool) (calls []call, hit bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(w.calls), func(c call) bool { return c.write != writes }), w.hit
}

// life is one operator's end of the wire.
type life struct {
	wire *wire
	base http.RoundTripper
	end  func()
	dead atomic.Bool
	// travel is the version of the world that the caches begin with, instead of the newest one; "" for that.
	travel string
}

var (
	errDead = errors.New("the operator is dead")
	errLost = errors.New("the connection to the API server was lost")
)

// RoundTrip sends a request, or does with it what the wire decides.
func (l *life) RoundTrip(request *http.Request) (*http.Response, error) {
	c, counts := parse(request)
	switch {
	case l.dead.Load() && c.resource == "events":
		return answer(request, failure(http.StatusInternalServerError, metav1.StatusReasonInternalError, errDead.Error())), nil
	case l.dead.Load():
		return nil, errDead
	case !counts:
		return l.inform(request, c)
	}
	f := l.wire.meet(c)
	switch {
	case f.before:
		l.die()
		return nil, errDead
	case f.status != nil && !f.done:
		return answer(request, f.status), nil
	}
	response, err := l.base.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	if err := l.wire.remember(c, response); err != nil {
		return nil, err
	}
	if f.after {
		l.die()
	}
	switch {
	case l.dead.Load():
		err = errDead
	case f.lost:
		err = errLost
	case f.done:
	default:
		return response, nil
	}
	_, _ = io.Copy(io.Discard, response.Body)
	_ = response.Body.Close()
	if err != nil {
		return nil, err
	}
	return answer(request, f.status), nil
}

func (l *life) die() {
	l.dead.Store(true)
	l.end()
}

// inform sends what does not count, such as the watches of caches.
func (l *life) inform(request *http.Request, c call) (*http.Response, error) {
	query := request.URL.Query()
	if l.travel != "" && query.Has("resourceVersion") {
		switch {
		case query.Get("sendInitialEvents") == "true":
			// So the cache lists first, which can be had of the past.
			return answer(request, failure(http.StatusUnprocessableEntity, metav1.StatusReasonInvalid, "list first")), nil
		case query.Get("watch") == "" && query.Get("resourceVersion") == "0":
			request = request.Clone(request.Context())
			query.Set("resourceVersion", l.travel)
			query.Set("resourceVersionMatch", string(metav1.ResourceVersionMatchExact))
			request.URL.RawQuery = query.Encode()
		}
	}
	response, err := l.base.RoundTrip(request)
	if err == nil && query.Get("watch") != "" {
		response.Body = &news{ReadCloser: response.Body, wire: l.wire, resource: c.resource, done: request.Context().Done()}
	}
	return response, err
}

// news is what a cache hears of a resource, at once or later.
type news struct {
	io.ReadCloser
	wire     *wire
	resource string
	done     <-chan struct{}
}

func (n *news) Read(p []byte) (int, error) {
	count, err := n.ReadCloser.Read(p)
	if wait := time.Until(n.wire.heldUntil(n.resource)); wait > 0 && err == nil {
		n.wire.delayed.Add(1)
		select {
		case <-time.After(wait):
		case <-n.done:
		}
	}
	return count, err
}

// parse says what a request is about, and whether it counts.
func parse(request *http.Request) (c call, counts bool) {
	parts := strings.Split(strings.Trim(request.URL.Path, "/"), "/")
	switch {
	case parts[0] == "api" && len(parts) > 2:
		parts = parts[2:]
	case parts[0] == "apis" && len(parts) > 3:
		parts = parts[3:]
	default:
		return call{}, false
	}
	if parts[0] == "namespaces" && len(parts) > 2 {
		parts = parts[2:]
	}
	c = call{verb: request.Method, resource: parts[0], write: request.Method != http.MethodGet}
	if len(parts) > 1 {
		c.name = parts[1]
	}
	if len(parts) > 2 {
		c.subresource = parts[2]
	}
	query := request.URL.Query()
	ofCache := query.Get("watch") != "" || query.Has("resourceVersion")
	return c, c.resource != "events" && !ofCache
}

// failure returns what the API server says of a call that fails.
func failure(code int32, reason metav1.StatusReason, message string) *metav1.Status {
	return &metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"},
		Status:   metav1.StatusFailure, Code: code, Reason: reason, Message: message,
	}
}

// answer makes a response of it.
func answer(request *http.Request, status *metav1.Status) *http.Response {
	text, err := json.Marshal(status)
	if err != nil {
		panic(err)
	}
	header := http.Header{"Content-Type": {"application/json"}}
	if status.Details != nil && status.Details.RetryAfterSeconds > 0 {
		header.Set("Retry-After", strconv.Itoa(int(status.Details.RetryAfterSeconds)))
	}
	return &http.Response{
		StatusCode: int(status.Code), Status: http.StatusText(int(status.Code)), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: header, Body: io.NopCloser(bytes.NewReader(text)), ContentLength: int64(len(text)), Request: request,
	}
}
