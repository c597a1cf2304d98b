package plan

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/storage"
	"github.com/storagebench/storagebench/test/builder"
)

// TestClients: how many clients there are is part of a run's name where the matrix says it, and no option of fio.
func TestClients(t *testing.T) {
	type run struct {
		Name    string
		Clients int32
		Job     string
	}
	const target = "targets: [{name: gp3, storageClassName: gp3, capacity: 10Gi}]\n"
	for _, test := range []struct {
		name, spec string
		want       []run
	}{{
		name: "not given", spec: "workloads: [{name: w, fio: {rw: read, size: 1M}}]",
		want: []run{{"w.gp3", 1, "[w]\nrw=read\nsize=1M\ngroup_reporting=1\n"}},
	}, {
		name: "given", spec: "clients: 3\nworkloads: [{name: w, fio: {rw: read, size: 1M}}]",
		want: []run{{"w.gp3", 3, "[w]\nrw=read\nsize=1M\ngroup_reporting=1\n"}},
	}, {
		name: "in a matrix", spec: "workloads: [{name: randwrite, fio: {rw: randwrite, size: 1M}, clients: [1, 2]}]",
		want: []run{
			{"randwrite.clients-1.gp3", 1, "[randwrite]\nrw=randwrite\nsize=1M\ngroup_reporting=1\n"},
			{"randwrite.clients-2.gp3", 2, "[randwrite]\nrw=randwrite\nsize=1M\ngroup_reporting=1\n"},
		},
	}, {
		name: "beside options", spec: "workloads: [{name: w, fio: {rw: read, size: 1M}, clients: [2, 128], matrix: {numjobs: [4, 8], bs: [4k]}}]",
		want: []run{
			{"w.bs-4k-clients-2-numjobs-4.gp3", 2, "[w]\nrw=read\nsize=1M\ngroup_reporting=1\nbs=4k\nnumjobs=4\n"},
			{"w.bs-4k-clients-2-numjobs-8.gp3", 2, "[w]\nrw=read\nsize=1M\ngroup_reporting=1\nbs=4k\nnumjobs=8\n"},
			{"w.bs-4k-clients-128-numjobs-4.gp3", 128, "[w]\nrw=read\nsize=1M\ngroup_reporting=1\nbs=4k\nnumjobs=4\n"},
			{"w.bs-4k-clients-128-numjobs-8.gp3", 128, "[w]\nrw=read\nsize=1M\ngroup_reporting=1\nbs=4k\nnumjobs=8\n"},
		},
	}, {
		name: "a workload's matrix takes the place of the spec", spec: "clients: 3\nworkloads:\n- {name: v, fio: {rw: read, size: 1M}, clients: [2]}\n- {name: w, fio: {rw: read, size: 1M}, matrix: {bs: [4k]}}",
		want: []run{
			{"v.clients-2.gp3", 2, "[v]\nrw=read\nsize=1M\ngroup_reporting=1\n"},
			{"w.bs-4k.gp3", 3, "[w]\nrw=read\nsize=1M\ngroup_reporting=1\nbs=4k\n"},
		},
	}, {
		name: "of a job file", spec: "workloads: [{name: w, jobFile: \"[a]\\nrw=read\\nsize=1M\\n[b]\\nstonewall\\nrw=read\\nsize=1M\\n\", clients: [2], matrix: {bs: [4k]}}]",
		want: []run{{"w.bs-4k-clients-2.gp3", 2, "[a]\nrw=read\nsize=1M\nbs=4k\n\n[b]\nstonewall\nrw=read\nsize=1M\nbs=4k\n"}},
	}} {
		t.Run(test.name, func(t *testing.T) {
			runs, problems := Runs(decode(t, []byte(target+test.spec)), nil)
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			var got []run
			for _, r := range runs {
				got = append(got, run{r.Name, r.Clients, r.Job.String()})
				if chosen, ok := r.Parameters["clients"]; ok && chosen != fmt.Sprint(r.Clients) {
					t.Errorf("%s has parameter clients=%s and %d clients", r.Name, chosen, r.Clients)
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("runs (-want +got):\n%s", diff)
			}
		})
	}
}

func TestClientsProblems(t *testing.T) {
	const path, give = "spec.workloads[0].clients", ": give a number of clients from 1 to 128, such as 4"
	for name, test := range map[string]struct {
		clients *int32
		each    []int32
		matrix  matrix
		want    []string // nil if it is fine
	}{
		"the fewest":            {new(int32(1)), []int32{1}, nil, nil},
		"the most":              {new(int32(128)), []int32{128}, nil, nil},
		"none":                  {new(int32(0)), nil, nil, []string{"spec.clients: Invalid value: 0" + give}},
		"too many":              {new(int32(129)), nil, nil, []string{"spec.clients: Invalid value: 129" + give}},
		"none of a workload":    {nil, []int32{0}, nil, []string{path + `[0]: Invalid value: 0` + give}},
		"too many of one":       {nil, []int32{2, 129}, nil, []string{path + `[1]: Invalid value: 129` + give}},
		"fewer than none":       {nil, []int32{-1}, nil, []string{path + `[0]: Invalid value: -1` + give}},
		"twice":                 {nil, []int32{2, 2}, nil, []string{path + `[1]: Duplicate value: 2`}},
		"in a matrix":           {nil, nil, matrix{"clients": of("2")}, []string{"spec.workloads[0].matrix[clients]: Forbidden: it is no option of fio: set clients of the workload, beside matrix"}},
		"another name":          {nil, nil, matrix{"Clients": of("2")}, []string{`spec.workloads[0].matrix[Clients]: Invalid value: "2": it is no option that storagebench knows: remove it`}},
		"beside options of fio": {nil, []int32{2}, matrix{"bs": of("4 k")}, []string{`spec.workloads[0].matrix[bs]: Invalid value: "4 k": write a number of bytes such as 4k, or up to three with commas (reads, writes, trims)`}},
	} {
		t.Run(name, func(t *testing.T) {
			w := builder.NewWorkload("w")
			w.Matrix, w.Clients = test.matrix, test.each
			s := spec(builder.NewBenchmark("ns", "sb").Workload(w).Target(builder.NewTarget("t")))
			s.Clients = test.clients
			runs, problems := Runs(s, nil)
			if diff := cmp.Diff(test.want, messages(problems)); diff != "" || (len(runs) == 0) != (len(problems) > 0) {
				t.Errorf("%d runs, problems (-want +got):\n%s", len(runs), diff)
			}
		})
	}
	w := builder.NewWorkload("w")
	w.Fio.Options = map[string]v1alpha1.FioOptionValue{"clients": "2"}
	if _, problems := Runs(spec(builder.NewBenchmark("ns", "sb").Workload(w).Target(builder.NewTarget("t"))), nil); len(problems) != 1 || problems[0].Field != "spec.workloads[0].fio.options[clients]" {
		t.Errorf("problems of clients as an option of fio: %v", problems)
	}
}

// TestRoom: what clients and their volumes take in the status is not there for results.
func TestRoom(t *testing.T) {
	const (
		shared = "{name: %s, efs: {fileSystemID: fs-01234567}}"
		own    = "{name: %s, ebs: {}}"
	)
	for _, test := range []struct {
		name    string
		clients int32
		targets []string
		results int // the most
	}{
		{"one client", 1, []string{shared, own}, 200},
		{"clients that share", 2, []string{shared}, 164},
		{"eight clients that share", 8, []string{shared, shared}, 164},
		{"nine clients that share", 9, []string{shared, shared}, 163},
		{"the most clients that share", 128, []string{shared}, 146},
		{"a volume each", 2, []string{own}, 163},
		{"two volumes each", 2, []string{own, own}, 163},
		{"three volumes each, and a shared one", 2, []string{own, own, own, shared}, 162},
		{"the most clients with a volume each", 128, []string{own}, 95},
		{"the most clients with two volumes each", 128, []string{own, own}, 44},
		{"the most clients with three volumes each", 128, []string{own, own, own}, -7},
	} {
		t.Run(test.name, func(t *testing.T) {
			var targets []string
			for i, target := range test.targets {
				targets = append(targets, fmt.Sprintf(target, fmt.Sprint("t", i)))
			}
			s := decode(t, fmt.Appendf(nil, "clients: %d\ntargets: [%s]\nworkloads: []\n", test.clients, strings.Join(targets, ", ")))
			s.Workloads = []v1alpha1.Workload{builder.NewWorkload("w")}
			if got := maxResults(s, s.MostClients()); got != test.results {
				t.Fatalf("%d results have room, want %d", got, test.results)
			}
			fitting := max(test.results, 0) / len(targets)
			for _, cases := range []int{fitting, fitting + 1} {
				if cases == 0 {
					continue
				}
				s.Workloads[0].Matrix = matrix{"bs": many(cases)}
				runs, problems := Runs(s, nil)
				if cases == fitting && (len(problems) > 0 || len(runs) != cases*len(targets)) {
					t.Errorf("%d runs, problems %v", len(runs), problems)
				}
				if cases > fitting && !strings.HasPrefix(fmt.Sprint(problems), "[spec.workloads") {
					t.Errorf("%d cases on %d targets have problems %v", cases, len(targets), problems)
				}
			}
		})
	}
}

func TestRoomProblem(t *testing.T) {
	const begin = "spec.workloads: Invalid value: 1: all workloads, in all cases of their matrix, with all sections, "
	for name, test := range map[string]struct{ spec, want string }{
		"beside clients": {
			"targets: [{name: t, ebs: {}}]\nworkloads: [{name: w, fio: {rw: read, size: 1M}, clients: [1, 2, 4, 128], matrix: {bs: [1k, 2k, 4k, 8k, 16k, 32k, 64k]}}]\nrepetitions: 4",
			begin + "on 1 targets, 4 times each, give 112 results; at most 95 are possible with 128 clients and their volumes: split the benchmark, or lower clients",
		},
		"without any room": {
			"clients: 128\ntargets: [{name: t, ebs: {}}, {name: u, ebs: {}}, {name: v, ebs: {}}]\nworkloads: [{name: w, fio: {rw: read, size: 1M}}]",
			begin + "on 3 targets, 1 times each, give 3 results; at most 0 are possible with 128 clients and their volumes: split the benchmark, or lower clients",
		},
	} {
		runs, problems := Runs(decode(t, []byte(test.spec)), nil)
		if diff := cmp.Diff([]string{test.want}, messages(problems)); diff != "" || runs != nil {
			t.Errorf("%s: %d runs, problems (-want +got):\n%s", name, len(runs), diff)
		}
	}
}

// TestCapacityOfClients: on a volume that clients share each has the files of the runs that it takes part in. A volume of
// its own has room for those of one.
func TestCapacityOfClients(t *testing.T) {
	const shared, own = "accessMode: ReadWriteMany, ", ""
	workload := func(name, size, matrix string) string {
		return fmt.Sprintf("{name: %s, fio: {rw: read, size: %s}, %s}", name, size, matrix)
	}
	for _, test := range []struct {
		name, mode, room string // how much the capacity holds
		workloads        []string
		want             string // what the files take; "" if they fit
	}{
		{"one client", shared, "100Mi", []string{workload("w", "100M", "clients: [1]")}, ""},
		{"of two it is twice as much", shared, "200Mi", []string{workload("w", "100M", "clients: [2]")}, ""},
		{"and no less", shared, "199Mi", []string{workload("w", "100M", "clients: [2]")}, "the workloads need 200Mi for 2 clients: set capacity to at least "},
		{"runs of more and more clients share files", shared, "400Mi", []string{workload("w", "100M", "clients: [4, 1, 2]")}, ""},
		{"of the most clients", shared, "399Mi", []string{workload("w", "100M", "clients: [4, 1, 2]")}, "400Mi for 4 clients"},
		{"a volume each", own, "100Mi", []string{workload("w", "100M", "clients: [4, 1, 2]")}, ""},
		{"too small a volume each", own, "99Mi", []string{workload("w", "100M", "clients: [4, 1, 2]")}, "need 100Mi: set"},
		{"a raw volume each", "volumeMode: Block, ", "1Mi", []string{workload("w", "100M", "clients: [4]")}, ""},
		{"few take part in one workload", shared, "320Mi", []string{workload("v", "100M", "clients: [2]"), workload("w", "30M", "clients: [4]")}, ""},
		{"two of four in both", shared, "319Mi", []string{workload("v", "100M", "clients: [2]"), workload("w", "30M", "clients: [4]")}, "320Mi for 4 clients"},
		{"first of all in both", own, "129Mi", []string{workload("v", "100M", "clients: [2]"), workload("w", "30M", "clients: [4]")}, "130Mi"},
		{"the size goes with the clients", shared, "1Gi", []string{workload("w", "1M", "clients: [2], matrix: {size: [100M, 200M]}")}, ""},
		{"more than can be counted", shared, "1Gi", []string{workload("w", "6000P", "clients: [2]")}, "more bytes than can be counted for 2 clients"},
		{"files that cannot be known", shared, "1Mi", []string{`{name: w, jobFile: "[a]\nfill_device=1\nrw=write\n", clients: [2]}`}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			room := resource.MustParse(test.room)
			capacity := storage.CapacityFor(&v1alpha1.Target{StorageClassName: new("c")}, storage.KindOther, room.Value())
			text := fmt.Sprintf("targets: [{name: t, storageClassName: c, %scapacity: %s}]\nworkloads: [%s]\n", test.mode, capacity.String(), strings.Join(test.workloads, ", "))
			_, problems := Runs(decode(t, []byte(text)), nil)
			lower := "size or numjobs"
			if test.mode == shared {
				lower = "size, numjobs or clients"
			}
			got := strings.Join(messages(problems), "\n")
			if (got != "") != (test.want != "") || !strings.Contains(got, test.want) || got != "" && !strings.Contains(got, "lower "+lower) {
				t.Errorf("problems: %s, want %s", got, test.want)
			}
		})
	}
}
