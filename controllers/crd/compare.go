package crd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/openapi"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// Check compares the schemas of the cluster's CustomResourceDefinitions with the operator's types, as a readiness
// check. It asks for the published OpenAPI documents, which every service account may read.
type Check struct {
	// OpenAPI reads the documents of the API server.
	OpenAPI openapi.Client
	// passed is set once no field was missing. A definition that is replaced later is noticed by the writes.
	passed atomic.Bool
}

// Ready implements healthz.Checker. It returns an error while a definition lacks fields that the operator writes. Where
// the schemas cannot be read or are not published yet, the operator counts as ready.
func (c *Check) Ready(request *http.Request) error {
	if c.passed.Load() {
		return nil
	}
	missing, err := c.missing()
	if err != nil {
		ctrl.LoggerFrom(request.Context()).Info("Cannot compare the CustomResourceDefinitions", "reason", err.Error())
		return nil
	}
	if len(missing) > 0 {
		return tooOld(missing)
	}
	c.passed.Store(true)
	return nil
}

// Start implements manager.Runnable: it logs at once what Ready would return.
func (c *Check) Start(ctx context.Context) error {
	if missing, err := c.missing(); err == nil && len(missing) > 0 {
		ctrl.LoggerFrom(ctx).Error(tooOld(missing), "CustomResourceDefinitions are too old")
	}
	return nil
}

// NeedLeaderElection implements manager.LeaderElectionRunnable: each replica checks.
func (*Check) NeedLeaderElection() bool { return false }

// named is how many missing fields an error names.
const named = 5

func tooOld(missing []string) error {
	text := strings.Join(missing[:min(named, len(missing))], ", ")
	if more := len(missing) - named; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Errorf("the API server does not know %s: %s", text, older)
}

// missing returns the fields of the operator's kinds that the API server does not know.
func (c *Check) missing() ([]string, error) {
	paths, err := c.OpenAPI.Paths()
	if err != nil {
		return nil, fmt.Errorf("list the OpenAPI documents: %w", err)
	}
	group, published := paths["apis/"+v1alpha1.GroupVersion.String()]
	if !published {
		return nil, errors.New("the API server has not published their schemas")
	}
	text, err := group.Schema(runtime.ContentTypeJSON)
	if err != nil {
		return nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	return MissingFields(text)
}

// schema is the part of an OpenAPI schema that names fields.
type schema struct {
	Properties           map[string]*schema `json:"properties"`
	Items                *schema            `json:"items"`
	AdditionalProperties *schema            `json:"additionalProperties"`
}

// kinds are the types that the operator writes, by their names in the OpenAPI document.
var kinds = map[string]reflect.Type{
	"StorageBenchmark":         reflect.TypeFor[v1alpha1.StorageBenchmark](),
	"StorageBenchmarkSchedule": reflect.TypeFor[v1alpha1.StorageBenchmarkSchedule](),
}

// MissingFields returns the fields of spec and status that an OpenAPI document of storagebench.dev/v1alpha1 lacks, such
// as "StorageBenchmark.status.runs.job". A kind without a schema is left out: schedules are optional.
func MissingFields(document []byte) ([]string, error) {
	var read struct {
		Components struct {
			Schemas map[string]*schema `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(document, &read); err != nil {
		return nil, fmt.Errorf("decode the OpenAPI document: %w", err)
	}
	var missing []string
	for name, found := range read.Components.Schemas {
		kind := name[strings.LastIndex(name, ".")+1:]
		written, known := kinds[kind]
		if !known {
			continue
		}
		for _, part := range []string{"spec", "status"} {
			missing = append(missing, lacking(kind+"."+part, fieldNamed(written, part), found.Properties[part])...)
		}
	}
	slices.Sort(missing)
	return missing, nil
}

// fieldNamed returns the type of a field of a struct, by its name in JSON.
func fieldNamed(of reflect.Type, name string) reflect.Type {
	for field := range of.Fields() {
		if jsonName(&field) == name {
			return field.Type
		}
	}
	return nil
}

// lacking returns what of a type a schema does not have. Below a field that is missing it does not look.
func lacking(path string, of reflect.Type, found *schema) []string {
	if found == nil {
		return []string{path}
	}
	switch of.Kind() {
	case reflect.Pointer:
		return lacking(path, of.Elem(), found)
	case reflect.Slice:
		if found.Items == nil { // such as bytes, which are a text
			return nil
		}
		return lacking(path, of.Elem(), found.Items)
	case reflect.Map:
		return lacking(path, of.Elem(), found.AdditionalProperties)
	case reflect.Struct:
		return lackingFields(path, of, found)
	default:
		return nil
	}
}

func lackingFields(path string, of reflect.Type, found *schema) []string {
	if found.Properties == nil { // such as a time or a quantity, which encode themselves
		return nil
	}
	var missing []string
	for field := range of.Fields() {
		switch name := jsonName(&field); {
		case name == "-" || !field.IsExported():
		case name == "": // inlined
			missing = append(missing, lackingFields(path, field.Type, found)...)
		default:
			missing = append(missing, lacking(path+"."+name, field.Type, found.Properties[name])...)
		}
	}
	return missing
}

// jsonName returns the name of a field in JSON, "" where its fields are those of the struct around it.
func jsonName(field *reflect.StructField) string {
	name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	return name
}
