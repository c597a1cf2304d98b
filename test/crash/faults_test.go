package crash

import (
	"iter"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const denial = `admission webhook "policy.example.com" denied the request: not today`

// denials are what the API server answers when a policy denies a call: with the code that the webhook gives, as of
// controller-runtime and Gatekeeper, or without one, as of Kyverno.
var denials = map[string]*metav1.Status{
	"denied as forbidden":     failure(http.StatusForbidden, metav1.StatusReasonForbidden, denial),
	"denied as a bad request": failure(http.StatusBadRequest, "", denial),
}

// faults are ways in which a call fails that would not, if it were made again.
func faults() map[string]fate {
	hint := failure(http.StatusTooManyRequests, metav1.StatusReasonTooManyRequests, "the server has received too many requests, please try again later")
	hint.Details = &metav1.StatusDetails{RetryAfterSeconds: 1}
	all := map[string]fate{
		"conflict":                   {status: failure(http.StatusConflict, metav1.StatusReasonConflict, "the object has been modified; please apply your changes to the latest version")},
		"timeout, but it is done":    {done: true, status: failure(http.StatusGatewayTimeout, metav1.StatusReasonTimeout, "request did not complete within the allotted timeout")},
		"lost answer":                {lost: true},
		"too many requests":          {status: hint},
		"too many, without a hint":   {status: failure(http.StatusTooManyRequests, metav1.StatusReasonTooManyRequests, "please try again later")},
		"internal error":             {status: failure(http.StatusInternalServerError, metav1.StatusReasonInternalError, "etcdserver: leader changed")},
		"not found, but it is there": {status: failure(http.StatusNotFound, metav1.StatusReasonNotFound, "the server could not find the requested resource")},
	}
	for name, status := range denials {
		all[name] = fate{status: status}
	}
	return all
}

// inOrder goes over a map in the order of its keys, so that cases have the same numbers each time.
func inOrder[V any](m map[string]V) iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		for _, key := range slices.Sorted(maps.Keys(m)) {
			if !yield(key, m[key]) {
				return
			}
		}
	}
}

// Each write fails the first time that it is made, and is done when it is made again. All writes of a benchmark do in turn,
// and one of them at a time if all is asked for.
func TestWritesFail(t *testing.T) {
	forEach(t, func(t *cases, s scenario, undisturbed played) {
		for name, f := range inOrder(faults()) {
			t.Run(name+", at each first try", func(t *testing.T) {
				t.Parallel()
				check(t, undisturbed, play(t, s, disturbance{decide: atFirstTries(f)}))
			})
			for n, write := range undisturbed.writes {
				if !isAll() {
					break
				}
				t.Run(name+", "+write.String(), func(t *testing.T) {
					t.Parallel()
					check(t, undisturbed, play(t, s, disturbance{decide: atWrite(n+1, f)}))
				})
			}
		}
	})
}

// A quarter of all reads from the API server fail, none of them twice in a row; if all is asked for, also one of them at a time. An API server that
// says of something that it is not there is believed, so that this is left out, as is what concerns writes only.
func TestReadsFail(t *testing.T) {
	forEach(t, func(t *cases, s scenario, undisturbed played) {
		for _, name := range []string{"lost answer", "too many, without a hint", "internal error"} {
			f := faults()[name]
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				check(t, undisturbed, play(t, s, disturbance{decide: atSomeReads(f)}))
			})
			for n, read := range undisturbed.reads {
				if !isAll() {
					break
				}
				t.Run(name+", "+read.String(), func(t *testing.T) {
					t.Parallel()
					p := play(t, s, disturbance{decide: func(c call) fate {
						if !c.write && c.number == n+1 {
							return f
						}
						return fate{}
					}})
					check(t, undisturbed, p)
				})
			}
		}
	})
}

// atSomeReads has something happen to a quarter of all reads, but not to one for which it has happened just before: a pass
// of the operator makes many, and is made anew as a whole, so that it would be luck how many it takes.
func atSomeReads(f fate) func(call) fate {
	random := rand.New(rand.NewPCG(1, 0))
	spared := map[string]bool{}
	return func(c call) fate {
		c.number = 0
		if c.write || spared[c.String()] || random.IntN(4) != 0 {
			delete(spared, c.String())
			return fate{}
		}
		spared[c.String()] = true
		return f
	}
}

// atFirstTries has something happen to each second write of an object, beginning with the first.
func atFirstTries(f fate) func(call) fate {
	spared := map[string]bool{}
	return func(c call) fate {
		if !c.write {
			return fate{}
		}
		c.number = 0
		spare := spared[c.String()]
		if spared[c.String()] = !spare; spare {
			return fate{}
		}
		return f
	}
}

// The operator's caches hear late of what is new after each write, and it goes by what was before: in one kind of object,
// or in all.
func TestCachesAreStale(t *testing.T) {
	forEach(t, func(t *cases, s scenario, undisturbed played) {
		late := map[string][]string{"all": cached}
		for _, resource := range cached {
			late[resource] = []string{resource}
		}
		for name, resources := range inOrder(late) {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				p := play(t, s, disturbance{decide: func(c call) fate {
					if c.write {
						return fate{hold: resources}
					}
					return fate{}
				}})
				check(t, undisturbed, p)
				if p.delayed == 0 {
					t.Error("nothing was late")
				}
			})
		}
	})
}
