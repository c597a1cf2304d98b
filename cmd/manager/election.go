package main

import (
	"flag"
	"fmt"
	"time"

	"k8s.io/client-go/tools/leaderelection"
)

// election is how long a leader that does not answer stays one. What to choose between is in docs/operations.md.
type election struct {
	lease, renew, retry time.Duration
}

// bind adds the flags, which are named as those of Kubernetes' own components.
func (e *election) bind(flags *flag.FlagSet) {
	flags.DurationVar(&e.lease, "leader-elect-lease-duration", 60*time.Second, "how long others wait for a leader that does not renew its lease before one takes over")
	flags.DurationVar(&e.renew, "leader-elect-renew-deadline", 45*time.Second, "how long the leader tries to renew its lease before it ends")
	flags.DurationVar(&e.retry, "leader-elect-retry-period", 5*time.Second, "how long to wait between tries to get or renew the lease")
}

// check holds the durations to each other: lease > renew > retry, with the jitter that tries have.
func (e *election) check() error {
	tries := time.Duration(leaderelection.JitterFactor * float64(e.retry))
	switch {
	case e.retry <= 0:
		return fmt.Errorf("--leader-elect-retry-period is %s; give a time above 0", e.retry)
	case e.renew <= tries:
		return fmt.Errorf("--leader-elect-renew-deadline is %s, and must be above %s, which is --leader-elect-retry-period with its jitter: raise it", e.renew, tries)
	case e.lease <= e.renew:
		return fmt.Errorf("--leader-elect-lease-duration is %s, and must be above --leader-elect-renew-deadline, %s: raise it, or two operators could lead", e.lease, e.renew)
	}
	return nil
}
