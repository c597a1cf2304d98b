package crash

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// The operator is killed before one of its writes reaches the API server, or after that has done what it was asked for
// but before it has answered. Another one, without a memory, goes on. After a write and before the next one the API server
// holds the same, so that only the smallest benchmark is played both ways, unless all are asked for.
func TestKilledAtEachWrite(t *testing.T) {
	forEach(t, func(t *cases, s scenario, undisturbed played) {
		for n, write := range undisturbed.writes {
			kill := func(moment string, f fate) {
				t.Run(fmt.Sprintf("%s %s", moment, write), func(t *testing.T) {
					t.Parallel()
					p := play(t, s, disturbance{decide: atWrite(n+1, f), downtime: s.downtime})
					check(t, undisturbed, p)
				})
			}
			kill("after", fate{after: true})
			if isAll() || n == 0 || s.deleteDuring != "" {
				kill("before", fate{before: true})
			}
		}
	})
}

// An operator is killed at each second write of an object, the first one included, or at a quarter of its reads. Not at
// each: what is not finished is begun anew, and the first write of that would be the last one of every operator.
func TestKilledAllTheTime(t *testing.T) {
	forEach(t, func(t *cases, s scenario, undisturbed played) {
		random := rand.New(rand.NewPCG(1, 0))
		for _, kill := range []struct {
			when   string
			decide func(call) fate
		}{
			{"after writes", atFirstTries(fate{after: true})},
			{"before writes", atFirstTries(fate{before: true})},
			{"before reads", func(c call) fate { return fate{before: !c.write && random.IntN(4) == 0} }},
		} {
			t.Run(kill.when, func(t *testing.T) {
				t.Parallel()
				check(t, undisturbed, play(t, s, disturbance{decide: kill.decide}))
			})
		}
	})
}

// What the next operator reads is older than what the last one wrote, because the API server that it asks lags behind.
func TestNextOperatorReadsThePast(t *testing.T) {
	forEach(t, func(t *cases, s scenario, undisturbed played) {
		for n, write := range undisturbed.writes {
			if !isAll() && n%8 != 7 {
				continue
			}
			t.Run("after "+write.String(), func(t *testing.T) {
				t.Parallel()
				p := play(t, s, disturbance{decide: atWrite(n+1, fate{after: true}), travels: true})
				check(t, undisturbed, p)
			})
		}
	})
}

// Clients that were to begin together cannot when the operator dies before it has told all of them, and the next one
// comes too late. That costs an attempt, the only thing that a crash may cost, and no result.
func TestKilledBeforeClientsHear(t *testing.T) {
	t.Parallel()
	chosen, s := draw(t, t.Name()), scenarios[1]
	for n, who := range []string{"the first", "the second"} {
		chosen.Run(seeded(t, who), func(t *testing.T) {
			t.Parallel()
			undisturbed := s.undisturbed(t)
			told, fatal := 0, n+1
			p := play(t, s, disturbance{downtime: 10 * time.Second, decide: func(c call) fate {
				if tells := c.write && c.resource == "pods" && strings.HasPrefix(c.name, "sb-one-"); tells && c.verb == http.MethodPatch {
					told++
					return fate{before: told == fatal}
				}
				return fate{}
			}})
			if run := &p.Status.Runs[0]; run.Attempts != 2 || run.Disruptions != 1 {
				t.Errorf("run has %d attempts and %d disruptions", run.Attempts, run.Disruptions)
			}
			if kept := p.Status.AbandonedAttempts; len(kept) != 1 || kept[0].Attempt != 1 || kept[0].Reason != v1alpha1.AbandonLate {
				t.Errorf("abandoned attempts are %+v", kept)
			}
			p.Status.AbandonedAttempts = nil
			again := cmpopts.IgnoreFields(v1alpha1.Run{}, "Attempts", "Disruptions", "Job")
			if diff := cmp.Diff(undisturbed.Status, p.Status, timesAside, again); diff != "" {
				t.Errorf("status (-undisturbed +disturbed):\n%s", diff)
			}
			want := maps.Clone(undisturbed.Executions)
			want["run one.own, attempt 2 by client 0"], want["run one.own, attempt 2 by client 1"] = 1, 1
			if diff := cmp.Diff(want, p.Executions); diff != "" || len(p.Left) > 0 {
				t.Errorf("left are %v, and done was (-want +got):\n%s", p.Left, diff)
			}
		})
	}
}

// forEach plays each scenario undisturbed, and has the function play it in other ways.
func forEach(t *testing.T, do func(*cases, scenario, played)) {
	t.Helper()
	t.Parallel()
	for _, s := range scenarios {
		group := t.Name() + "/" + s.name
		t.Run(seeded(t, s.name), func(t *testing.T) {
			t.Parallel()
			do(draw(t, group), s, s.undisturbed(t))
		})
	}
}

// seeded adds to the name of a test by which seed its cases are chosen.
func seeded(t *testing.T, name string) string {
	t.Helper()
	if played, _ := playedExtent(); played != tenth {
		return name
	}
	return fmt.Sprintf("%s, tenth of seed %d", name, tenthSeed(t))
}

// control is a scenario that nothing disturbs, which is played once for all tests.
type control struct {
	once sync.Once
	played
	succeeded bool
}

// controls has the control of each scenario by its name.
var controls = func() map[string]*control {
	all := map[string]*control{}
	for _, s := range scenarios {
		all[s.name] = &control{}
	}
	return all
}()

// undisturbed returns what becomes of the scenario when nothing disturbs it.
func (s *scenario) undisturbed(t *testing.T) played {
	t.Helper()
	c := controls[s.name]
	c.once.Do(func() {
		c.played = s.playUndisturbed(t)
		c.succeeded = !t.Failed()
	})
	if !c.succeeded {
		t.Fatalf("%s: another test tells what goes wrong if nothing disturbs it", s.name)
	}
	return c.played
}

// playUndisturbed plays the scenario without anything in its way, which it has to survive for others to be compared with it.
func (s *scenario) playUndisturbed(t *testing.T) played {
	t.Helper()
	undisturbed := play(t, *s, disturbance{})
	t.Logf("%d writes and %d reads", len(undisturbed.writes), len(undisturbed.reads))
	if len(undisturbed.Left) > 0 {
		t.Fatalf("left are %v", undisturbed.Left)
	}
	for what, times := range undisturbed.Executions {
		if times != 1 {
			t.Fatalf("%s: %d times", what, times)
		}
	}
	return undisturbed
}

// atWrite has something happen to the write of that number.
func atWrite(number int, f fate) func(call) fate {
	return func(c call) fate {
		if c.write && c.number == number {
			return f
		}
		return fate{}
	}
}
