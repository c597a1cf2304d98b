package crash

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// One or two operators take care of a schedule, and one is killed at each write: of a start, a point, a deletion, a status. Each start is made once,
// each point kept once, and the schedule says what it says when nothing disturbs it.
func TestScheduleKilledAtEachWrite(t *testing.T) {
	forEachPlot(t, func(t *cases, p *plot, undisturbed ending) {
		for n, write := range undisturbed.writes {
			for operators := 1; operators <= 2; operators++ {
				kill := func(moment string, f fate) {
					t.Run(fmt.Sprintf("%d, %s %s", operators, moment, write), func(t *testing.T) {
						t.Parallel()
						compare(t, undisturbed, perform(t, p, &undisturbed, disturbance{decide: atWrite(n+1, f), downtime: 20 * time.Second}, operators))
					})
				}
				kill("after", fate{after: true})
				if isAll() { // what is stored before a write is what is stored after the one before it
					kill("before", fate{before: true})
				}
			}
		}
	})
}

// Operators are killed all the time, or see the past.
func TestScheduleKilledAllTheTime(t *testing.T) {
	forEachPlot(t, func(t *cases, p *plot, undisturbed ending) {
		random := rand.New(rand.NewPCG(1, 0))
		for _, kill := range []struct {
			when    string
			decide  func(call) fate
			travels bool
		}{
			{"after writes", atFirstTries(fate{after: true}), false},
			{"before writes", atFirstTries(fate{before: true}), false},
			{"before reads", func(c call) fate { return fate{before: !c.write && random.IntN(4) == 0} }, false},
			{"after writes, and the next one sees the past", atFirstTries(fate{after: true}), true},
			{"before four writes of the status", beforeStatus(4), false},
		} {
			for operators := 1; operators <= 2; operators++ {
				t.Run(fmt.Sprintf("%d, %s", operators, kill.when), func(t *testing.T) {
					t.Parallel()
					compare(t, undisturbed, perform(t, p, &undisturbed, disturbance{decide: kill.decide, travels: kill.travels}, operators))
				})
			}
		}
	})
}

// Two operators that nothing disturbs, as for the time in which one takes over from another one, do what one does.
func TestScheduleOfTwoOperators(t *testing.T) {
	forEachPlot(t, func(t *cases, p *plot, undisturbed ending) {
		t.Run("two", func(t *testing.T) {
			t.Parallel()
			compare(t, undisturbed, perform(t, p, &undisturbed, disturbance{}, 2))
		})
	})
}

// Writes for a schedule fail, each at its first try.
func TestScheduleWritesFail(t *testing.T) {
	forEachPlot(t, func(t *cases, p *plot, undisturbed ending) {
		for name, f := range inOrder(faults()) {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				compare(t, undisturbed, perform(t, p, &undisturbed, disturbance{decide: atFirstTries(f)}, 1))
			})
		}
	})
}

// Reads for a schedule fail, a quarter of them.
func TestScheduleReadsFail(t *testing.T) {
	forEachPlot(t, func(t *cases, p *plot, undisturbed ending) {
		for _, name := range []string{"lost answer", "too many, without a hint", "internal error"} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				compare(t, undisturbed, perform(t, p, &undisturbed, disturbance{decide: atSomeReads(faults()[name])}, 1))
			})
		}
	})
}

// The operator's caches hear late of schedules, of StorageBenchmarks, or of both.
func TestScheduleCachesAreStale(t *testing.T) {
	forEachPlot(t, func(t *cases, p *plot, undisturbed ending) {
		for name, resources := range inOrder(map[string][]string{"both": scheduled, scheduled[0]: scheduled[:1], scheduled[1]: scheduled[1:]}) {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				e := perform(t, p, &undisturbed, disturbance{decide: func(c call) fate {
					if c.write {
						return fate{hold: resources}
					}
					return fate{}
				}}, 1)
				compare(t, undisturbed, e)
				if e.delayed == 0 {
					t.Error("nothing was late")
				}
			})
		}
	})
}

// beforeStatus kills operators before they write the status of a schedule, so many times.
func beforeStatus(times int) func(call) fate {
	return func(c call) fate {
		if c.resource != scheduled[0] || !c.write || times == 0 {
			return fate{}
		}
		times--
		return fate{before: true}
	}
}

// compare compares what became of a schedule with what becomes of it undisturbed.
func compare(t *testing.T, undisturbed, disturbed ending) {
	t.Helper()
	if diff := cmp.Diff(undisturbed, disturbed, cmpopts.IgnoreUnexported(ending{})); diff != "" {
		t.Errorf("(-undisturbed +disturbed):\n%s", diff)
	}
}

// forEachPlot plays each plot undisturbed, and has the function play it in other ways.
func forEachPlot(t *testing.T, do func(*cases, *plot, ending)) {
	t.Helper()
	t.Parallel()
	for i := range plots {
		p := &plots[i]
		group := t.Name() + "/" + p.name
		t.Run(seeded(t, p.name), func(t *testing.T) {
			t.Parallel()
			do(draw(t, group), p, p.undisturbed(t))
		})
	}
}

// endings has that of each plot by its name, if nothing disturbs it. It is played once for all tests.
var endings sync.Map

// undisturbed returns what becomes of the plot when nothing disturbs it.
func (p *plot) undisturbed(t *testing.T) ending {
	t.Helper()
	type control struct {
		once      sync.Once
		succeeded bool
		ending    ending
	}
	found, _ := endings.LoadOrStore(p.name, &control{})
	c := found.(*control)
	c.once.Do(func() {
		c.ending = perform(t, p, nil, disturbance{}, 1)
		c.ending.check(t)
		c.succeeded = !t.Failed()
	})
	if !c.succeeded {
		t.Fatalf("%s: another test tells what goes wrong if nothing disturbs it", p.name)
	}
	return c.ending
}

// check checks what others are compared with.
func (e *ending) check(t *testing.T) {
	t.Helper()
	t.Logf("%d writes: %v", len(e.writes), e.writes)
	for name, times := range e.Made {
		if times != 1 {
			t.Errorf("%s was made %d times", name, times)
		}
	}
}
