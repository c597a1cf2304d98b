package attempt

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

func TestStartLead(t *testing.T) {
	start := new(metav1.NewMicroTime(time.Unix(0, 0)))
	before := func(clients int32, lead, margin int64) v1alpha1.Run {
		return v1alpha1.Run{State: v1alpha1.RunSucceeded, Clients: clients, AgreedStart: start, StartLeadMilliseconds: lead, StartMarginMilliseconds: margin}
	}
	for _, test := range []struct {
		name string
		runs []v1alpha1.Run
		run  v1alpha1.Run
		want time.Duration
	}{
		{"nothing is known", nil, v1alpha1.Run{Clients: 2}, 2050 * time.Millisecond},
		{"more clients take longer", nil, v1alpha1.Run{Clients: 100}, 4500 * time.Millisecond},
		{"twice the slowest", []v1alpha1.Run{before(2, 3000, 2500), before(2, 3000, 1200)}, v1alpha1.Run{Clients: 2}, 3600 * time.Millisecond},
		{"not less than two seconds", []v1alpha1.Run{before(2, 3000, 2900)}, v1alpha1.Run{Clients: 2}, 2 * time.Second},
		{"a clock that is behind is not less", []v1alpha1.Run{before(2, 3000, 8000)}, v1alpha1.Run{Clients: 2}, 2 * time.Second},
		{"in proportion to the clients", []v1alpha1.Run{before(2, 3000, 2500)}, v1alpha1.Run{Clients: 8}, 4 * time.Second},
		{"not in proportion to fewer", []v1alpha1.Run{before(8, 3000, 1500)}, v1alpha1.Run{Clients: 2}, 3 * time.Second},
		{"of the last three", []v1alpha1.Run{before(2, 9000, 0), before(2, 3000, 1200), before(2, 3000, 2300), before(2, 3000, 2300)}, v1alpha1.Run{Clients: 2}, 3600 * time.Millisecond},
		{"what a late one wants", []v1alpha1.Run{before(2, 3000, 2500)}, v1alpha1.Run{Clients: 2, StartLeadMilliseconds: 8000}, 8 * time.Second},
		{"a minute at most", []v1alpha1.Run{before(2, 50_000, 0)}, v1alpha1.Run{Clients: 2}, time.Minute},
		{"runs without a result tell nothing", []v1alpha1.Run{{State: v1alpha1.RunFailed, AgreedStart: start, StartLeadMilliseconds: 9000}}, v1alpha1.Run{Clients: 2}, 2050 * time.Millisecond},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := StartLead(test.runs, &test.run); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// A start that was missed is set twice as far ahead, but no farther than clients are waited for.
func TestDoubleLead(t *testing.T) {
	for before, want := range map[int64]int64{0: 0, 2000: 4000, 50_000: 60_000} {
		run := v1alpha1.Run{StartLeadMilliseconds: before}
		if DoubleLead(&run); run.StartLeadMilliseconds != want {
			t.Errorf("from %d ms it is %d, want %d", before, run.StartLeadMilliseconds, want)
		}
	}
}
