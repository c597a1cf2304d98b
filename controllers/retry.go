package controllers

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/legible"
)

const (
	// minRetry is how soon a pass that met an error is repeated. Each time the wait is twice as long, so that an API server that is busy is left
	// alone. It is never longer than maxRetry, so that deadlines are kept.
	minRetry = 100 * time.Millisecond
	maxRetry = 15 * time.Second
	// quietErrors is how long errors may go on before users are told. Most are over by then.
	quietErrors = 10 * time.Second
)

// resultPatience is how long the result of a run waits for calls that fail, and that only add to it.
const resultPatience = time.Minute

// retryAfterErrors decides when a pass that met an error is repeated.
func retryAfterErrors() workqueue.TypedRateLimiter[reconcile.Request] {
	return workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](minRetry, maxRetry)
}

// errFault is a fault in the operator itself. It is an error like others: it has a deadline, and users are told.
var errFault = errors.New("fault in the operator, please report it with its log")

// catch makes an error of a panic. Defer it in the goroutine that may panic.
func catch(ctx context.Context, err *error) {
	if fault := recover(); fault != nil {
		*err = fmt.Errorf("%w: %v", errFault, fault)
		ctrl.LoggerFrom(ctx).Error(*err, "A pass ended in a fault", "stack", string(debug.Stack()))
	}
}

// passPatience is how long a pass may take. Few workers make passes, and other benchmarks wait for them.
const passPatience = 5 * time.Minute

// guarded makes a pass, and drops what it had begun to write into the status if it ends in a fault.
func (p *pass) guarded(ctx context.Context) (result ctrl.Result, err error) {
	ended := false
	defer func() {
		if !ended {
			p.sb.Status = *p.before.Status.DeepCopy()
		}
	}()
	defer catch(ctx, &err)
	limited, cancel := context.WithTimeout(ctx, passPatience)
	defer cancel()
	result, err = p.advance(limited)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		err = fmt.Errorf("the pass was ended after %s, the longest that one may take: look whether the API server or a webhook is slow: %w", passPatience, err)
	}
	ended = true
	return result, err
}

// noteError tells users of errors that go on from pass to pass. It ends measuring when they have gone on for as long as the benchmark may wait for what they
// keep from happening. Clean-up has a deadline of its own.
func (s *writer) noteError(err error) {
	since, told := s.tellError(err)
	if !told {
		return
	}
	if from, limit, what := s.waits().Patience(since); !s.sb.Status.HasMeasured() && s.remaining(from, limit) <= 0 {
		s.fail(v1alpha1.ReasonDeadlineExceeded, fmt.Sprintf("%s; the last error: %v", limit.Waited(what), err))
	}
}

// tellError tells users of an error that goes on from pass to pass. It returns since when errors go on, and whether that is so long that users are told.
func (s *writer) tellError(err error) (since time.Time, told bool) {
	since = s.firstError()
	s.memory.failingSince = since
	if s.now.Sub(since) < quietErrors {
		return since, false
	}
	s.setCondition(v1alpha1.ConditionRetrying, metav1.ConditionTrue, v1alpha1.ReasonError, s.retold(v1alpha1.ConditionRetrying, "", legible.Fit(err.Error(), maxErrorMessage)))
	meta.FindStatusCondition(s.sb.Status.Conditions, v1alpha1.ConditionRetrying).LastTransitionTime = metav1.NewTime(since)
	return since, true
}

// retractError no longer tells users that errors go on.
func (s *writer) retractError() {
	meta.RemoveStatusCondition(&s.sb.Status.Conditions, v1alpha1.ConditionRetrying)
}

// retellAfter is how long a message about something that goes on stays as it is.
const retellAfter = 2 * time.Second

// toldWords is what the message of a condition was about, and when it was written.
type toldWords struct {
	about string
	at    time.Time
}

// retold returns the message of a condition about something that goes on. An error may have other words in each pass, such as the port of a connection. To write
// them would start the next pass at once, and not when it is time to try again. So the message stays as it is until retellAfter is over. It begins with about,
// which tells one matter from another.
func (s *writer) retold(condition, about, text string) string {
	text = legible.Fit(about+text, maxConditionMessage)
	now, told := s.sb.Status.Condition(condition).Message, s.memory.told[condition]
	if now == text {
		return text
	}
	if now != "" && told.about == about && strings.HasPrefix(now, about) && s.now.Sub(told.at) < retellAfter {
		return now
	}
	if s.memory.told == nil {
		s.memory.told = map[string]toldWords{}
	}
	s.memory.told[condition] = toldWords{about: about, at: s.now.Time}
	return text
}

// isResultLate says whether calls have failed for so long that the result of a run is taken without what they were to add to it. Else it could be lost.
func (s *scope) isResultLate() bool { return s.now.Sub(s.firstError()) >= resultPatience }

// firstError returns since when each pass has met an error. If an operator before this one has seen that, the condition tells.
func (s *scope) firstError() time.Time {
	if since := s.memory.failingSince; !since.IsZero() {
		return since
	}
	if told := s.sb.Status.Condition(v1alpha1.ConditionRetrying); told.Status == metav1.ConditionTrue {
		return told.LastTransitionTime.Time
	}
	return s.now.Time
}
