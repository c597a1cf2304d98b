package wording

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// Storage says in words what a target is, such as "EBS gp3 volume of 30Gi made from VolumeSnapshot db" or "claim data".
func Storage(t *v1alpha1.Target) string {
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

// Limits prints limits, such as "3000 IOPS, 125 MiB/s", with what remains of them without burst credits.
func Limits(l *v1alpha1.Limits) string {
	parts := []string{IOPSLimits(l), BandwidthLimits(l)}
	if burst := BurstLimits(l); burst != "" {
		parts = append(parts, burst+" without burst credits")
	}
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), ", ")
}

// IOPSLimits prints the limits of I/Os per second.
func IOPSLimits(l *v1alpha1.Limits) string {
	return limits(PerSecond, limit{l.IOPS, ""}, limit{l.ReadIOPS, " of reads"}, limit{l.WriteIOPS, " of writes"})
}

// BandwidthLimits prints the limits of bytes per second.
func BandwidthLimits(l *v1alpha1.Limits) string {
	return limits(Bandwidth, limit{l.BytesPerSecond, ""}, limit{l.ReadBytesPerSecond, " of reads"}, limit{l.WriteBytesPerSecond, " of writes"})
}

// BurstLimits prints what remains of limits without burst credits.
func BurstLimits(l *v1alpha1.Limits) string {
	if l.Burst == nil {
		return ""
	}
	parts := []string{limits(PerSecond, limit{l.Burst.BaselineIOPS, ""}), limits(Bandwidth, limit{l.Burst.BaselineBytesPerSecond, ""})}
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), ", ")
}

// Credits tells how many burst credits are left, and for how long a full bucket lasts.
func Credits(left *v1alpha1.BurstCredits) string {
	text := fmt.Sprintf("%d %% left", left.LeftPercent)
	if seconds := min(left.SecondsToBaseline, int64(math.MaxInt64/time.Second)); seconds > 0 {
		text += fmt.Sprintf("; a full bucket lasts for %s at the full rate", duration.HumanDuration(time.Duration(seconds)*time.Second))
	}
	return text
}

// limit is a limit that may be unset, and what it is of.
type limit struct {
	value *int64
	of    string
}

// limits prints the limits that are set.
func limits(inWords func(int64) string, all ...limit) string {
	var parts []string
	for _, l := range all {
		if l.value != nil {
			parts = append(parts, inWords(*l.value)+l.of)
		}
	}
	return strings.Join(parts, ", ")
}

// KnownLimits prints all limits that a target's results are judged by, each with whose it is.
func KnownLimits(s *v1alpha1.TargetStatus) string {
	var parts []string
	if s.Limits != nil {
		parts = append(parts, fmt.Sprintf("%s: %s%s", s.Limits.Scope, precisions[s.Limits.Precision], Limits(&s.Limits.Limits))+lowered(s.Limits))
	}
	for i := range s.ClientLimits {
		parts = append(parts, fmt.Sprintf("%s: %s", s.ClientLimits[i].Scope, Limits(&s.ClientLimits[i].Limits)))
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

// Nodes returns the nodes that a target was measured from, each once, with what is known of them, such as
// "node-1 (m6i.large, eu-central-1a)".
func Nodes(s *v1alpha1.TargetStatus) []string {
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

// Volumes returns the volumes of a target by what their driver calls them, else by their PersistentVolume.
func Volumes(s *v1alpha1.TargetStatus) []string {
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

// Mode is the volume mode of a target, Filesystem if nothing is known.
func Mode(t *v1alpha1.Target, s *v1alpha1.TargetStatus) string {
	if s.VolumeMode != "" {
		return string(s.VolumeMode)
	}
	return string(ptr.Deref(t.VolumeMode, "Filesystem"))
}
