package html

import (
	"math"
	"slices"
	"strings"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/report/cases"
	"github.com/storagebench/storagebench/internal/report/wording"
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
		all = append(all, provisioned{
			Target: r.target(status.Name), Kind: wording.Storage(cases.Target(r.sb, status.Name)), Facts: targetFacts(status),
			Limits: limitsTable(status), Volumes: volumesTable(status),
		})
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
		facts = append(facts, fact{"Provisioned in", wording.Latency(min(*t.ProvisionedMilliseconds, math.MaxInt64/1_000_000) * 1_000_000)})
	}
	if left := t.BurstCredits; left != nil {
		facts = append(facts, fact{"Burst credits", wording.Credits(left)})
	}
	if t.TestFiles != "" {
		facts = append(facts, fact{"Test files", string(t.TestFiles)})
	}
	return slices.DeleteFunc(facts, func(f fact) bool { return f.Text == "" })
}

// limitsTable returns what results of a target are judged by.
func limitsTable(t *v1alpha1.TargetStatus) table {
	limits := table{Caption: "Limits of " + t.Name, Columns: []column{{Name: "Limits of"}, {Name: "IOPS", Number: true}, {Name: "Bandwidth", Number: true}, {Name: "Without burst credits", Number: true}, {Name: "Source"}}}
	add := func(l *v1alpha1.KnownLimits, of string) {
		if l.Scope != "" {
			of = scopeWords[l.Scope]
		}
		limits.Rows = append(limits.Rows, row{
			heading(of), number(wording.IOPSLimits(&l.Limits)), number(wording.BandwidthLimits(&l.Limits)),
			number(wording.BurstLimits(&l.Limits)), text(l.Source),
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

// volumesTable returns a target's volumes and where they were measured from.
func volumesTable(t *v1alpha1.TargetStatus) table {
	volumes := table{Caption: "Volumes of " + t.Name, Columns: []column{{Name: "Volume"}, {Name: "Handle"}, {Name: "Node"}, {Name: "Instance type"}, {Name: "Zone"}}}
	for _, v := range t.Volumes {
		volumes.Rows = append(volumes.Rows, row{heading(v.Name), text(v.Handle), text(v.Node), text(v.InstanceType), text(v.Zone)})
	}
	return volumes.omitEmpty()
}
