package world

import (
	"encoding/json"
	"math"
	"net/http"
	"path"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/lru"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// One StorageBenchmark that cannot be decoded, as with a number above an int32 that an earlier version of the CRD let
// pass, would end the list and the watch of all, and so stop all benchmarks. Lists and watches leave it out: to the
// operator it does not exist. An event and the log name it. Its objects stay, because orphans are told by metadata
// alone. The same holds for StorageBenchmarkSchedules.

// Undecodable tells of StorageBenchmarks that cannot be decoded.
type Undecodable struct {
	// Events tells users. It is to be set before anybody lists or watches.
	Events events.EventRecorder
	// Told has which version of a benchmark was told of last, by its UID. Telling of a version twice does no harm.
	Told *lru.Cache
}

// MaxTold is of how many benchmarks it is known that they were told of.
const MaxTold = 1000

// LeaveOutUndecodable has lists and watches by a config leave out StorageBenchmarks that cannot be decoded, and cuts
// the metadata of the others.
func LeaveOutUndecodable(config *rest.Config) *Undecodable {
	u := &Undecodable{Told: lru.New(MaxTold)}
	rewriteAnswers(config, func(request *http.Request, response *http.Response) error {
		empty := ReadsOurs(request)
		switch {
		case empty == nil || !IsOf(response, runtime.ContentTypeJSON):
			return nil
		case isWatch(request):
			events := json.NewDecoder(response.Body)
			replaceFrames(response, func() ([]byte, error) { return u.nextEvent(events, empty) })
			return nil
		}
		return replaceBody(response, math.MaxInt64, func(list []byte) ([]byte, error) {
			return u.decodableList(list, empty), nil
		})
	})
	return u
}

// Decodables are the resources that are left out, each with what makes an empty object.
var Decodables = map[string]func(metav1.ObjectMeta) client.Object{
	"storagebenchmarks": func(m metav1.ObjectMeta) client.Object {
		return &v1alpha1.StorageBenchmark{ObjectMeta: m}
	},
	"storagebenchmarkschedules": func(m metav1.ObjectMeta) client.Object {
		return &v1alpha1.StorageBenchmarkSchedule{ObjectMeta: m}
	},
}

// ReadsOurs says which objects a request lists or watches, with all that they have: nothing if they are not ours.
func ReadsOurs(request *http.Request) func(metav1.ObjectMeta) client.Object {
	group := "/apis/" + v1alpha1.GroupVersion.String() + "/"
	isMetadataOnly := strings.Contains(request.Header.Get("Accept"), "as=PartialObjectMetadata")
	if request.Method != http.MethodGet || !strings.Contains(request.URL.Path, group) || isMetadataOnly {
		return nil
	}
	return Decodables[path.Base(request.URL.Path)]
}

// decodableList returns the text of a list without the StorageBenchmarks that cannot be decoded.
func (u *Undecodable) decodableList(text []byte, empty func(metav1.ObjectMeta) client.Object) []byte {
	var list struct {
		APIVersion string            `json:"apiVersion"`
		Kind       string            `json:"kind"`
		Metadata   json.RawMessage   `json:"metadata"`
		Items      []json.RawMessage `json:"items"`
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return text
	}
	all, large := len(list.Items), false
	for i, item := range list.Items {
		list.Items[i], large = SlimOurs(item), large || len(item) >= SlimFrom
	}
	list.Items = slices.DeleteFunc(list.Items, func(item json.RawMessage) bool {
		_, left := u.LeftOut(item, empty)
		return left
	})
	if len(list.Items) == all && !large {
		return text
	}
	if encoded, err := json.Marshal(list); err == nil {
		return encoded
	}
	return text
}

// nextEvent returns the next event of a watch of StorageBenchmarks.
func (u *Undecodable) nextEvent(events *json.Decoder, empty func(metav1.ObjectMeta) client.Object) ([]byte, error) {
	var text json.RawMessage
	if err := events.Decode(&text); err != nil {
		return nil, err
	}
	return append(u.decodableEvent(text, empty), '\n'), nil
}

// decodableEvent returns the text of an event. A StorageBenchmark that cannot be decoded any more is deleted for who
// watches.
func (u *Undecodable) decodableEvent(text []byte, empty func(metav1.ObjectMeta) client.Object) []byte {
	var event metav1.WatchEvent
	if err := json.Unmarshal(text, &event); err != nil {
		return text
	}
	switch watch.EventType(event.Type) {
	case watch.Added, watch.Modified, watch.Deleted:
	case watch.Bookmark, watch.Error:
		return text
	}
	large := len(event.Object.Raw) >= SlimFrom
	event.Object.Raw = SlimOurs(event.Object.Raw)
	left, is := u.LeftOut(event.Object.Raw, empty)
	switch {
	case is:
		event.Type, event.Object.Raw = string(watch.Deleted), left
	case !large:
		return text
	}
	if encoded, err := json.Marshal(event); err == nil {
		return encoded
	}
	return text
}

// LeftOut reports whether a StorageBenchmark cannot be decoded, and returns the part of it that can.
func (u *Undecodable) LeftOut(text []byte, empty func(metav1.ObjectMeta) client.Object) ([]byte, bool) {
	why := utiljson.Unmarshal(text, empty(metav1.ObjectMeta{}))
	if why == nil {
		return nil, false
	}
	var named metav1.PartialObjectMetadata
	if err := utiljson.Unmarshal(text, &named); err != nil {
		return nil, false
	}
	named.ObjectMeta = metav1.ObjectMeta{
		Namespace: named.Namespace, Name: named.Name, UID: named.UID, ResourceVersion: named.ResourceVersion,
	}
	u.tell(empty(named.ObjectMeta), why)
	encoded, err := json.Marshal(named)
	return encoded, err == nil
}

// tell tells of a version of a StorageBenchmark, once, how to find it and what to do.
func (u *Undecodable) tell(named client.Object, why error) {
	if version, told := u.Told.Get(named.GetUID()); told && version == named.GetResourceVersion() {
		return
	}
	u.Told.Add(named.GetUID(), named.GetResourceVersion())
	ctrl.Log.Error(why, "A "+kindOf(named)+" cannot be read and is left alone: "+readable,
		"namespace", named.GetNamespace(), "name", named.GetName())
	if u.Events != nil {
		u.Events.Eventf(named, nil, corev1.EventTypeWarning, "Unreadable", "Read", "%s",
			LimitNote("the operator cannot read the "+kindOf(named)+" and leaves it alone: "+readable+": "+why.Error()))
	}
}

// kindOf names the kind of an object of ours.
func kindOf(object client.Object) string {
	if _, is := object.(*v1alpha1.StorageBenchmarkSchedule); is {
		return "StorageBenchmarkSchedule"
	}
	return "StorageBenchmark"
}

// readable is how to be rid of an object that cannot be read.
const readable = "correct the field, or delete what was made for it and remove its finalizer"
