package export

import (
	"encoding/json"
	"errors"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/expectation"
	"github.com/storagebench/storagebench/internal/plan"
)

// Document is a benchmark's results for programs such as jq. It is flat where the resource is nested, so that one filter
// finds all figures. Ratios and p-values are texts, as in the resource: jq compares them after tonumber. What exists keeps
// its name and meaning; fields may be added.
type Document struct {
	Benchmark Benchmark               `json:"benchmark"`
	Targets   []v1alpha1.TargetStatus `json:"targets"`
	// Results are all that was measured: of each run each direction.
	Results []Measurement `json:"results"`
	// Comparisons are the same over the repetitions.
	Comparisons []ComparedIO `json:"comparisons"`
	// Searches are the highest loads within latency budgets, as status.searches has them.
	Searches []v1alpha1.SearchResult `json:"searches"`
	// Expectations are what the results have to be, and whether they are. There are none before the benchmark's end.
	Expectations      []Expected                  `json:"expectations"`
	Warnings          []v1alpha1.WarningSummary   `json:"warnings"`
	AbandonedAttempts []v1alpha1.AbandonedAttempt `json:"abandonedAttempts"`
	// Resource is the StorageBenchmark itself, by which the document can be read back.
	Resource *v1alpha1.StorageBenchmark `json:"resource"`
}

// Printed is what is read of a document that a command printed as JSON: a Document, a HistoryDocument or a
// PairDocument.
type Printed struct {
	// Kind is set of resources, which are no such documents.
	Kind      string          `json:"kind"`
	Benchmark json.RawMessage `json:"benchmark"`
	Results   json.RawMessage `json:"results"`
	// Points are those of a HistoryDocument, and Differences those of a PairDocument.
	Points      json.RawMessage            `json:"points"`
	Differences json.RawMessage            `json:"differences"`
	Resource    *v1alpha1.StorageBenchmark `json:"resource"`
}

// IsOurs reports whether it is one of these documents.
func (p *Printed) IsOurs() bool {
	return p.Kind == "" && (p.Benchmark != nil && p.Results != nil || p.Points != nil || p.Differences != nil)
}

// Check returns an error if the document does not hold a benchmark. The error says what the document lacks.
func (p *Printed) Check() error {
	switch {
	case p.Points != nil:
		return errors.New("this is the history of a schedule as JSON, which lacks the schedule itself: " +
			"save it with kubectl get storagebenchmarkschedules,configmaps -o yaml")
	case p.Differences != nil:
		return errors.New("this is a comparison as JSON, which lacks the runs of both benchmarks: " +
			"save these, and compare them again")
	case p.Resource == nil:
		return errors.New("an older version printed this, and it lacks the spec, the conditions and the runs themselves: " +
			"print it again with report -o json, or save the resource with kubectl get -o yaml")
	}
	return nil
}

// Benchmark says which benchmark it was, and how it ended.
type Benchmark struct {
	Namespace string    `json:"namespace"`
	Name      string    `json:"name"`
	UID       types.UID `json:"uid,omitempty"`
	// Baseline is the target that the others are compared with.
	Baseline string `json:"baseline"`
	// Reason and Message are those of condition Succeeded: the step that the benchmark is at, or the outcome.
	Reason         string       `json:"reason,omitempty"`
	Message        string       `json:"message,omitempty"`
	StartTime      *metav1.Time `json:"startTime,omitempty"`
	CompletionTime *metav1.Time `json:"completionTime,omitempty"`
	PlannedRuns    int32        `json:"plannedRuns"`
	FinishedRuns   int32        `json:"finishedRuns"`
}

// JSON prints a Document.
func JSON(w io.Writer, sb *v1alpha1.StorageBenchmark) error {
	status := &sb.Status
	return writeJSON(w, Document{
		Benchmark: benchmarkOf(sb), Targets: orEmpty(status.Targets), Results: measurementsOf(status),
		Comparisons: comparedIO(status.Comparisons, func(int) string { return "" }), Searches: orEmpty(status.Searches),
		Expectations: expectedOf(expectation.Told(sb)), Warnings: orEmpty(status.Warnings),
		AbandonedAttempts: orEmpty(status.AbandonedAttempts), Resource: ResourceOf(sb),
	})
}

// ResourceOf returns the resource as kubectl prints it: with its kind, and without managed fields.
func ResourceOf(sb *v1alpha1.StorageBenchmark) *v1alpha1.StorageBenchmark {
	whole := *sb
	whole.TypeMeta = metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: "StorageBenchmark"}
	whole.ManagedFields = nil
	return &whole
}

// benchmarkOf returns which benchmark it is.
func benchmarkOf(sb *v1alpha1.StorageBenchmark) Benchmark {
	succeeded := sb.Status.Condition(v1alpha1.ConditionSucceeded)
	return Benchmark{
		Namespace: sb.Namespace, Name: sb.Name, UID: sb.UID, Baseline: plan.Baseline(&sb.Spec),
		StartTime: sb.Status.StartTime, CompletionTime: sb.Status.CompletionTime,
		PlannedRuns: sb.Status.PlannedRuns, FinishedRuns: sb.Status.FinishedRuns,
		Reason: succeeded.Reason, Message: succeeded.Message,
	}
}

// orEmpty returns [] for nil, so that programs need not care.
func orEmpty[T any](all []T) []T {
	if all == nil {
		return []T{}
	}
	return all
}

// writeJSON prints indented JSON, in which < and & stay as they are.
func writeJSON(w io.Writer, document any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(document)
}
