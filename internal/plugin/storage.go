package plugin

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/printers"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/humanize"
	"github.com/storagebench/storagebench/internal/report"
	"github.com/storagebench/storagebench/internal/storage"
)

// isDefaultClass is the annotation of the StorageClass that claims without one get.
const isDefaultClass = "storageclass.kubernetes.io/is-default-class"

// clusterStorage is the storage that a cluster offers to benchmarks.
type clusterStorage struct {
	StorageClasses []storageClass `json:"storageClasses"`
	// Targets are the kinds of targets that a benchmark may name without a StorageClass, and whether they will work.
	Targets []targetKind `json:"targets"`
}

// storageClass is a StorageClass as a target of benchmarks.
type storageClass struct {
	Name    string `json:"name"`
	Driver  string `json:"driver"`
	Default bool   `json:"default,omitempty"`
	// Installed reports whether the cluster has the CSI driver. It is true for provisioners of other kinds, which have
	// no object in a cluster.
	Installed bool `json:"installed"`
	// Binding is when a volume is made: Immediate or WaitForFirstConsumer.
	Binding string `json:"volumeBindingMode"`
	// Reclaim is what becomes of a volume that a benchmark no longer needs.
	Reclaim string `json:"reclaimPolicy"`
	// Limits are those of a volume of 10Gi by the documentation, nil if none are known.
	Limits *v1alpha1.KnownLimits `json:"limits,omitempty"`
	// Note tells what users stumble over, "" if there is nothing.
	Note string `json:"note,omitempty"`
}

// targetKind is a kind of target that a benchmark may name without a StorageClass.
type targetKind struct {
	Field  string `json:"field"`
	Driver string `json:"driver"`
	Works  bool   `json:"works"`
	// Why is why it does not work, "" if it does.
	Why string `json:"why,omitempty"`
}

// storageFormats are the ways to print storage.
var storageFormats = append([]format[*clusterStorage]{
	{"table", "a line for each StorageClass and each kind of target", unstyled(printStorage)},
}, documents(same[*clusterStorage])...)

// newStorageCommand returns the command that lists storage which can be measured.
func newStorageCommand(flags *genericclioptions.ConfigFlags) *cobra.Command {
	var output *string
	cmd := &cobra.Command{
		Use:   "storage",
		Short: "List the storage that can be measured: StorageClasses with their limits, and kinds of targets",
		Long: `List the storage that can be measured: StorageClasses with their drivers and documented limits, and the kinds of targets
that need no StorageClass. The limits are those of a volume of 10Gi. They are known where they follow from the parameters of
the StorageClass.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			chosen, err := formatNamed(storageFormats, *output)
			if err != nil {
				return err
			}
			c, err := connect(flags)
			if err != nil {
				return err
			}
			found, err := storageOf(cmd.Context(), c)
			if err != nil {
				return err
			}
			return chosen.print(cmd.OutOrStdout(), found, report.Style{})
		},
	}
	output = addOutputFlag(cmd, storageFormats)
	return cmd
}

// storageOf reads the storage of a cluster.
func storageOf(ctx context.Context, c client.Reader) (*clusterStorage, error) {
	var classes storagev1.StorageClassList
	if err := c.List(ctx, &classes); err != nil {
		return nil, fmt.Errorf("list StorageClasses: %w", err)
	}
	drivers, err := csiDrivers(ctx, c)
	if err != nil {
		return nil, err
	}
	found := &clusterStorage{StorageClasses: []storageClass{}, Targets: targetKinds(drivers)}
	for i := range classes.Items {
		if classes.Items[i].Labels[v1alpha1.LabelBenchmark] != "" {
			continue // a benchmark has it made for itself
		}
		found.StorageClasses = append(found.StorageClasses, describeClass(&classes.Items[i], drivers))
	}
	slices.SortFunc(found.StorageClasses, func(a, b storageClass) int { return cmp.Compare(a.Name, b.Name) })
	return found, nil
}

// csiDrivers returns the CSI drivers that the cluster has as objects or, as drivers need none, on its nodes.
func csiDrivers(ctx context.Context, c client.Reader) (map[string]bool, error) {
	var objects storagev1.CSIDriverList
	var nodes storagev1.CSINodeList
	if err := c.List(ctx, &objects); err != nil {
		return nil, fmt.Errorf("list CSIDrivers: %w", err)
	}
	if err := c.List(ctx, &nodes); err != nil && !apierrors.IsForbidden(err) {
		return nil, fmt.Errorf("list CSINodes: %w", err)
	}
	drivers := map[string]bool{}
	for i := range objects.Items {
		drivers[objects.Items[i].Name] = true
	}
	for i := range nodes.Items {
		for _, driver := range nodes.Items[i].Spec.Drivers {
			drivers[driver.Name] = true
		}
	}
	return drivers, nil
}

func describeClass(class *storagev1.StorageClass, drivers map[string]bool) storageClass {
	name := class.Name
	target := &v1alpha1.Target{Name: "class", StorageClassName: &name}
	described := storageClass{
		Name: name, Driver: class.Provisioner, Default: class.Annotations[isDefaultClass] == "true",
		Installed: !storage.IsCSI(class.Provisioner) || drivers[class.Provisioner],
		Binding:   string(ptr.Deref(class.VolumeBindingMode, storagev1.VolumeBindingImmediate)),
		Reclaim:   string(ptr.Deref(class.ReclaimPolicy, "Delete")),
		Limits:    storage.Limits(target, storage.ClassOf(class)),
	}
	switch {
	case !described.Installed:
		described.Note = storage.MissingDriver(class.Provisioner, "")
	case class.Provisioner == noProvisioner:
		described.Note = "nobody makes its volumes: one that is free is needed"
	case described.Reclaim == "Retain":
		described.Note = "the operator has volumes that it had made deleted all the same"
	}
	return described
}

// noProvisioner is the provisioner of StorageClasses whose volumes administrators make.
const noProvisioner = "kubernetes.io/no-provisioner"

// targetKinds returns the kinds of targets whose StorageClass or volume the operator makes.
func targetKinds(drivers map[string]bool) []targetKind {
	var kinds []targetKind
	for _, driver := range []string{storage.EBSDriver, storage.EFSDriver, storage.S3Driver} {
		kind := targetKind{Field: storage.AddOnOf(driver).Field, Driver: driver, Works: drivers[driver]}
		if !kind.Works {
			kind.Why = storage.MissingDriver(driver, "")
		}
		kinds = append(kinds, kind)
	}
	return kinds
}

// printStorage prints storage for people.
func printStorage(w io.Writer, s *clusterStorage) error {
	table := printers.GetNewTabWriter(w)
	fmt.Fprintln(table, "STORAGECLASS\tDRIVER\tLIMITS\tNOTE")
	for i := range s.StorageClasses {
		class := &s.StorageClasses[i]
		name := class.Name
		if class.Default {
			name += " (default)"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", name, class.Driver, limitWords(class.Limits), class.Note)
	}
	fmt.Fprintln(table, "\nTARGET\tDRIVER\tWORKS\tNOTE")
	for _, kind := range s.Targets {
		works := "yes"
		if !kind.Works {
			works = "no"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", kind.Field, kind.Driver, works, kind.Why)
	}
	return table.Flush()
}

// limitWords returns limits in a few words.
func limitWords(limits *v1alpha1.KnownLimits) string {
	if limits == nil {
		return "unknown"
	}
	var words []string
	if limits.IOPS != nil {
		words = append(words, fmt.Sprintf("%d IOPS", *limits.IOPS))
	}
	if limits.BytesPerSecond != nil {
		words = append(words, humanize.Scaled(float64(*limits.BytesPerSecond), 1024, " B/s", " KiB/s", " MiB/s", " GiB/s"))
	}
	if len(words) == 0 {
		return "unknown"
	}
	return strings.Join(words, ", ")
}
