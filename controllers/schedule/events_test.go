package schedule

import (
	"fmt"
	"strings"

	eventsv1 "k8s.io/api/events/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// events returns how often users were told of a schedule for a reason, and the last words of that.
func (w *world) events(s *v1alpha1.StorageBenchmarkSchedule, reason string) (times int, note string, err error) {
	var list eventsv1.EventList
	if err := w.Client.List(w.Context(), &list, client.InNamespace(w.Namespace)); err != nil {
		return 0, "", err
	}
	for i := range list.Items {
		e := &list.Items[i]
		if e.Regarding.UID != s.UID || e.Reason != reason {
			continue
		}
		times, note = times+1, e.Note
		if e.Series != nil {
			times += int(e.Series.Count) - 1
		}
	}
	return times, note, nil
}

// untilEvent waits until users were told once of a schedule for a reason, with these words.
func (w *world) untilEvent(s *v1alpha1.StorageBenchmarkSchedule, reason, words string) {
	w.Helper()
	w.Eventually(func() error {
		times, note, err := w.events(s, reason)
		if err == nil && (times != 1 || !strings.Contains(note, words)) {
			return fmt.Errorf("%d events %s, with %q, want one with %q", times, reason, note, words)
		}
		return err
	})
}
