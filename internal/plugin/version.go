package plugin

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/report"
)

const (
	// versionLabel is the label with the version that the chart gives to its objects.
	versionLabel = "app.kubernetes.io/version"
	// benchmarkCRD is the name of the CustomResourceDefinition of StorageBenchmarks.
	benchmarkCRD = "storagebenchmarks.storagebench.dev"
)

// versions are the versions of the parts that have to fit each other.
type versions struct {
	Plugin string `json:"plugin"`
	// Operators are the operators that the user may see, more than one if there are several.
	Operators []operatorVersion `json:"operators"`
	// CRD is the version of the chart that installed the CustomResourceDefinition, "" if it is unknown.
	CRD string `json:"crd,omitempty"`
	// Match reports whether all versions are known and the same.
	Match bool `json:"match"`
	// Notes tell what is unknown or does not match, and the remedy.
	Notes []string `json:"notes,omitempty"`
}

// operatorVersion is the version of an operator in the cluster.
type operatorVersion struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Version   string `json:"version"`
}

// versionFormats are the ways to print versions.
var versionFormats = append([]format[*versions]{
	{"text", "a line for each part", unstyled(printVersions)},
}, documents(same[*versions])...)

// newVersionCommand returns the command that prints the versions of the plugin, the operator and the API.
func newVersionCommand(flags *genericclioptions.ConfigFlags, plugin string) *cobra.Command {
	var output *string
	onlyClient := false
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the versions of this program, of the operator and of the API in the cluster, and whether they match",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			chosen, err := formatNamed(versionFormats, *output)
			if err != nil {
				return err
			}
			found := &versions{Plugin: plugin, Operators: []operatorVersion{}}
			if !onlyClient {
				c, err := connect(flags)
				if err != nil {
					return err
				}
				found.look(cmd.Context(), c)
			}
			return chosen.print(cmd.OutOrStdout(), found, report.Style{})
		},
	}
	cmd.Flags().BoolVar(&onlyClient, "client", false, "print only the version of this program, without a cluster")
	output = addOutputFlag(cmd, versionFormats)
	return cmd
}

// look reads the versions of the cluster. What cannot be read becomes a note.
func (v *versions) look(ctx context.Context, c client.Reader) {
	v.lookForOperators(ctx, c)
	v.lookForAPI(ctx, c)
	known := []string{v.Plugin, v.CRD}
	for _, operator := range v.Operators {
		known = append(known, operator.Version)
	}
	slices.Sort(known)
	known = slices.Compact(known)
	v.Match = len(known) == 1 && len(v.Operators) > 0
	if !v.Match && len(v.Notes) == 0 {
		v.note("the versions differ: upgrade the older ones, the CustomResourceDefinitions with the chart and before the operator (%s)", installPage)
	}
}

func (v *versions) note(format string, args ...any) {
	v.Notes = append(v.Notes, fmt.Sprintf(format, args...))
}

func (v *versions) lookForOperators(ctx context.Context, c client.Reader) {
	var found appsv1.DeploymentList
	labels := client.MatchingLabels{"app.kubernetes.io/name": "storagebench"}
	switch err := c.List(ctx, &found, labels); {
	case apierrors.IsForbidden(err):
		v.note("the operator's version is unknown: you may not list Deployments of all namespaces")
	case err != nil:
		v.note("the operator's version is unknown: %v", err)
	case len(found.Items) == 0:
		v.note("no operator was found: is storagebench installed in this cluster? %s", installPage)
	}
	for i := range found.Items {
		one := &found.Items[i]
		v.Operators = append(v.Operators, operatorVersion{one.Namespace, one.Name, one.Labels[versionLabel]})
	}
}

func (v *versions) lookForAPI(ctx context.Context, c client.Reader) {
	definition := &metav1.PartialObjectMetadata{}
	definition.SetGroupVersionKind(schema.GroupVersionKind{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition"})
	switch err := c.Get(ctx, client.ObjectKey{Name: benchmarkCRD}, definition); {
	case apierrors.IsNotFound(err):
		v.note("CustomResourceDefinition %s is not installed: %s", benchmarkCRD, installPage)
	case apierrors.IsForbidden(err):
		v.note("the version of the API is unknown: you may not read CustomResourceDefinitions")
	case err != nil:
		v.note("the version of the API is unknown: %v", err)
	case definition.Labels[versionLabel] == "":
		v.note("CustomResourceDefinition %s has no label %s: it was not installed by the chart", benchmarkCRD, versionLabel)
	default:
		v.CRD = definition.Labels[versionLabel]
	}
}

// printVersions prints versions for people.
func printVersions(w io.Writer, v *versions) error {
	lines := []string{"plugin:    " + v.Plugin}
	for _, operator := range v.Operators {
		lines = append(lines, fmt.Sprintf("operator:  %s (%s/%s)", operator.Version, operator.Namespace, operator.Name))
	}
	if v.CRD != "" {
		lines = append(lines, fmt.Sprintf("API:       %s (%s)", v.CRD, v1alpha1.GroupVersion))
	}
	_, err := fmt.Fprintln(w, strings.Join(append(lines, v.Notes...), "\n"))
	return err
}
