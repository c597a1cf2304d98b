// Package audit compares what a user of the API server may do with what it did: rights that it has and does not use, and such
// that it lacks. What it did is in the API server's audit log.
package audit

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// The annotation by which the API server says what was decided about a request's user. A request that quota, Pod Security or
// a policy refuses has status 403 as well, and was allowed by it.
const (
	decisionAnnotation = "authorization.k8s.io/decision"
	forbidden          = "forbid"
)

// Request is a request to the API server, as its audit log has it.
type Request struct {
	Verb string `json:"verb"`
	URI  string `json:"requestURI"`
	User struct {
		Username string `json:"username"`
	} `json:"user"`
	// Object is what the request is about; nil for paths such as /healthz.
	Object *struct {
		Group       string `json:"apiGroup"`
		Resource    string `json:"resource"`
		Subresource string `json:"subresource"`
		Namespace   string `json:"namespace"`
		Name        string `json:"name"`
	} `json:"objectRef"`
	Response struct {
		Code int32 `json:"code"`
	} `json:"responseStatus"`
	Received    time.Time         `json:"requestReceivedTimestamp"`
	Annotations map[string]string `json:"annotations"`
}

// Denied says whether the user lacked the right to make the request.
func (r *Request) Denied() bool { return r.Annotations[decisionAnnotation] == forbidden }

// String names the request, such as "patch persistentvolumes gp3 (/api/v1/persistentvolumes/gp3)".
func (r *Request) String() string {
	if r.Object == nil {
		return r.Verb + " " + r.URI
	}
	return fmt.Sprintf("%s %s (%s)", r.Verb, resourceName(r.Object.Group, r.Object.Resource, r.Object.Subresource), r.URI)
}

// verbs returns the verbs that the user needed a right to. An apply that makes an object is logged as a patch, and needs the
// right to create as well.
func (r *Request) verbs() []string {
	if r.Verb == "patch" && r.Response.Code == http.StatusCreated {
		return []string{"patch", "create"}
	}
	return []string{r.Verb}
}

// Files returns the paths of a log and of the older ones that the API server has put aside, the oldest first.
func Files(path string) ([]string, error) {
	extension := filepath.Ext(path)
	old, err := filepath.Glob(strings.TrimSuffix(path, extension) + "-*" + extension)
	if err != nil {
		return nil, err
	}
	slices.Sort(old) // by the times in their names
	return append(old, path), nil
}

// maxBroken is how many lines may be broken off: an API server that is killed can leave one.
const maxBroken = 16

// Read returns the requests that a user has made since an instant. It fails if the log has more lines that are no request than
// API servers that were killed can leave.
func Read(log io.Reader, user string, since time.Time) ([]Request, error) {
	var requests []Request
	broken := 0
	buffer := bufio.NewReader(log)
	for {
		line, err := buffer.ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if strings.TrimSpace(line) != "" {
			var r Request
			if json.Unmarshal([]byte(line), &r) != nil {
				broken++
			} else if r.User.Username == user && !r.Received.Before(since) {
				requests = append(requests, r)
			}
		}
		if err != nil {
			break
		}
	}
	if broken > maxBroken {
		return nil, fmt.Errorf("%d lines are no requests: is it the audit log of an API server, in JSON?", broken)
	}
	return requests, nil
}

func resourceName(group, resource, subresource string) string {
	name := resource
	if group != "" {
		name += "." + group
	}
	if subresource != "" {
		name += "/" + subresource
	}
	return name
}
