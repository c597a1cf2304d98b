package compare

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/fio"
	"github.com/storagebench/storagebench/internal/report/cases"
	"github.com/storagebench/storagebench/internal/report/wording"
)

// Difference is what two benchmarks do not have in common although the results are compared, so that it may explain them.
type Difference struct {
	// What differs, such as "instance type of the nodes of gp3".
	What string `json:"what"`
	// Baseline and Other are what each has, both "" where it is too long to print.
	Baseline string `json:"baseline,omitempty"`
	Other    string `json:"other,omitempty"`
}

// differences collects what differs, each once.
type differences struct{ all []Difference }

// add adds what differs, unless it is the same or known of one benchmark only.
func (d *differences) add(what, baseline, other string) {
	if found := (Difference{what, baseline, other}); baseline != other && baseline != "" && other != "" && !slices.Contains(d.all, found) {
		d.all = append(d.all, found)
	}
}

// Differences returns what differs beside the results of those targets and workloads that are compared: nodes, fio, what
// was provisioned, clients, and what fio was told.
func (p *Pair) Differences() []Difference {
	var found differences
	base, other := p.Benchmarks[0], p.Benchmarks[1]
	found.add("version of fio", strings.Join(cases.FioVersions(&base.Status), ", "), strings.Join(cases.FioVersions(&other.Status), ", "))
	for i := range p.Both {
		c := &p.Both[i]
		found.addTargets(p, c.Targets[0].Name, c.Targets[1].Name)
	}
	for i := range p.Both {
		c := &p.Both[i]
		name := strings.TrimSpace(c.Workload + " " + wording.Parameters(c.Parameters))
		found.add("clients of "+name, strconv.Itoa(int(base.Spec.RunClients(c.Parameters))), strconv.Itoa(int(other.Spec.RunClients(c.Parameters))))
		found.addWorkloads(cases.Workload(&base.Spec, c.Workload), cases.Workload(&other.Spec, c.Workload), c.Parameters)
	}
	return found.all
}

// addTargets adds how the storage of two targets differs, and the way there.
func (d *differences) addTargets(p *Pair, baseline, other string) {
	name := baseline
	if other != baseline {
		name += " and " + other
	}
	a, b := cases.Target(p.Benchmarks[0], baseline), cases.Target(p.Benchmarks[1], other)
	as, bs := cases.TargetStatus(p.Benchmarks[0], baseline), cases.TargetStatus(p.Benchmarks[1], other)
	d.add("instance types of the nodes of "+name, ofVolumes(as, instanceType), ofVolumes(bs, instanceType))
	d.add("zones of "+name, ofVolumes(as, zone), ofVolumes(bs, zone))
	d.add("size of "+name, capacityOf(a), capacityOf(b))
	d.add("volume mode of "+name, wording.Mode(a, as), wording.Mode(b, bs))
	d.add("dataSource of "+name, dataSourceOf(a), dataSourceOf(b))
	if as.Limits != nil && bs.Limits != nil && !equality.Semantic.DeepEqual(as.Limits.Limits, bs.Limits.Limits) {
		d.add("limits of "+name, wording.Limits(&as.Limits.Limits), wording.Limits(&bs.Limits.Limits))
	}
	if as.Limits == nil != (bs.Limits == nil) {
		d.add("limits of "+name, cmp.Or(wording.KnownLimits(as), "unknown"), cmp.Or(wording.KnownLimits(bs), "unknown"))
	}
}

func instanceType(v *v1alpha1.VolumeStatus) string { return v.InstanceType }
func zone(v *v1alpha1.VolumeStatus) string         { return v.Zone }

// ofVolumes returns what is known of a target's volumes, each once, sorted.
func ofVolumes(s *v1alpha1.TargetStatus, of func(*v1alpha1.VolumeStatus) string) string {
	all := map[string]bool{}
	for i := range s.Volumes {
		if what := of(&s.Volumes[i]); what != "" {
			all[what] = true
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(all)), ", ")
}

// capacityOf returns the size of the volume that was made for a target, "" of storage that has none or existed.
func capacityOf(t *v1alpha1.Target) string {
	if t.StorageClassName == nil && t.EBS == nil {
		return ""
	}
	if t.Capacity == nil {
		return defaultCapacity
	}
	return t.Capacity.String()
}

// dataSourceOf returns what the volume was made from that was made for a target, "" of storage that was not made.
func dataSourceOf(t *v1alpha1.Target) string {
	switch {
	case t.StorageClassName == nil && t.EBS == nil:
		return ""
	case t.DataSource == nil:
		return "none"
	default:
		return t.DataSource.String()
	}
}

// defaultCapacity is the size of a volume whose target does not give one. A test holds it to internal/storage.
const defaultCapacity = "10Gi"

// addWorkloads adds what fio was told else, but for the parameters that are the same because they are compared.
func (d *differences) addWorkloads(a, b *v1alpha1.Workload, compared map[string]string) {
	if ptr.Deref(a.JobFile, "") != ptr.Deref(b.JobFile, "") {
		if found := (Difference{What: "job file of " + a.Name}); !slices.Contains(d.all, found) {
			d.all = append(d.all, found)
		}
	}
	a, b = wording.Expanded(a), wording.Expanded(b)
	if a.Fio == nil || b.Fio == nil {
		return
	}
	base, other := wording.Fields(a.Fio), wording.Fields(b.Fio)
	names := maps.Clone(base)
	maps.Copy(names, other)
	for name := range compared {
		delete(names, fio.FieldName(name))
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		d.add(fmt.Sprintf("%s of %s", name, a.Name), cmp.Or(base[name], "unset"), cmp.Or(other[name], "unset"))
	}
}
