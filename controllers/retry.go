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
	// minRetry and maxRetry are how soon a pass that met an error is repeated: each time half as soon, so that an API
	// server that is busy is left alone, but soon enough that deadlines are kept.
	minRetry = 100 * time.Millisecond
	maxRetry = 15 * time.Second
	// quietErrors is how long errors may go on before users are told. Most are over by then.
	quietErrors = 10 * time.Second
)

// resultPatience is how long errors may keep the result of a run from being taken, of calls that it does not depend on.
const resultPatience = time.Minute

// retries says when a pass that met an error is repeated.
type retries struct {
	workqueue.TypedRateLimiter[reconcile.Request]
	looks *looks
}

func retryAfterErrors(looks *looks) retries {
	return retries{workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](minRetry, maxRetry), looks}
}

// Forget has the next pass that meets an error repeated soon, unless this one waits for a look: what failed before was not tried.
func (r retries) Forget(request reconcile.Request) {
	if !r.looks.has(request.NamespacedName) {
		r.TypedRateLimiter.Forget(request)
	}
}

// errFault is a fault in the operator itself. It is an error like others: it has a deadline, and users are told.
var errFault = errors.New("fault in the operator, please report it with its log")

// catch makes an error of a panic. It is to be deferred, in the goroutine that may panic.
func catch(ctx context.Context, err *error) {
	if fault := recover(); fault != nil {
		*err = fmt.Errorf("%w: %v", errFault, fault)
		ctrl.LoggerFrom(ctx).Error(*err, "A pass ended in a fault", "stack", string(debug.Stack()))
	}
}

// passPatience is how long a pass may take: one of few workers makes it, which others wait for.
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

// noteError tells users of errors that go on from pass to pass, and ends measuring when that has lasted for as long as patience
// says: what the benchmark wants is not going to happen. Clean-up has a deadline of its own.
func (s *scope) noteError(err error) {
	since, told := s.tellError(err)
	if !told {
		return
	}
	if from, limit, what := s.waits().Patience(since); !s.concluded() && s.remaining(from, limit) <= 0 {
		s.fail(v1alpha1.ReasonDeadlineExceeded, fmt.Sprintf("%s; the last error: %v", limit.Waited(what), err))
	}
}

// tellError tells users of an error that goes on from pass to pass. It returns since when errors go on, and whether that is so long that users are told.
func (s *scope) tellError(err error) (since time.Time, told bool) {
	since = s.firstError()
	s.memory.failingSince = since
	if s.now.Sub(since) < quietErrors {
		return since, false
	}
	s.setCondition(v1alpha1.ConditionRetrying, metav1.ConditionTrue, v1alpha1.ReasonError, s.retold(v1alpha1.ConditionRetrying, "", legible.Fit(err.Error(), maxErrorMessage)))
	meta.FindStatusCondition(s.sb.Status.Conditions, v1alpha1.ConditionRetrying).LastTransitionTime = metav1.NewTime(since)
	return since, true
}

// retractError takes back that errors go on.
func (s *scope) retractError() {
	meta.RemoveStatusCondition(&s.sb.Status.Conditions, v1alpha1.ConditionRetrying)
}

// retellAfter is how long users are left with the words that they have, of something that goes on.
const retellAfter = 2 * time.Second

// toldWords is what the words of a condition were about, and when they were written.
type toldWords struct {
	about string
	at    time.Time
}

// retold returns the words for a condition about something that goes on: those that users have of it, while they are new. An error may have other words in each
// pass, as by the port of a connection. Each write of them starts a pass, at once and not when it is time to try again.
func (s *scope) retold(condition, about, text string) string {
	text = legible.Fit(about+text, maxConditionMessage)
	now, told := s.condition(condition).Message, s.memory.told[condition]
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

// isResultLate says whether errors have kept the result of a run from being taken for so long that it is taken without what
// the calls were to add to it: it must not be lost to them.
func (s *scope) isResultLate() bool { return s.now.Sub(s.firstError()) >= resultPatience }

// firstError returns since when each pass has met an error, also if that was seen by an operator before this one.
func (s *scope) firstError() time.Time {
	if since := s.memory.failingSince; !since.IsZero() {
		return since
	}
	if told := s.condition(v1alpha1.ConditionRetrying); told.Status == metav1.ConditionTrue {
		return told.LastTransitionTime.Time
	}
	return s.now.Time
}
