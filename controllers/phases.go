package controllers

import (
	"context"
	"errors"
	"fmt"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/storagebench/storagebench/controllers/clean"
	"github.com/storagebench/storagebench/controllers/measure"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/prepare"
	"github.com/storagebench/storagebench/controllers/pvc"
	"github.com/storagebench/storagebench/controllers/workers"
	"github.com/storagebench/storagebench/controllers/world"
)

type phase func(context.Context, *pass.Pass) (pass.Outcome, error)

// The phases of a benchmark, in order. Each finds out by itself, from the status and the children, whether
// it has something to do, so that a pass can end anywhere and the next one goes on from there.
var (
	phases = []phase{
		expire, prepare.Admit, observe, pvc.Tie, clean.Cancel, clean.Suspend, prepare.Relabel, prepare.Validate,
		prepare.Nudge, clean.NoteFiles, prepare.AwaitDrivers, prepare.Provision, prepare.Anchor,
		measure.Measure, measure.Conclude, clean.Up, clean.Sweep, finish,
	}
	deletionPhases = []phase{
		observe, pvc.Tie, prepare.Nudge, clean.NoteFiles, clean.Abandon, clean.Up, clean.Sweep, release,
	}
)

// advance has the phases follow each other, until one ends the pass.
func advance(ctx context.Context, p *pass.Pass) (ctrl.Result, error) {
	if !workers.MissesNothing(p) {
		p.Memory.Gone, p.Memory.ReadsAll = nil, false // it may make them
	}
	list := phases
	if !p.SB.DeletionTimestamp.IsZero() {
		list = deletionPhases
	}
	for _, phase := range list {
		out, err := phase(ctx, p)
		if err != nil {
			return ctrl.Result{}, err
		}
		if out.Saves && !p.Changed() {
			return ctrl.Result{}, errors.New("a phase waits for a write of the status, and there is nothing to write")
		}
		if out.Stop {
			p.Rests = out.Rests > 0
			return ctrl.Result{RequeueAfter: out.Next(p.World.Clock.Since(p.Now.Time))}, nil
		}
	}
	return ctrl.Result{}, nil
}

// passPatience is how long a pass may take. Few workers make passes, and other benchmarks wait for them.
const passPatience = 5 * time.Minute

// guarded makes a pass, and drops what it had begun to write into the status if it ends in a fault.
func guarded(ctx context.Context, p *pass.Pass) (result ctrl.Result, err error) {
	ended := false
	defer func() {
		if !ended {
			p.SB.Status = *p.Before.Status.DeepCopy()
		}
	}()
	defer world.Catch(ctx, &err)
	limited, cancel := context.WithTimeout(ctx, passPatience)
	defer cancel()
	result, err = advance(limited, p)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		err = fmt.Errorf("the pass was ended after %s, the longest that one may take: "+
			"look whether the API server or a webhook is slow: %w", passPatience, err)
	}
	ended = true
	return result, err
}
