package world

import (
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/humanize"
)

// These messages list the fields that are kept of each kind, by their numbers in generated.proto of k8s.io/api and
// k8s.io/apimachinery. The numbers never change.

// maxListed is how many things are kept of a list in a pod or a Job. Ours have a few, and those that a webhook adds.
const maxListed = 100

var (
	whole  = keptField{}
	listed = keptField{most: maxListed}
)

// slimWatchEvent has the type of an event of a watch, and of its object what is kept of that.
var slimWatchEvent = Message{1: whole, 2: {Of: Message{1: {into: Slim}}}}

// SlimKinds has what is kept of objects of a kind. All is of others.
var SlimKinds = map[string]Message{
	"Pod": slimPod, "Job": slimJob, "PersistentVolumeClaim": slimClaim, "Event": slimEvent, "ConfigMap": slimConfigMap,
	"PartialObjectMetadata": slimMetadata,
}

// KeptOf returns what is kept of a kind, or of a list of such, nil for all of it.
func KeptOf(kind string) Message {
	item, isList := strings.CutSuffix(kind, "List")
	kept := SlimKinds[item]
	if isList && kept != nil {
		return Message{1: whole, 2: {Of: kept}}
	}
	return kept
}

// slimMeta leaves out selfLink (4), finalizers (14), managedFields (17), owners that do not control the object, and all
// labels and annotations that the operator does not read: of 1.5 MiB of short ones each takes 10 times as much memory.
var slimMeta = keptField{Of: Message{
	1: whole, 2: whole, 3: whole, 5: whole, 6: whole, 7: whole, 8: whole, 9: whole, 10: whole, // names, versions, times
	11: {only: hasKey(slimLabels)}, 12: {only: hasKey(slimAnnotations)},
	13: {only: IsController, most: 1},
}}

// slimLabels are the labels that the operator reads from its children, and from its volumes and classes.
var slimLabels = append([]string{v1alpha1.LabelNamespace, v1alpha1.LabelUID}, ReadLabels...)

// slimAnnotations are the annotations that the operator reads, and the one by which an informer knows that it has heard
// of all objects.
var slimAnnotations = append([]string{metav1.InitialEventsAnnotationKey}, ReadAnnotations...)

// hasKey returns a function that reports whether an entry of a map has one of the keys.
func hasKey(keys []string) func([]byte) bool {
	return func(entry []byte) bool {
		has := false
		_ = eachField(entry, func(number protowire.Number, value, _ []byte) error {
			has = has || number == 1 && slices.Contains(keys, string(value))
			return nil
		})
		return has
	}
}

// IsController reports whether an owner controls the object.
func IsController(owner []byte) bool {
	controls := false
	_ = eachField(owner, func(number protowire.Number, _, field []byte) error {
		if number == 6 {
			controls = field[len(field)-1] != 0
		}
		return nil
	})
	return controls
}

var slimMetadata = Message{1: slimMeta}

var slimPod = Message{1: slimMeta, 2: {Of: Message{
	2:  {Of: slimContainer, most: maxListed},
	10: whole,                   // nodeName
	14: {Of: Message{5: whole}}, // fsGroup of the securityContext
}}, 3: {Of: Message{
	1: whole, 3: whole, 4: whole, 7: whole, 11: whole, // phase, message, reason, startTime, nominatedNodeName
	2:  listed,                                     // conditions
	8:  {Of: slimContainerStatus, most: maxListed}, // of containers
	10: {Of: slimContainerStatus, most: maxListed}, // of init containers
}}}

var slimContainer = Message{
	1: whole,                                    // name
	4: listed,                                   // args
	7: {Of: Message{1: whole}, most: maxListed}, // the names of variables
	8: {Of: Message{1: listed}},                 // limits
}

// slimContainerStatus has name, state, lastState, ready, restartCount and started.
var slimContainerStatus = Message{1: whole, 2: whole, 3: whole, 4: whole, 5: whole, 9: whole}

var slimJob = Message{1: slimMeta, 2: {Of: Message{
	6: {Of: Message{1: slimMeta}}, // of the template its metadata
}}, 3: {Of: Message{
	1: listed,                                                             // conditions
	2: whole, 3: whole, 4: whole, 5: whole, 6: whole, 11: whole, 9: whole, // times and counts
}}}

var slimClaim = Message{1: slimMeta, 2: {Of: Message{
	1: listed,                              // accessModes
	3: whole, 5: whole, 6: whole, 9: whole, // volumeName, storageClassName, volumeMode, volumeAttributesClassName
}}, 3: {Of: Message{
	1: whole, // phase
}}}

// slimEvent has reason, message, type and times. It cuts a long text to the length that a condition can take.
var slimEvent = Message{1: slimMeta, 3: shortText, 4: shortText, 6: whole, 7: whole, 9: whole, 10: whole, 11: whole}

var shortText = keptField{into: func(text []byte) ([]byte, error) {
	if len(text) <= MaxConditionMessage {
		return text, nil
	}
	return []byte(humanize.Fit(string(text[:MaxConditionMessage]), MaxConditionMessage)), nil
}}

// slimConfigMap keeps the history chunk and the fields that identify the ConfigMap and its owner. Tenants can write
// 170,000 other keys, which take 8.5 times as much memory when they are decoded.
var slimConfigMap = Message{1: {Of: Message{
	1: whole, 3: whole, 5: whole, 6: whole, // name, namespace, uid, resourceVersion
	13: {only: IsController, most: 1},
}}, 3: {only: hasKey([]string{v1alpha1.HistoryKey}), most: 1}, 4: whole} // binaryData, immutable
