package plugin

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/aws"
	"github.com/storagebench/storagebench/internal/fioresult"
	"github.com/storagebench/storagebench/internal/storage"
)

// storageOptions are the flags that describe what fio measured, which its output does not say.
type storageOptions struct {
	volume, efs, limits, instance string
	s3                            bool
	options                       []string
	// flags are the flags themselves.
	flags *pflag.FlagSet
	// used is set when they have described output of fio.
	used bool
}

func (o *storageOptions) addFlags(cmd *cobra.Command) {
	flags := pflag.NewFlagSet("storage", pflag.ContinueOnError)
	flags.StringVar(&o.volume, "volume", "", "for output of fio: the EBS volume, such as gp3,iops=3000,throughput=125,size=100Gi")
	if cmd.Flags().Lookup("efs") == nil { // else these flags name storage to measure as well
		flags.StringVar(&o.efs, "efs", "", "for output of fio: the EFS file system by its throughput mode, such as Elastic or Provisioned,provisionedThroughput=100")
		flags.BoolVar(&o.s3, "s3", false, "for output of fio: a bucket of S3, mounted by Mountpoint")
	}
	flags.StringVar(&o.limits, "limits", "", "for output of fio: what the storage can do at most, such as iops=3000,bytesPerSecond=131072000")
	flags.StringVar(&o.instance, "instance", "", "for output of fio: the type of the EC2 instance, such as m6i.large")
	flags.StringArrayVar(&o.options, "option", nil, "for output of fio: an option that the output does not name, such as direct=1")
	o.flags = flags
	cmd.Flags().AddFlagSet(flags)
	cmd.MarkFlagsMutuallyExclusive("volume", "efs", "s3")
}

// checkUsed returns an error if the flags describe storage, and no output of fio was read.
func (o *storageOptions) checkUsed() error {
	if o.used {
		return nil
	}
	var given []string
	o.flags.VisitAll(func(flag *pflag.Flag) {
		if flag.Changed {
			given = append(given, "--"+flag.Name)
		}
	})
	if len(given) == 0 {
		return nil
	}
	return fmt.Errorf("%s: only the output of fio needs this; a StorageBenchmark says it itself", strings.Join(given, ", "))
}

// described returns the storage that the flags describe.
func (o *storageOptions) described() (fioresult.Storage, error) {
	on := fioresult.Storage{InstanceType: o.instance, Options: map[string]string{}}
	for _, option := range o.options {
		name, value, _ := strings.Cut(option, "=")
		if name == "" {
			return on, fmt.Errorf("--option %q: write an option of fio and its value, such as direct=1", option)
		}
		on.Options[name] = value
	}
	if _, known := aws.LookupInstance(o.instance); o.instance != "" && !known {
		return on, fmt.Errorf("--instance %q: there is no such type of EC2 instance in this version's table; leave the flag out", o.instance)
	}
	err := errors.Join(o.describeVolume(&on.Target), o.describeLimits(&on.Target))
	if err != nil {
		return on, err
	}
	if err := o.checkSizes(&on.Target); err != nil {
		return on, err
	}
	if on.Target.EBS != nil && storage.Limits(&on.Target, storage.Class{}) == nil {
		return on, fmt.Errorf("--volume: no limits are known of type %q: write gp3, gp2, io2, io1, st1, sc1 or standard, or give --limits alone", on.Target.EBS.Type)
	}
	return on, storage.Validate(field.NewPath("target"), &on.Target, storage.KindOf(&on.Target, "")).ToAggregate()
}

// checkSizes returns an error where limits follow from a size that is not given.
func (o *storageOptions) checkSizes(target *v1alpha1.Target) error {
	switch {
	case target.EBS != nil && slices.Contains([]v1alpha1.EBSVolumeType{"gp2", "st1", "sc1"}, target.EBS.Type) && target.Capacity == nil:
		return fmt.Errorf("--volume %s: add size=, such as size=100Gi: what these volumes can do follows from their size", o.volume)
	case target.Capacity != nil && target.Capacity.Value() < 1<<30:
		return fmt.Errorf("--volume: size=%s is less than EBS has volumes of: write a size such as 100Gi", target.Capacity)
	case target.EFS != nil && ptr.Deref(target.EFS.ThroughputMode, "") == v1alpha1.EFSBursting && target.EFS.MeteredSize == nil:
		return errors.New("--efs Bursting: add meteredSize=, such as meteredSize=2Ti: what these file systems can do follows from what is stored on them")
	}
	return nil
}

// describeVolume describes the volume of a target, and names the target after it.
func (o *storageOptions) describeVolume(target *v1alpha1.Target) error {
	switch {
	case o.volume != "":
		settings := settingsOf(o.volume, "type")
		if size, given := settings["size"]; given {
			capacity, err := resource.ParseQuantity(size)
			if err != nil {
				return fmt.Errorf("--volume: size=%s: write a size such as 100Gi", size)
			}
			target.Capacity = &capacity
			delete(settings, "size")
		}
		target.EBS = &v1alpha1.EBSVolume{}
		target.Name = settings["type"]
		return decodeSettings("volume", settings, target.EBS)
	case o.efs != "":
		target.Name, target.EFS = "efs", &v1alpha1.EFSFileSystem{}
		return decodeSettings("efs", settingsOf(o.efs, "throughputMode"), target.EFS)
	case o.s3:
		target.Name, target.S3 = "s3", &v1alpha1.S3Bucket{}
	default:
		target.Name = "storage"
	}
	return nil
}

func (o *storageOptions) describeLimits(target *v1alpha1.Target) error {
	if o.limits == "" {
		return nil
	}
	target.Limits = &v1alpha1.Limits{}
	return decodeSettings("limits", settingsOf(o.limits, ""), target.Limits)
}

// settingsOf splits name=value,name=value. A first value without a name has the name that is given.
func settingsOf(text, first string) map[string]string {
	settings := map[string]string{}
	for i, part := range strings.Split(text, ",") {
		name, value, named := strings.Cut(part, "=")
		if !named && i == 0 {
			name, value = first, part
		}
		settings[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	return settings
}

// decodeSettings decodes settings into the fields of the API with these names. Errors name the flag and the setting.
func decodeSettings(flag string, settings map[string]string, into any) error {
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		value := settings[name]
		err := yaml.UnmarshalStrict([]byte(name+": "+value), into)
		if err == nil || yaml.UnmarshalStrict([]byte(name+": "+strconv.Quote(value)), into) == nil { // a text that looks like a number
			continue
		}
		fields := slices.Sorted(maps.Keys(fieldsOf(reflect.TypeOf(into).Elem())))
		if !slices.Contains(fields, name) {
			return fmt.Errorf("--%s: there is no field %q%s", flag, name, meant(name, fields))
		}
		return fmt.Errorf("--%s: %s=%s: the field takes no such value (kubectl explain storagebenchmark.spec.targets.%s)", flag, name, value, flag)
	}
	return nil
}
