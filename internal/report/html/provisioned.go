package html

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// fact is a name and what is to be said of it.
type fact struct{ Name, Text string }

// provisioned is what was made or found for a target.
type provisioned struct {
	Target  target
	Kind    string
	Facts   []fact
	Limits  table
	Volumes table
}

// provisioned returns what was made or found for each target.
func (r *results) provisioned() []provisioned {
	var all []provisioned
	for i := range r.sb.Status.Targets {
		status := &r.sb.Status.Targets[i]
		p := provisioned{Target: r.target(status.Name), Facts: targetFacts(status), Limits: limitsTable(status), Volumes: volumesTable(status)}
		for j := range r.sb.Spec.Targets {
			if r.sb.Spec.Targets[j].Name == status.Name {
				p.Kind = kindOf(&r.sb.Spec.Targets[j])
			}
		}
		all = append(all, p)
	}
	return all
}

// targetFacts returns what is known of a target beside its limits and volumes.
func targetFacts(t *v1alpha1.TargetStatus) []fact {
	var modes []string
	for _, mode := range t.AccessModes {
		modes = append(modes, string(mode))
	}
	facts := []fact{
		{"StorageClass", t.StorageClassName}, {"Driver", t.Driver},
		{"Volume mode", string(t.VolumeMode)}, {"Access modes", strings.Join(modes, ", ")},
	}
	if t.ProvisionedMilliseconds != nil {
		facts = append(facts, fact{"Provisioned in", latency(min(*t.ProvisionedMilliseconds, math.MaxInt64/1_000_000) * 1_000_000)})
	}
	if left := t.BurstCredits; left != nil {
		text := fmt.Sprintf("%d %% left", left.LeftPercent)
		if left.SecondsToBaseline > 0 {
			text += fmt.Sprintf("; a full bucket lasts for %s s at the full rate", count(left.SecondsToBaseline))
		}
		facts = append(facts, fact{"Burst credits", text})
	}
	if t.TestFiles != "" {
		facts = append(facts, fact{"Test files", string(t.TestFiles)})
	}
	return slices.DeleteFunc(facts, func(f fact) bool { return f.Text == "" })
}

// limitsTable returns what results of a target are judged by.
func limitsTable(t *v1alpha1.TargetStatus) table {
	limits := table{Caption: "Limits of " + t.Name, Columns: []column{{Name: "Limits of"}, {Name: "IOPS", Number: true}, {Name: "Bandwidth", Number: true}, {Name: "Without credits", Number: true}, {Name: "Source"}}}
	add := func(l *v1alpha1.KnownLimits, of string) {
		if l.Scope != "" {
			of = scopeWords[l.Scope]
		}
		limits.Rows = append(limits.Rows, row{
			heading(of), {Text: limitText(l.IOPS, l.ReadIOPS, l.WriteIOPS, count), Number: true},
			{Text: limitText(l.BytesPerSecond, l.ReadBytesPerSecond, l.WriteBytesPerSecond, bandwidth), Number: true},
			{Text: burstText(l.Burst), Number: true}, text(l.Source),
		})
	}
	if t.Limits != nil {
		add(t.Limits, "storage")
	}
	for i := range t.ClientLimits {
		add(&t.ClientLimits[i], "node")
	}
	return limits.omitEmpty()
}

// scopeWords say what limits belong to.
var scopeWords = map[v1alpha1.LimitScope]string{
	v1alpha1.ScopeVolume: "volume", v1alpha1.ScopeFileSystem: "file system", v1alpha1.ScopeClient: "client", v1alpha1.ScopeInstance: "instance",
}

// limitText prints a limit of all I/O, or those of reads and writes that take its place.
func limitText(all, reads, writes *int64, form func(int64) string) string {
	var parts []string
	add := func(limit *int64, of string) {
		if limit != nil {
			parts = append(parts, form(*limit)+of)
		}
	}
	if reads == nil && writes == nil {
		add(all, "")
	}
	add(reads, " reads")
	add(writes, " writes")
	return strings.Join(parts, ", ")
}

// burstText prints what remains of a limit when credits are used up.
func burstText(b *v1alpha1.Burst) string {
	if b == nil {
		return ""
	}
	var parts []string
	if b.BaselineIOPS != nil {
		parts = append(parts, count(*b.BaselineIOPS)+" IOPS")
	}
	if b.BaselineBytesPerSecond != nil {
		parts = append(parts, bandwidth(*b.BaselineBytesPerSecond))
	}
	return strings.Join(parts, ", ")
}

// volumesTable returns a target's volumes and where they were measured from.
func volumesTable(t *v1alpha1.TargetStatus) table {
	volumes := table{Caption: "Volumes of " + t.Name, Columns: []column{{Name: "Volume"}, {Name: "Handle"}, {Name: "Node"}, {Name: "Instance type"}, {Name: "Zone"}}}
	for _, v := range t.Volumes {
		volumes.Rows = append(volumes.Rows, row{heading(v.Name), text(v.Handle), text(v.Node), text(v.InstanceType), text(v.Zone)})
	}
	return volumes.omitEmpty()
}
