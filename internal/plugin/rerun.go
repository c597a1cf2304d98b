package plugin

import (
	"strings"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cli-runtime/pkg/genericclioptions"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/preset"
)

// newRerunCommand returns the command that measures once more what a benchmark has measured.
func newRerunCommand(flags *genericclioptions.ConfigFlags) *cobra.Command {
	o := &runOptions{flags: flags}
	cmd := &cobra.Command{
		Use:   "rerun NAME",
		Short: "Measure again what a StorageBenchmark has measured, in a new one",
		Long: `Measure again what a StorageBenchmark has measured, in a new one. The first one and its results stay, so that both can be
compared. Presets keep their versions.`,
		Example: `  kubectl storagebench rerun gp3-vs-efs
  kubectl storagebench rerun gp3-vs-efs --name after-the-upgrade
  kubectl storagebench compare gp3-vs-efs after-the-upgrade`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeNames(flags, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := formatNamed(reportFormats, *o.output); err != nil {
				return err
			}
			c, before, err := connectTo(cmd.Context(), flags, args[0])
			if err != nil {
				return err
			}
			again := again(before)
			if o.name != "" {
				again.Name, again.GenerateName = o.name, ""
			}
			if err := checkPlan(again); err != nil {
				return err
			}
			if o.dryRun {
				return printManifest(cmd.OutOrStdout(), again)
			}
			return o.make(cmd, c, again)
		},
	}
	cmd.Flags().StringVar(&o.name, "name", "", "name of the new StorageBenchmark (default: the name and random characters)")
	o.addFollowFlags(cmd)
	return cmd
}

// again returns a new benchmark that measures what another one has measured, with the same versions of presets. It
// carries over labels and annotations of users. It belongs to no schedule.
func again(before *v1alpha1.StorageBenchmark) *v1alpha1.StorageBenchmark {
	spec := preset.Pin(&before.Spec, before.Status.Presets).DeepCopy()
	spec.Suspend, spec.Cancel = nil, nil
	return &v1alpha1.StorageBenchmark{
		TypeMeta: benchmarkType,
		ObjectMeta: metav1.ObjectMeta{
			GenerateName: before.Name + "-", Labels: ofUsers(before.Labels), Annotations: ofUsers(before.Annotations),
		},
		Spec: *spec,
	}
}

// ofUsers returns the labels or annotations that neither the operator nor kubectl has set.
func ofUsers(all map[string]string) map[string]string {
	kept := map[string]string{}
	for key, value := range all {
		if !strings.HasPrefix(key, v1alpha1.GroupVersion.Group+"/") && !strings.HasPrefix(key, "kubectl.kubernetes.io/") {
			kept[key] = value
		}
	}
	return kept
}
