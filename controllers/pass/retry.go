package pass

import (
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/internal/humanize"
)

const (
	// minRetry is how soon a pass that met an error is repeated. Each time the wait is twice as long, so that an API
	// server that is busy is left alone.
	minRetry = 100 * time.Millisecond
	// MaxRetry is the longest such wait, so that deadlines are kept.
	MaxRetry = 15 * time.Second
	// QuietErrors is how long errors may go on before users are told. Most are over by then.
	QuietErrors = 10 * time.Second
)

// resultPatience is how long the result of a run waits for calls that fail, and that only add to it.
const resultPatience = time.Minute

// RetryAfterErrors decides when a pass that met an error is repeated.
func RetryAfterErrors() workqueue.TypedRateLimiter[reconcile.Request] {
	return workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](minRetry, MaxRetry)
}

// NoteError tells users of errors that go on from pass to pass. It ends measuring when they have gone on for as long as
// the benchmark may wait for what they keep from happening. Clean-up has a deadline of its own.
func (s *Pass) NoteError(err error) {
	since, told := s.TellError(err)
	if !told {
		return
	}
	if from, limit, what := s.Waits().Patience(since); !s.SB.Status.HasMeasured() && s.Remaining(from, limit) <= 0 {
		s.Fail(v1alpha1.ReasonDeadlineExceeded, fmt.Sprintf("%s; the last error: %v", limit.Waited(what), err))
	}
}

// TellError tells users of an error that goes on from pass to pass. It returns since when errors go on, and whether
// that is so long that users are told.
func (s *Pass) TellError(err error) (since time.Time, told bool) {
	since = s.FirstError()
	s.Memory.FailingSince = since
	if s.Now.Sub(since) < QuietErrors {
		return since, false
	}
	message := s.Retold(v1alpha1.ConditionRetrying, "", humanize.Fit(err.Error(), world.MaxErrorMessage))
	s.SetCondition(v1alpha1.ConditionRetrying, metav1.ConditionTrue, v1alpha1.ReasonError, message)
	meta.FindStatusCondition(s.SB.Status.Conditions, v1alpha1.ConditionRetrying).LastTransitionTime = metav1.NewTime(since)
	return since, true
}

// RetractError no longer tells users that errors go on.
func (s *Pass) RetractError() {
	meta.RemoveStatusCondition(&s.SB.Status.Conditions, v1alpha1.ConditionRetrying)
}

// retellAfter is how long a message about something that goes on stays as it is.
const retellAfter = 2 * time.Second

// Retold returns the message of a condition about something that goes on. An error may have other words in each pass,
// such as the port of a connection. To write them would start the next pass at once, and not when it is time to try
// again. So the message stays as it is until retellAfter is over. It begins with about, which tells one matter from
// another.
func (s *Pass) Retold(condition, about, text string) string {
	text = humanize.Fit(about+text, world.MaxConditionMessage)
	now, told := s.SB.Status.Condition(condition).Message, s.Memory.told[condition]
	if now == text {
		return text
	}
	if now != "" && told.about == about && strings.HasPrefix(now, about) && s.Now.Sub(told.at) < retellAfter {
		return now
	}
	if s.Memory.told == nil {
		s.Memory.told = map[string]toldWords{}
	}
	s.Memory.told[condition] = toldWords{about: about, at: s.Now.Time}
	return text
}

// IsResultLate reports whether calls have failed for so long that the result of a run is taken without what they would
// add to it. The result could be lost otherwise.
func (s *Pass) IsResultLate() bool { return s.Now.Sub(s.FirstError()) >= resultPatience }

// FirstError returns since when each pass has met an error. If an operator before this one has seen that, the condition
// tells.
func (s *Pass) FirstError() time.Time {
	if since := s.Memory.FailingSince; !since.IsZero() {
		return since
	}
	if told := s.SB.Status.Condition(v1alpha1.ConditionRetrying); told.Status == metav1.ConditionTrue {
		return told.LastTransitionTime.Time
	}
	return s.Now.Time
}
