package attempt

import (
	"testing"
	"time"
)

func TestTogether(t *testing.T) {
	early, late := time.Unix(100, 0), time.Unix(200, 0)
	measuring := State{Phase: Measuring, Began: late}
	preparing := State{Phase: LayingOut, Began: early}
	waiting := State{Phase: Starting, Why: "no node"}
	done := State{Phase: Succeeded, Report: "report"}
	evicted := State{Phase: Interrupted, Why: "evicted"}
	missed := State{Phase: Late, Why: "late"}
	failed := State{Phase: Failed, Why: "no space"}
	deleted := State{Phase: Measuring, Began: late, GivenUp: late}
	for _, test := range []struct {
		name  string
		seen  []State
		want  State
		whose int
	}{
		{"one alone", []State{failed}, failed, 0},
		{"all done", []State{done, done}, done, 0},
		{"one still measures", []State{done, measuring}, measuring, 1},
		{"one still prepares", []State{measuring, preparing}, preparing, 1},
		{"one waits", []State{preparing, waiting, measuring}, State{Phase: Starting, Why: "no node", Began: early}, 1},
		{"one is interrupted", []State{done, evicted, waiting}, evicted, 1},
		{"one is late and one is interrupted", []State{missed, evicted}, missed, 0},
		{"one fails and one is interrupted", []State{evicted, failed, measuring}, State{Phase: Failed, Why: "no space", Began: late}, 1},
		{"one is deleted", []State{measuring, deleted}, deleted, 0},
		{"the other is deleted", []State{deleted, measuring}, deleted, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got, whose := Together(test.seen); got != test.want || whose != test.whose {
				t.Errorf("got %+v of client %d, want %+v of %d", got, whose, test.want, test.whose)
			}
		})
	}
}
