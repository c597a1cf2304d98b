package plugin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/expectation"
	"github.com/storagebench/storagebench/internal/fio"
	"github.com/storagebench/storagebench/internal/humanize"
	"github.com/storagebench/storagebench/internal/preset"
)

// onlyLive are the flags of check that are about measuring.
var onlyLive = []string{
	"class", "claim", "ebs", "capacity", "node-selector", "fs-group", "thorough", "repetitions", "name", "rm", "dry-run",
	"local", "target", "output-file",
}

// resultsOfFile returns the benchmark with results that the file holds, nil if the file describes storage to measure.
func (o *checkOptions) resultsOfFile(cmd *cobra.Command, args []string) (*v1alpha1.StorageBenchmark, error) {
	path, name := o.path, strings.Join(args, "")
	if path == "" {
		path, name = name, ""
	}
	content, err := readFile(cmd, path)
	if err != nil {
		return nil, err
	}
	o.content = content
	file, err := o.measured.parse(cmd, path, content)
	isManifest := !isOfFio(content) && documentIn(content) == nil && (err != nil || !file.hasResults())
	switch {
	case isManifest && o.path != "" && len(args) == 0:
		return nil, nil
	case err != nil:
		return nil, err
	}
	return file.result(cmd.Context(), name)
}

// hasResults reports whether a benchmark of the file has runs.
func (f *saved) hasResults() bool {
	return slices.ContainsFunc(f.objects, func(object client.Object) bool {
		sb, is := object.(*v1alpha1.StorageBenchmark)
		return is && len(sb.Status.Runs) > 0
	})
}

// result returns the benchmark of a name, or the only one of the file, with its results.
func (f *saved) result(ctx context.Context, name string) (*v1alpha1.StorageBenchmark, error) {
	if name == "" {
		var err error
		if name, err = f.only(); err != nil {
			return nil, err
		}
	}
	if schedule, is := scheduleNamed(name); is {
		return nil, fmt.Errorf("%s: schedule %s is a history, and check needs the results of one benchmark: save that",
			f.path, schedule)
	}
	sb, err := f.source(name).benchmark(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", f.path, name, err)
	}
	if len(sb.Status.Runs) == 0 {
		return nil, fmt.Errorf("%s: %s has no results: check -f FILE measures the storage of a StorageBenchmark",
			f.path, name)
	}
	return sb, nil
}

// checkFile judges the results of a file.
func (o *checkOptions) checkFile(cmd *cobra.Command, sb *v1alpha1.StorageBenchmark) error {
	for _, flag := range onlyLive {
		if cmd.Flags().Changed(flag) {
			return fmt.Errorf("--%s is about measuring, and the file has results: leave the flag out, "+
				"or remove status from the file to measure its storage anew", flag)
		}
	}
	end := sb.Status.Condition(v1alpha1.ConditionSucceeded)
	if end.Status == metav1.ConditionUnknown && !sb.Status.HasMeasured() {
		return fmt.Errorf("%s: it had not ended when it was saved (%s): save it again after its end", sb.Name, end.Reason)
	}
	if err := o.holdTo(sb); err != nil {
		return err
	}
	status, reason, message, expected := expectation.Condition(expectation.Judge(&sb.Spec, &sb.Status))
	meta.RemoveStatusCondition(&sb.Status.Conditions, v1alpha1.ConditionExpectationsMet)
	if expected {
		meta.SetStatusCondition(&sb.Status.Conditions, metav1.Condition{
			Type: v1alpha1.ConditionExpectationsMet, Status: status, Reason: reason, Message: message,
		})
	}
	return errors.Join(o.print(cmd, sb), o.goodEnough(sb))
}

// holdTo has a benchmark expect what the flags say. Without flags it expects what its spec does, or else what the
// presets do that its workloads fit.
func (o *checkOptions) holdTo(sb *v1alpha1.StorageBenchmark) error {
	sb.Spec = *fio.Inherit(preset.Pin(&sb.Spec, sb.Status.Presets))
	if len(o.presets)+len(o.expectations) == 0 {
		if len(sb.Spec.Expectations) > 0 || len(preset.Used(&sb.Spec)) > 0 {
			return nil
		}
		return fitAny(sb)
	}
	var err error
	if sb.Spec.Expectations, err = o.expected(); err != nil {
		return err
	}
	var presets []preset.Preset
	if len(o.presets) > 0 {
		if presets, err = presetsNamed(o.presets); err != nil {
			return err
		}
	}
	return fitAll(sb, presets)
}

// fitAll gives each preset the workloads that fit it, and takes other presets from the workloads.
func fitAll(sb *v1alpha1.StorageBenchmark, presets []preset.Preset) error {
	fitted := make([]bool, len(sb.Spec.Workloads))
	var problems []string
	for i := range presets {
		if problem := fitEach(sb, &presets[i], fitted); problem != "" {
			problems = append(problems, problem)
		}
	}
	if len(problems) > 0 {
		return fmt.Errorf("%s: %s", sb.Name, strings.Join(problems, "; "))
	}
	for k := range sb.Spec.Workloads {
		w := &sb.Spec.Workloads[k]
		if fitted[k] || w.Preset == nil {
			continue
		}
		expanded, err := preset.Expand(w)
		if err != nil {
			return fmt.Errorf("%s: workload %s: %w", sb.Name, w.Name, err)
		}
		*w = *expanded
	}
	return nil
}

// fitEach gives a preset to all workloads that fit it and have not been fitted before. It returns why none of them
// does, "" if one does.
func fitEach(sb *v1alpha1.StorageBenchmark, p *preset.Preset, fitted []bool) string {
	var reasons []string
	fits := false
	for k := range sb.Spec.Workloads {
		if fitted[k] {
			continue
		}
		why := fit(sb, k, p)
		if fitted[k] = len(why) == 0; fitted[k] {
			fits = true
			continue
		}
		reasons = append(reasons, fmt.Sprintf("workload %s: %s", sb.Spec.Workloads[k].Name, strings.Join(why, ", ")))
	}
	switch {
	case fits:
		return ""
	case len(reasons) == 0:
		return p.ID() + " does not fit: all workloads fit other presets of --preset"
	}
	return fmt.Sprintf("%s does not fit: %s", p.ID(), humanize.Few(reasons, 8))
}

// fitAny gives each workload the first preset that it fits. The error names the nearest preset if none fits any
// workload.
func fitAny(sb *v1alpha1.StorageBenchmark) error {
	found, nearest := false, ""
	var least []string
	for k := range sb.Spec.Workloads {
		for _, p := range preset.Newest() {
			why := fit(sb, k, &p)
			if len(why) == 0 {
				found = true
				break
			}
			if nearest == "" || len(why) < len(least) {
				nearest, least = p.ID(), why
			}
		}
	}
	if !found {
		return fmt.Errorf("%s: its workloads fit no preset (the nearest is %s: %s): "+
			"say what is good enough, such as --expect read.p99=10ms", sb.Name, nearest, strings.Join(least, ", "))
	}
	return nil
}

// fit gives a workload a preset, and its runs the parameters of that. It returns why the workload does not fit, and
// changes nothing then.
func fit(sb *v1alpha1.StorageBenchmark, index int, p *preset.Preset) (why []string) {
	w := &sb.Spec.Workloads[index]
	if own, has := preset.Of(w); has && own.ID() == p.ID() {
		return nil
	}
	job, err := jobOfWorkload(w)
	if err != nil {
		return []string{err.Error()}
	}
	found := p.FitOf(job)
	if len(found.Deviations) > 0 {
		return found.Deviations
	}
	*w = v1alpha1.Workload{Name: w.Name, Preset: new(p.ID()), Scale: found.Scale, Clients: w.Clients}
	for i := range sb.Status.Runs {
		if run := &sb.Status.Runs[i]; run.Workload == w.Name && len(found.Parameters) > 0 {
			run.Parameters = found.Parameters
		}
	}
	return nil
}

// jobOfWorkload returns the job of a workload that measures one.
func jobOfWorkload(w *v1alpha1.Workload) (*fio.JobFile, error) {
	switch {
	case w.Preset != nil:
		return nil, fmt.Errorf("it has preset %s", *w.Preset)
	case len(w.Matrix) > 0 || w.Search != nil:
		return nil, errors.New("it has a matrix or a search, and a preset is held to one job")
	case w.Fio != nil:
		return fio.FromParameters(w.Name, w.Fio), nil
	case w.JobFile != nil:
		return fio.Parse(*w.JobFile)
	}
	return nil, errors.New("it does not say what it does")
}

// namesFile reports whether check is about a file: by an argument or by --filename.
func (o *checkOptions) namesFile(cmd *cobra.Command, args []string) error {
	switch {
	case o.path == "" && len(args) == 1 && !isPath(args[0]):
		return fmt.Errorf("%q is no path of a file: write ./%s, or name storage with --class or --claim", args[0], args[0])
	case len(args) > 0 && slices.ContainsFunc(onlyLive, cmd.Flags().Changed):
		return errors.New("FILE has results, and the other flags are about measuring: leave one of both out")
	}
	return cobra.MaximumNArgs(1)(cmd, args)
}
