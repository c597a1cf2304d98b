package plugin

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/cli-runtime/pkg/genericclioptions"

	"github.com/storagebench/storagebench/internal/humanize"
	"github.com/storagebench/storagebench/internal/report"
	"github.com/storagebench/storagebench/internal/storage"
)

// oldestKubernetes is the oldest version of Kubernetes that the operator is tested with.
var oldestKubernetes = version.MajorMinor(1, 33)

// finding is what a check of the cluster has found.
type finding struct {
	// Check is what was looked at.
	Check string `json:"check"`
	// Result is OK, Warning (something will not work, or is unknown) or Failed (no benchmark can run).
	Result string `json:"result"`
	// Message is what was found, and the remedy if it is not OK.
	Message string `json:"message"`
}

// The results of checks.
const (
	checkOK      = "OK"
	checkWarning = "Warning"
	checkFailed  = "Failed"
)

// doctorFormats are the ways to print findings.
var doctorFormats = append([]format[[]finding]{
	{"text", "a line for each check", unstyled(printFindings)},
}, documents(same[[]finding])...)

// newDoctorCommand returns the command that checks whether benchmarks will work in a cluster.
func newDoctorCommand(flags *genericclioptions.ConfigFlags) *cobra.Command {
	var output *string
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check whether benchmarks will work in this cluster, before or after the operator is installed",
		Long: `Check whether benchmarks will work in this cluster, before or after the operator is installed: the version of Kubernetes,
the API, the operator, the admission policy, your rights in the namespace, CSI drivers, StorageClasses, nodes, snapshots and
monitoring. Nothing is changed. The exit code is 1 if no benchmark can run.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			chosen, err := formatNamed(doctorFormats, *output)
			if err != nil {
				return err
			}
			c, err := connect(flags)
			if err != nil {
				return err
			}
			found := examine(cmd.Context(), c)
			if err := chosen.print(cmd.OutOrStdout(), found, report.Style{}); err != nil {
				return err
			}
			if failed := countOf(found, checkFailed); failed > 0 {
				return fmt.Errorf("%s failed", humanize.Plural(failed, "check"))
			}
			return nil
		},
	}
	output = addOutputFlag(cmd, doctorFormats)
	return cmd
}

// check looks at one thing. An error means that it could not be looked at.
type check struct {
	name string
	look func(context.Context, *cluster) (result, message string, err error)
}

// checks are all that is looked at, the most fundamental first.
var checks = []check{
	{"Kubernetes", checkKubernetes}, {"API", checkAPI}, {"operator", checkOperator}, {"admission policy", checkPolicy},
	{"your rights", checkRights}, {"namespace", checkNamespace}, {"nodes", checkNodes},
	{"EBS driver", checkDriver(storage.EBSDriver)}, {"EFS driver", checkDriver(storage.EFSDriver)}, {"S3 driver", checkDriver(storage.S3Driver)},
	{"StorageClasses", checkClasses}, {"snapshots", checkSnapshots}, {"EBS metrics", checkEBSMetrics}, {"Prometheus", checkPrometheus},
}

// examine makes all checks. Where the cluster does not answer, the first one tells, and the others are left out.
func examine(ctx context.Context, c *cluster) []finding {
	var found []finding
	for i, one := range checks {
		result, message, err := one.look(ctx, c)
		switch {
		case apierrors.IsForbidden(err):
			result, message = checkWarning, "unknown: you have no right to look: "+err.Error()
		case err != nil && i == 0:
			return []finding{{one.name, checkFailed, err.Error()}}
		case err != nil:
			result, message = checkWarning, "unknown: "+err.Error()
		}
		found = append(found, finding{one.name, result, humanize.Line(message)})
	}
	return found
}

func countOf(all []finding, result string) (n int) {
	for _, one := range all {
		if one.Result == result {
			n++
		}
	}
	return n
}

// printFindings prints findings for people.
func printFindings(w io.Writer, all []finding) error {
	for _, one := range all {
		if _, err := fmt.Fprintf(w, "%-8s %-17s %s\n", one.Result, one.Check, one.Message); err != nil {
			return err
		}
	}
	return nil
}
