package world

import (
	"encoding/json"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// StorageBenchmarks and schedules come as JSON, with as many labels as their text has room for: of 1.5 MiB of short
// ones each takes 10 times as much memory. So those that the operator does not read are cut out before they are
// decoded.

var (
	// benchmarkAnnotations and scheduleAnnotations are those that the operator reads.
	benchmarkAnnotations = []string{v1alpha1.AnnotationResultMetrics, v1alpha1.AnnotationHistoryKept}
	scheduleAnnotations  = []string{v1alpha1.AnnotationAcknowledged, v1alpha1.AnnotationBaselineFrom}
)

// SlimFrom is from how many bytes on the text of an object is cut. Others take little memory anyway.
const SlimFrom = 32 << 10

// SlimOurs leaves out what the operator does not read of the metadata of a StorageBenchmark or a schedule.
func SlimOurs(text []byte) []byte {
	if len(text) < SlimFrom {
		return text
	}
	var object, metadata map[string]json.RawMessage
	if json.Unmarshal(text, &object) != nil || json.Unmarshal(object["metadata"], &metadata) != nil {
		return text
	}
	delete(metadata, "labels")
	delete(metadata, "managedFields")
	if annotations, found := metadata["annotations"]; found { // 256 KiB at most
		var all map[string]string
		if json.Unmarshal(annotations, &all) != nil {
			return text
		}
		metadata["annotations"], _ = json.Marshal(ReadOf(all, slices.Concat(benchmarkAnnotations, scheduleAnnotations)))
	}
	object["metadata"], _ = json.Marshal(metadata)
	if cut, err := json.Marshal(object); err == nil {
		return cut
	}
	return text
}

// isOneOfOurs reports whether a request is about one StorageBenchmark or schedule, by its name.
func isOneOfOurs(request *http.Request) bool {
	group := "/apis/" + v1alpha1.GroupVersion.String() + "/"
	return strings.Contains(request.URL.Path, group) && Decodables[path.Base(request.URL.Path)] == nil
}
