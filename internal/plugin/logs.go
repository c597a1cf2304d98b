package plugin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/owned"
)

func newLogsCommand(flags *genericclioptions.ConfigFlags) *cobra.Command {
	var follow bool
	cmd := &cobra.Command{
		Use:   "logs NAME [RUN]",
		Short: "Print what fio printed in the runs of a StorageBenchmark",
		Long: `Print what fio printed in the runs of a StorageBenchmark: of all that have ended, or of one run, also while it is made.

The operator keeps logs in ConfigMaps, of the first 128 runs, until the StorageBenchmark is deleted.`,
		Args:              cobra.RangeArgs(1, 2),
		ValidArgsFunction: completeNamesAndRuns(flags),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, benchmark, err := connectTo(cmd.Context(), flags, args[0])
			if err != nil {
				return err
			}
			if len(args) == 1 && !follow {
				return c.printLogs(cmd, benchmark)
			}
			run, err := chooseRun(benchmark, args[1:])
			if err != nil {
				return err
			}
			if run.State == v1alpha1.RunRunning {
				return streamLogs(cmd.Context(), c, benchmark, cmd.OutOrStdout(), follow)
			}
			return c.printLog(cmd, run)
		},
	}
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "go on printing what fio prints, until the run ends")
	return cmd
}

// chooseRun returns the run that was named, or the one that is being made.
func chooseRun(benchmark *v1alpha1.StorageBenchmark, names []string) (*v1alpha1.Run, error) {
	if len(names) > 0 {
		return findRun(benchmark, names[0])
	}
	runs := benchmark.Status.Runs
	at := slices.IndexFunc(runs, func(run v1alpha1.Run) bool { return run.State == v1alpha1.RunRunning })
	if at < 0 {
		return nil, fmt.Errorf("no run of %s is being made now: name one of its runs, or leave out --follow", benchmark.Name)
	}
	return &runs[at], nil
}

// printLogs prints the logs of all runs that have one, each below its name.
func (c *cluster) printLogs(cmd *cobra.Command, benchmark *v1alpha1.StorageBenchmark) error {
	printed := 0
	for i := range benchmark.Status.Runs {
		run := &benchmark.Status.Runs[i]
		if run.LogConfigMap == "" {
			continue
		}
		printed++
		fmt.Fprintf(cmd.OutOrStdout(), "==> %s <==\n", run.Name)
		if err := c.printLog(cmd, run); err != nil {
			return err
		}
	}
	if printed == 0 {
		return fmt.Errorf("%s has no logs yet: they are kept when a run has ended; name the run that is being made to see its log now", benchmark.Name)
	}
	return nil
}

// printLog prints the log of a run that has ended, of several clients one after the other.
func (c *cluster) printLog(cmd *cobra.Command, run *v1alpha1.Run) error {
	if run.LogConfigMap == "" {
		return fmt.Errorf("%s is %s, and no log of it was kept", run.Name, run.State)
	}
	files, err := c.kept(cmd.Context(), run)
	if err != nil {
		return err
	}
	files = slices.DeleteFunc(files, func(f keptFile) bool { return !f.isLog() })
	for _, file := range files {
		if len(files) > 1 {
			fmt.Fprintf(cmd.OutOrStdout(), "--> %s <--\n", file.name)
		}
		if err := printHarmless(cmd.OutOrStdout(), file.content); err != nil {
			return err
		}
	}
	return nil
}

// streamLogs prints the log of the pod that makes a run; of several clients the first one's, as they are alike.
func streamLogs(ctx context.Context, c *cluster, benchmark *v1alpha1.StorageBenchmark, out io.Writer, follow bool) error {
	pod, err := c.runPod(ctx, benchmark)
	if err != nil {
		return err
	}
	log, err := c.openLog(ctx, pod, &corev1.PodLogOptions{Container: activeContainer(pod), Follow: follow})
	if err != nil {
		return err
	}
	defer log.Close()
	w := harmlessWriter(out)
	_, err = io.Copy(w, log)
	return errors.Join(err, w.Close())
}

// errNoPod says that there is nothing to read a log of.
var errNoPod = errors.New("the run has no pod at this moment: try again")

// runPod returns a pod that makes a run of a benchmark.
func (c *cluster) runPod(ctx context.Context, benchmark *v1alpha1.StorageBenchmark) (*corev1.Pod, error) {
	var pods corev1.PodList
	err := c.List(ctx, &pods, client.InNamespace(benchmark.Namespace), client.MatchingLabels{v1alpha1.LabelBenchmark: benchmark.Name, v1alpha1.LabelRole: v1alpha1.RoleRun})
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(pods.Items, func(pod corev1.Pod) bool {
		return owned.NamedPod(benchmark, &pod) && (pod.Status.Phase == corev1.PodRunning || pod.Status.Phase == corev1.PodPending)
	})
	if at < 0 {
		return nil, errNoPod
	}
	return &pods.Items[at], nil
}

// openLog opens the log of a pod.
func (c *cluster) openLog(ctx context.Context, pod *corev1.Pod, options *corev1.PodLogOptions) (io.ReadCloser, error) {
	clientset, err := kubernetes.NewForConfig(c.config)
	if err != nil {
		return nil, err
	}
	log, err := clientset.CoreV1().Pods(pod.Namespace).GetLogs(pod.Name, options).Stream(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the log of pod %s: %w", pod.Name, err)
	}
	return log, nil
}

// activeContainer returns the container that lays out files as long as it does, else the one that measures.
func activeContainer(pod *corev1.Pod) string {
	for _, status := range pod.Status.InitContainerStatuses {
		if status.Name == job.LayoutContainer && status.State.Running != nil {
			return job.LayoutContainer
		}
	}
	return job.MeasureContainer
}
