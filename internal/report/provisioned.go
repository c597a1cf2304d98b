package report

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// storageOf says in words what a target is, such as "EBS gp3 volume of 30Gi made from VolumeSnapshot db" or "claim data".
func storageOf(t *v1alpha1.Target) string {
	size, source := "", ""
	if t.Capacity != nil {
		size = " of " + t.Capacity.String()
	}
	if t.DataSource != nil {
		source = " made from " + t.DataSource.String()
	}
	switch {
	case t.EBS != nil:
		kind := string(t.EBS.Type)
		if kind == "" {
			kind = "gp3"
		}
		return "EBS " + kind + " volume" + size + source
	case t.EFS != nil:
		return strings.TrimSpace("EFS file system " + t.EFS.FileSystemID)
	case t.S3 != nil:
		return strings.TrimSpace("S3 bucket " + t.S3.Bucket)
	case t.ClaimName != nil:
		return "claim " + *t.ClaimName
	case t.StorageClassName != nil:
		return "volume" + size + " of class " + *t.StorageClassName + source
	default:
		return "storage"
	}
}

// targetOf returns the target of a name, an empty one if there is none.
func targetOf(sb *v1alpha1.StorageBenchmark, name string) *v1alpha1.Target {
	return firstOr(v1alpha1.Target{Name: name}, sb.Spec.Targets, func(t v1alpha1.Target) bool { return t.Name == name })
}

// targetStatusOf returns the status of the target of a name, an empty one if there is none.
func targetStatusOf(sb *v1alpha1.StorageBenchmark, name string) *v1alpha1.TargetStatus {
	return firstOr(v1alpha1.TargetStatus{Name: name}, sb.Status.Targets, func(t v1alpha1.TargetStatus) bool { return t.Name == name })
}

// firstOr returns the first of the things that is wanted, or another one if there is none.
func firstOr[T any](none T, things []T, wanted func(T) bool) *T {
	if at := slices.IndexFunc(things, wanted); at >= 0 {
		return &things[at]
	}
	return &none
}

// limitsOf prints limits, such as "3000 IOPS, 125 MiB/s", with what remains of them without burst credits.
func limitsOf(l *v1alpha1.Limits) string {
	var parts []string
	add := func(limit *int64, inWords func(int64) string, suffix string) {
		if limit != nil {
			parts = append(parts, inWords(*limit)+suffix)
		}
	}
	iops := func(n int64) string { return fmt.Sprintf("%d IOPS", n) }
	add(l.IOPS, iops, "")
	add(l.ReadIOPS, iops, " of reads")
	add(l.WriteIOPS, iops, " of writes")
	add(l.BytesPerSecond, bandwidth, "")
	add(l.ReadBytesPerSecond, bandwidth, " of reads")
	add(l.WriteBytesPerSecond, bandwidth, " of writes")
	if l.Burst != nil {
		add(l.Burst.BaselineIOPS, iops, " without burst credits")
		add(l.Burst.BaselineBytesPerSecond, bandwidth, " without burst credits")
	}
	return strings.Join(parts, ", ")
}

// knownLimits prints all limits that a target's results are judged by, each with whose it is.
func knownLimits(s *v1alpha1.TargetStatus) string {
	var parts []string
	if s.Limits != nil {
		parts = append(parts, fmt.Sprintf("%s: %s%s", s.Limits.Scope, precisions[s.Limits.Precision], limitsOf(&s.Limits.Limits))+lowered(s.Limits))
	}
	for i := range s.ClientLimits {
		parts = append(parts, fmt.Sprintf("%s: %s", s.ClientLimits[i].Scope, limitsOf(&s.ClientLimits[i].Limits)))
	}
	return strings.Join(parts, "; ")
}

// lowered says what there is in place of limits if the driver lowered them.
func lowered(l *v1alpha1.KnownLimits) string {
	if l.LoweredIOPS == nil {
		return ""
	}
	return fmt.Sprintf(" (%d IOPS if the driver lowered them)", *l.LoweredIOPS)
}

// precisions say what figures are that are no limits.
var precisions = map[v1alpha1.LimitPrecision]string{v1alpha1.PrecisionRange: "up to about ", v1alpha1.PrecisionAtLeast: "at least "}

// nodesOf returns the nodes that a target was measured from, each once, with what is known of them, such as
// "node-1 (m6i.large, eu-central-1a)".
func nodesOf(s *v1alpha1.TargetStatus) []string {
	var nodes []string
	for i := range s.Volumes {
		v := &s.Volumes[i]
		if v.Node == "" {
			continue
		}
		node := v.Node
		if about := slices.DeleteFunc([]string{v.InstanceType, v.Zone}, func(s string) bool { return s == "" }); len(about) > 0 {
			node += " (" + strings.Join(about, ", ") + ")"
		}
		if !slices.Contains(nodes, node) {
			nodes = append(nodes, node)
		}
	}
	return nodes
}

// volumesOf returns the volumes of a target by what their driver calls them, else by their PersistentVolume.
func volumesOf(s *v1alpha1.TargetStatus) []string {
	var volumes []string
	for i := range s.Volumes {
		name := s.Volumes[i].Handle
		if name == "" {
			name = s.Volumes[i].Name
		}
		volumes = append(volumes, name)
	}
	return volumes
}

// fioVersionsOf returns the versions of fio that the results are of, each once, sorted.
func fioVersionsOf(status *v1alpha1.StorageBenchmarkStatus) []string {
	var versions []string
	for _, m := range measurementsOf(status) {
		if m.FioVersion != "" && !slices.Contains(versions, m.FioVersion) {
			versions = append(versions, m.FioVersion)
		}
	}
	slices.Sort(versions)
	return versions
}

// modeOf is the volume mode of a target, Filesystem if nothing is known.
func modeOf(t *v1alpha1.Target, s *v1alpha1.TargetStatus) string {
	if s.VolumeMode != "" {
		return string(s.VolumeMode)
	}
	return string(ptr.Deref(t.VolumeMode, "Filesystem"))
}
