package plugin

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// searchMax is the highest load that --search tries where it names none: 256 I/Os in flight or jobs, 16 clients, and
// 256,000 I/Os per second, the most that an EBS volume can do.
var searchMax = map[string]int32{"iodepth": 256, "numjobs": 256, "clients": 16, "rateIOPS": 256_000}

// setSearch has each workload search for the highest load within the latency of --search.
func (o *oneLine) setSearch(spec *v1alpha1.StorageBenchmarkSpec) error {
	if o.search == "" {
		return nil
	}
	search, err := parseSearch(o.search)
	if err != nil {
		return fmt.Errorf("--search %s: %w", o.search, err)
	}
	for i := range spec.Workloads {
		w := &spec.Workloads[i]
		if w.Preset != nil {
			return fmt.Errorf("--search varies the load, and preset %s has a load of its own: leave one of them out", *w.Preset)
		}
		w.Search = search.DeepCopy()
		if metric := &w.Search.Objective.Metric; !strings.Contains(*metric, ".") {
			*metric = searchedDirection(w) + "." + *metric
		}
		delete(w.Matrix, w.Search.Vary)
	}
	return nil
}

// searchedDirection returns the direction whose latency a workload is held to, if the objective names none.
func searchedDirection(w *v1alpha1.Workload) string {
	switch {
	case w.Fio != nil && strings.HasSuffix(w.Fio.RW, "trim"):
		return "trim"
	case w.Fio != nil && strings.HasSuffix(w.Fio.RW, "write"):
		return "write"
	default:
		return "read"
	}
}

// parseSearch parses METRIC=LATENCY[,vary=LOAD][,min=NUMBER][,max=NUMBER].
func parseSearch(text string) (*v1alpha1.LoadSearch, error) {
	objective, rest, _ := strings.Cut(text, ",")
	metric, latency, found := strings.Cut(objective, "=")
	if !found || metric == "" || latency == "" {
		return nil, fmt.Errorf("begin with a latency and the most that it may be, such as p99=5ms or read.p99=5ms")
	}
	search := &v1alpha1.LoadSearch{Vary: "iodepth", Objective: v1alpha1.SearchObjective{Metric: metric, Max: latency}}
	settings := map[string]string{}
	if rest != "" {
		settings = settingsOf(rest, "vary")
	}
	if vary, given := settings["vary"]; given {
		search.Vary = vary
		delete(settings, "vary")
	}
	search.Max = searchMax[search.Vary]
	if search.Max == 0 {
		return nil, fmt.Errorf("vary=%s: use one of %s", search.Vary, strings.Join(slices.Sorted(maps.Keys(searchMax)), ", "))
	}
	for name, value := range settings {
		number, err := strconv.ParseInt(value, 10, 32)
		switch {
		case err != nil || number < 1:
			return nil, fmt.Errorf("%s=%s: give a whole number from 1 on", name, value)
		case name == "min":
			search.Min = new(int32(number))
		case name == "max":
			search.Max = int32(number)
		default:
			return nil, fmt.Errorf("%s is not known: use vary, min and max", name)
		}
	}
	return search, nil
}
