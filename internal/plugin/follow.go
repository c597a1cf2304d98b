package plugin

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/humanize"
)

const (
	// patience is how long a cluster that does not answer is asked again.
	patience = 5 * time.Minute
	// pickUp is how long a benchmark may wait for an operator that takes it up.
	pickUp = 2 * time.Minute
)

// errLeft is returned when the user leaves a benchmark that goes on.
var errLeft = errors.New("interrupted")

// newWatchCommand returns the command that follows a benchmark which exists.
func newWatchCommand(flags *genericclioptions.ConfigFlags) *cobra.Command {
	var output *string
	var noFail bool
	cmd := &cobra.Command{
		Use:   "watch NAME",
		Short: "Follow a StorageBenchmark to its end, and print its results",
		Long: `Follow a StorageBenchmark to its end, and print its results.

What happens is printed on standard error, the results on standard output. Ctrl-C leaves the benchmark running. The
exit code is that of run: 0 only if each run has a result and all that is expected is met, 2 if something is missed, 1 if
that is not known, and 130 after Ctrl-C.`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeNames(flags, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := connect(flags)
			if err != nil {
				return err
			}
			benchmark, err := follow(cmd, c, client.ObjectKey{Namespace: c.namespace, Name: args[0]}, *output)
			if benchmark != nil && !noFail { // a miss is known also where other runs failed
				err = errors.Join(err, heldTo(benchmark))
			}
			return err
		},
	}
	output = addOutputFlag(cmd, reportFormats)
	addNoFailFlag(cmd, &noFail)
	return cmd
}

// follow prints what happens to a benchmark until its end, and then its results in a format. It returns the benchmark if that has ended;
// the error says how, if not well.
func follow(cmd *cobra.Command, c *cluster, key client.ObjectKey, output string) (*v1alpha1.StorageBenchmark, error) {
	chosen, err := formatNamed(reportFormats, output)
	if err != nil {
		return nil, err
	}
	benchmark, err := untilEnded(cmd, c, key)
	if err != nil {
		return nil, err
	}
	return benchmark, errors.Join(chosen.print(cmd.OutOrStdout(), c.reported(cmd, benchmark), styleOf(cmd)), judge(benchmark))
}

// untilEnded prints what happens to a benchmark until its end, however that is.
func untilEnded(cmd *cobra.Command, c *cluster, key client.ObjectKey) (*v1alpha1.StorageBenchmark, error) {
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	view := newView(newScreen(cmd))
	if view.screen.style().Width > 0 {
		view.live = newLive(c)
		defer func() { view.live.stop() }()
	}
	benchmark, err := view.follow(ctx, updates(ctx, c, key))
	view.screen.close()
	if errors.Is(err, errLeft) {
		cmd.PrintErrln(humanize.Typed(comeBack(key)))
		cmd.SilenceErrors = true
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", key.Name, err)
	}
	return benchmark, nil
}

// comeBack says how to come back to a benchmark, and how to end it.
func comeBack(key client.ObjectKey) string {
	return fmt.Sprintf("%s goes on. Come back:  kubectl storagebench watch %s -n %s\nEnd it:  kubectl delete storagebenchmark %s -n %s",
		key.Name, key.Name, key.Namespace, key.Name, key.Namespace)
}

// judge returns an error unless each run of a benchmark has a result.
func judge(benchmark *v1alpha1.StorageBenchmark) error {
	succeeded := benchmark.Status.Condition(v1alpha1.ConditionSucceeded)
	if succeeded.Reason == v1alpha1.ReasonCompleted {
		return nil
	}
	return fmt.Errorf("%s: %s: %s", benchmark.Name, succeeded.Reason, succeeded.Message)
}

// follow shows each update until the benchmark has ended, and returns it then.
func (v *view) follow(ctx context.Context, all <-chan update) (*v1alpha1.StorageBenchmark, error) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	unheard, unseen := time.NewTimer(patience), time.NewTimer(pickUp)
	defer unheard.Stop()
	defer unseen.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil, errLeft
		case u, open := <-all:
			switch {
			case !open:
				return nil, errLeft
			case u.err == nil:
				unheard.Reset(patience)
				v.update(u.benchmark)
				v.followLive(ctx)
			case isFinal(u.err):
				return nil, u.err
			default:
				v.showError(u.err)
			}
			if v.hasEnded() {
				return v.benchmark, nil
			}
		case <-tick.C:
			v.refresh()
		case <-unheard.C:
			if v.lastError != nil {
				return nil, fmt.Errorf("the cluster has not answered for %s: %w", patience, v.lastError)
			}
			unheard.Reset(patience)
		case <-unseen.C:
			if v.isUnseen() {
				return nil, fmt.Errorf("no operator has taken it up for %s: is it running, and does it watch this namespace? kubectl get pods -A -l app.kubernetes.io/name=storagebench", pickUp)
			}
		}
	}
}
