package plugin

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/history"
	"github.com/storagebench/storagebench/internal/regression"
	"github.com/storagebench/storagebench/internal/report"
	"github.com/storagebench/storagebench/internal/report/chart"
	"github.com/storagebench/storagebench/internal/report/export"
	"github.com/storagebench/storagebench/internal/schedule"
)

// runSchedule makes a benchmark from a schedule's template, as "kubectl create job --from" makes a Job of a CronJob.
func (o *runOptions) runSchedule(cmd *cobra.Command) error {
	c, err := connect(o.flags)
	if err != nil {
		return err
	}
	s, err := c.schedule(cmd.Context(), o.schedule)
	if err != nil {
		return err
	}
	benchmark := schedule.Requested(s)
	if o.name != "" {
		benchmark.Name, benchmark.GenerateName = o.name, ""
	}
	if err := checkPlan(benchmark); err != nil {
		return err
	}
	if o.dryRun {
		return printManifest(cmd.OutOrStdout(), benchmark)
	}
	return o.make(cmd, c, benchmark)
}

// schedule reads a StorageBenchmarkSchedule of the namespace.
func (s *source) schedule(ctx context.Context, name string) (*v1alpha1.StorageBenchmarkSchedule, error) {
	found := &v1alpha1.StorageBenchmarkSchedule{}
	return found, explainMissing(s.from.Get(ctx, client.ObjectKey{Namespace: s.namespace, Name: name}, found))
}

// completeSchedules completes names of StorageBenchmarkSchedules.
func completeSchedules(flags *genericclioptions.ConfigFlags) cobra.CompletionFunc {
	return complete(flags, func(cmd *cobra.Command, c *cluster, _ []string) []cobra.Completion {
		var all v1alpha1.StorageBenchmarkScheduleList
		if err := c.List(cmd.Context(), &all, client.InNamespace(c.namespace)); err != nil {
			return nil
		}
		names := make([]cobra.Completion, len(all.Items))
		for i := range all.Items {
			names[i] = cobra.CompletionWithDesc(all.Items[i].Name, all.Items[i].Spec.Schedule)
		}
		return names
	})
}

// keptHistory is a schedule and its points.
type keptHistory struct {
	schedule *v1alpha1.StorageBenchmarkSchedule
	points   *history.History
}

// historyFormats are the ways to print the history of a schedule. The first one is that of report's default.
var historyFormats = []format[*keptHistory]{
	{"table", "a line for each case of each benchmark", infallible(func(w io.Writer, k *keptHistory, _ report.Style) { report.HistoryTable(w, k.points) })},
	{"csv", "a row for each case of each benchmark, for spreadsheets", unstyled(func(w io.Writer, k *keptHistory) error { return export.HistoryCSV(w, k.points) })},
	{"json", "all points, for jq", unstyled(func(w io.Writer, k *keptHistory) error { return export.HistoryJSON(w, k.points) })},
	{"yaml", "the same as json, as YAML", unstyled(inYAML(func(w io.Writer, k *keptHistory) error { return export.HistoryJSON(w, k.points) }))},
	{"html", "a page with a line for each figure, and what became worse", unstyled(historyPage)},
}

// historyPage prints a page of a history, and what is worse in it.
func historyPage(w io.Writer, k *keptHistory) error {
	found, err := k.changes()
	if err != nil {
		return err
	}
	return chart.HTML(w, k.schedule.Name, k.points, found)
}

// changes are the lasting changes of a history, as the operator tells them.
func (k *keptHistory) changes() (*regression.Report, error) {
	asked, err := schedule.Asked(k.schedule, time.Now())
	if err != nil {
		return nil, err
	}
	found := regression.Find(k.points, asked)
	return &found, nil
}

// schedulePrefix is before the name of a schedule where a benchmark's could stand.
const schedulePrefix = "schedule/"

// scheduleNamed returns the name of a schedule in an argument such as schedule/nightly.
func scheduleNamed(argument string) (string, bool) {
	for _, prefix := range []string{schedulePrefix, "sbs/", "storagebenchmarkschedule/", "storagebenchmarkschedules/"} {
		if name, found := strings.CutPrefix(argument, prefix); found {
			return name, true
		}
	}
	return "", false
}

// reportHistory prints the history of a schedule.
func reportHistory(cmd *cobra.Command, from *source, name, output string) error {
	chosen, err := formatNamed(historyFormats, output)
	if err != nil {
		return fmt.Errorf("of a schedule: %w", err)
	}
	kept, err := from.history(cmd.Context(), name)
	if err != nil {
		return err
	}
	tellFailing(cmd, kept)
	return chosen.print(cmd.OutOrStdout(), kept, styleOf(cmd))
}

// tellFailing tells on standard error what a history does not have: how the last benchmark failed, and that there are no points.
func tellFailing(cmd *cobra.Command, kept *keptHistory) {
	if len(kept.points.Points) == 0 {
		cmd.PrintErrf("%s has no points: no StorageBenchmark of this schedule has measured anything\n", kept.schedule.Name)
	}
	if failure := report.LastFailure(kept.schedule, report.Style{}); failure != "" {
		cmd.PrintErrln(failure)
	}
}

// explainHistory says in sentences what became of the storage of a schedule.
func explainHistory(cmd *cobra.Command, from *source, name, output string) error {
	kept, err := from.history(cmd.Context(), name)
	if err != nil {
		return err
	}
	found, err := kept.changes()
	if err != nil {
		return err
	}
	switch output {
	case "json":
		return printJSON(cmd.OutOrStdout(), report.HistoryExplanation(kept.schedule, kept.points, found, time.Now()))
	case "yaml":
		return printYAML(cmd.OutOrStdout(), report.HistoryExplanation(kept.schedule, kept.points, found, time.Now()))
	}
	report.ExplainHistory(cmd.OutOrStdout(), kept.schedule, kept.points, found, time.Now(), styleOf(cmd))
	return nil
}

// history reads a schedule and its points.
func (s *source) history(ctx context.Context, name string) (*keptHistory, error) {
	of, err := s.schedule(ctx, name)
	if err != nil {
		return nil, err
	}
	var chunks [][]byte
	for _, name := range of.Status.History.ConfigMaps {
		var object corev1.ConfigMap
		err := s.from.Get(ctx, client.ObjectKey{Namespace: s.namespace, Name: name}, &object)
		if apierrors.IsNotFound(err) {
			continue // its points have gone meanwhile
		}
		if err != nil {
			return nil, fmt.Errorf("read the history: %w", err)
		}
		if data := object.BinaryData[v1alpha1.HistoryKey]; len(data) > 0 {
			chunks = append(chunks, data)
		}
	}
	points, err := history.Decode(chunks)
	return &keptHistory{of, points}, err
}
