package plugin

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/fioimport"
)

// errNothingNamed is the error of commands that need storage, where no flag names any.
var errNothingNamed = errors.New("no storage is named: use --class (kubectl storagebench storage lists StorageClasses), --claim, --ebs, --efs or --s3")

// targetFlags are the flags that name storage to measure, one for each kind of target of the API.
type targetFlags struct {
	classes, claims, capacities []string
	ebs, efs, s3                []string

	nodeSelector map[string]string
	// fsGroup is the group that may write to the volumes, 0 for the one that the operator chooses.
	fsGroup int64
}

// targetFlagNames are the names of the flags that name storage.
var targetFlagNames = []string{"class", "claim", "ebs", "efs", "s3"}

func (o *targetFlags) addFlags(flags *pflag.FlagSet) {
	flags.StringSliceVar(&o.classes, "class", nil, "StorageClasses to measure, on a new volume each; the first target is the baseline of comparisons")
	flags.StringArrayVar(&o.ebs, "ebs", nil, "a new EBS volume to measure, with fields of spec.targets[].ebs: gp3,iops=6000,throughput=500 (capacity= and name= too)")
	flags.StringArrayVar(&o.efs, "efs", nil, "an EFS file system to measure, with fields of spec.targets[].efs: fs-0123456789abcdef0,throughputMode=Elastic")
	flags.StringArrayVar(&o.s3, "s3", nil, "an S3 bucket to measure, with fields of spec.targets[].s3: my-bucket,prefix=bench/")
	flags.StringSliceVar(&o.claims, "claim", nil, "PersistentVolumeClaims of the namespace to measure")
	flags.StringSliceVar(&o.capacities, "capacity", nil, "size of the new volumes: one for all, or one for each --class (default 10Gi)")
}

// addPodFlags adds the flags about the pods that measure.
func (o *targetFlags) addPodFlags(flags *pflag.FlagSet) {
	flags.StringToStringVar(&o.nodeSelector, "node-selector", nil, "labels of the nodes to measure from, such as node.kubernetes.io/instance-type=m6i.large")
	flags.Int64Var(&o.fsGroup, "fs-group", 0, "group that may write to the volumes, for a claim that only root may write to, such as 65532; "+
		"many drivers give every file on the volume to this group for good")
}

// completeTargets has the shell complete names of StorageClasses and claims.
func completeTargets(cmd *cobra.Command, flags *genericclioptions.ConfigFlags) {
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("class", completeClasses(flags)))
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("claim", completeClaims(flags)))
}

// areSet reports whether any storage is named.
func (o *targetFlags) areSet() bool {
	return len(o.classes)+len(o.claims)+len(o.ebs)+len(o.efs)+len(o.s3) > 0
}

// apply puts the targets and the settings of pods into a spec.
func (o *targetFlags) apply(spec *v1alpha1.StorageBenchmarkSpec) error {
	targets, err := o.targets()
	spec.Targets, spec.Pod = targets, o.pod()
	if len(o.nodeSelector) > 0 {
		spec.Placement = &v1alpha1.Placement{NodeSelector: o.nodeSelector}
	}
	return err
}

// pod returns the settings of pods, nil for the operator's own.
func (o *targetFlags) pod() *v1alpha1.PodSettings {
	if o.fsGroup == 0 {
		return nil
	}
	return &v1alpha1.PodSettings{SecurityContext: &corev1.PodSecurityContext{FSGroup: &o.fsGroup}}
}

// targets returns a target for each storage that is named. Errors name the flag, its value and the remedy.
func (o *targetFlags) targets() ([]v1alpha1.Target, error) {
	if !o.areSet() {
		return nil, errNothingNamed
	}
	if err := errors.Join(o.checkCapacities(), checkObjects("class", o.classes), checkObjects("claim", o.claims)); err != nil {
		return nil, err
	}
	var targets []v1alpha1.Target
	for i := range o.classes {
		targets = append(targets, v1alpha1.Target{Name: fioimport.Label(o.classes[i]), StorageClassName: &o.classes[i]})
	}
	for _, inline := range []struct {
		flag, first string
		values      []string
	}{{"ebs", "type", o.ebs}, {"efs", "fileSystemID", o.efs}, {"s3", "bucket", o.s3}} {
		for _, value := range inline.values {
			target, err := inlineTarget(inline.flag, inline.first, value)
			if err != nil {
				return nil, err
			}
			targets = append(targets, target)
		}
	}
	for i := range o.claims {
		targets = append(targets, v1alpha1.Target{Name: fioimport.Label(o.claims[i]), ClaimName: &o.claims[i]})
	}
	return targets, errors.Join(o.setCapacities(targets), distinguish(targets))
}

// checkCapacities returns an error if --capacity does not fit the other flags.
func (o *targetFlags) checkCapacities() error {
	n := len(o.capacities)
	switch {
	case n > 0 && len(o.classes)+len(o.ebs)+len(o.efs)+len(o.s3) == 0:
		return errors.New("--capacity is the size of new volumes: add --class, --ebs, --efs or --s3, or remove --capacity; a claim has a size of its own")
	case n > 1 && n != len(o.classes):
		return fmt.Errorf("--capacity has %d values, and --class has %d: give one value for all, or one for each --class; --ebs has capacity= of its own", n, len(o.classes))
	}
	return nil
}

// setCapacities gives the capacities of the flags to the targets that have none of their own.
func (o *targetFlags) setCapacities(targets []v1alpha1.Target) error {
	if len(o.capacities) == 0 {
		return nil
	}
	for i := range targets {
		if targets[i].ClaimName != nil || targets[i].Capacity != nil {
			continue
		}
		text := o.capacities[0]
		if i < len(o.classes) {
			text = o.capacities[min(i, len(o.capacities)-1)]
		}
		capacity, err := resource.ParseQuantity(text)
		if err != nil {
			return fmt.Errorf("--capacity %s: give a quantity of bytes, such as 30Gi", text)
		}
		targets[i].Capacity = &capacity
	}
	return nil
}

// inlineTarget returns the target of a flag such as --ebs gp3,iops=6000: fields of the API with their values. The value
// without a name is that of the first field. capacity, its other name size, and name are fields of the target.
func inlineTarget(flag, first, text string) (v1alpha1.Target, error) {
	settings := settingsOf(text, first)
	if flag == "ebs" && settings["type"] == "" {
		settings["type"] = "gp3"
	}
	target := v1alpha1.Target{Name: settings["name"]}
	if target.Name == "" {
		target.Name = map[string]string{"ebs": settings["type"], "efs": "efs", "s3": "s3"}[flag]
	}
	for _, name := range []string{"capacity", "size"} {
		if text, given := settings[name]; given {
			capacity, err := resource.ParseQuantity(text)
			if err != nil {
				return target, fmt.Errorf("--%s: %s=%s: give a quantity of bytes, such as 30Gi", flag, name, text)
			}
			target.Capacity = &capacity
		}
	}
	maps.DeleteFunc(settings, func(name, _ string) bool { return slices.Contains([]string{"name", "capacity", "size"}, name) })
	var into any
	switch flag {
	case "ebs":
		target.EBS = &v1alpha1.EBSVolume{}
		into = target.EBS
	case "efs":
		target.EFS = &v1alpha1.EFSFileSystem{}
		into = target.EFS
	default:
		target.S3 = &v1alpha1.S3Bucket{}
		into = target.S3
	}
	return target, decodeSettings(flag, settings, into)
}

// distinguish gives targets of the same name names that tell them apart, such as gp3-3000 and gp3-6000. It returns an error where
// their settings do not differ.
func distinguish(targets []v1alpha1.Target) error {
	named := map[string][]int{}
	for i := range targets {
		named[targets[i].Name] = append(named[targets[i].Name], i)
	}
	taken := map[string]bool{}
	for i := range targets {
		name := targets[i].Name
		if len(named[name]) > 1 {
			name = fioimport.Label(strings.Join(append([]string{name}, differences(&targets[i])...), "-"))
		}
		if taken[name] {
			return fmt.Errorf("two targets are called %s: remove one of them, or give it another name, such as --ebs gp3,name=other", name)
		}
		taken[name], targets[i].Name = true, name
	}
	return nil
}

// differences returns the settings that most often tell volumes of a kind apart.
func differences(t *v1alpha1.Target) (values []string) {
	switch {
	case t.EBS != nil:
		for _, figure := range []*int32{t.EBS.IOPS, t.EBS.IOPSPerGB, t.EBS.Throughput} {
			if figure != nil {
				values = append(values, fmt.Sprint(*figure))
			}
		}
		values = append(values, ptr.Deref(t.EBS.FSType, ""))
	case t.EFS != nil:
		values = append(values, string(ptr.Deref(t.EFS.ThroughputMode, "")), strings.TrimPrefix(t.EFS.FileSystemID, "fs-"))
	case t.S3 != nil:
		values = append(values, t.S3.Bucket, ptr.Deref(t.S3.Prefix, ""))
	}
	if t.Capacity != nil {
		values = append(values, t.Capacity.String())
	}
	return slices.DeleteFunc(values, func(value string) bool { return value == "" })
}
