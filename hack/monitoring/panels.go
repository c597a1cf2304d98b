package main

const (
	numberHeight, seriesHeight = 4, 9
	third, half                = 8, 12
	quarter                    = 6
)

// Units are Grafana's.
const (
	unitCount   = "short"
	unitIOPS    = "iops"
	unitBytes   = "bytes"
	unitRate    = "Bps"
	unitSeconds = "s"
	unitState   = "bool_yes_no"
)

// row is panels with a title above them.
type row struct {
	title  string
	panels []panel
}

// panel is what one picture shows.
type panel struct {
	title, description, unit string
	width                    uint32
	// isNumber shows the last figure alone, and isBad says that anything above 0 is.
	isNumber, isBad bool
	queries         []query
}

// query is an expression, and what its series are called.
type query struct{ expr, legend string }

// Choices of the dashboard's users. A benchmark without a schedule belongs to all.
const (
	chosen   = `{namespace=~"$namespace", schedule=~"$schedule"}`
	inChosen = `{namespace=~"$namespace"}`
	// name tells the object of a result.
	name = "{{schedule}}{{benchmark}}"
	// figure tells a figure of a result.
	figure = name + ": {{operation}}, {{case}} on {{target}}"
	object = "namespace, schedule, benchmark"
	result = object + ", target, case, operation"
)

// of returns the series of a metric, one for each group of labels, whichever replica of the operator has served it.
func of(metric, by string) string { return "max by (" + by + ") (" + metric + ")" }

var rows = []row{
	{"Now", []panel{
		{
			title: "Regressed", description: "Schedules whose results became worse for good, and nobody has acknowledged it.", unit: unitCount, width: quarter, isNumber: true, isBad: true,
			queries: []query{{"count(" + of("storagebench_regressed"+chosen, "namespace, schedule") + " == 1) or vector(0)", ""}},
		},
		{
			title: "Expectations missed", description: "Schedules and benchmarks whose last result is not as expected.", unit: unitCount, width: quarter, isNumber: true, isBad: true,
			queries: []query{{"count(min by (" + object + ") (storagebench_expectation_met" + chosen + ") == 0) or vector(0)", ""}},
		},
		{
			title: "No result for two periods", description: "Schedules that should have measured at least twice since their last result, or whose spec is refused.", unit: unitCount, width: quarter, isNumber: true, isBad: true,
			queries: []query{{"count(time() - " + of("storagebench_schedule_waiting_since_timestamp_seconds"+chosen, "namespace, schedule") +
				" > 2 * " + of("storagebench_schedule_period_seconds"+chosen, "namespace, schedule") +
				" + 600 or " + of("storagebench_schedule_invalid"+chosen, "namespace, schedule") + " == 1) or vector(0)", ""}},
		},
		{
			title: "Beyond their deadlines", description: "StorageBenchmarks that are at a step for longer than their deadlines allow.", unit: unitCount, width: quarter, isNumber: true, isBad: true,
			queries: []query{{"count(" + of("storagebench_benchmark_overdue_seconds"+inChosen, "namespace, benchmark") + ") or vector(0)", ""}},
		},
	}},
	{"Results", []panel{
		{
			title: "Operations per second", description: "I/Os per second, and operations on files: medians over the repetitions.", unit: unitIOPS, width: half,
			queries: []query{{of("storagebench_result_operations_per_second"+chosen, result), figure}},
		},
		{
			title: "Throughput", description: "Bytes per second: medians over the repetitions.", unit: unitRate, width: half,
			queries: []query{{of("storagebench_result_bytes_per_second"+chosen, result), figure}},
		},
		{
			title: "Latency, p50", description: "The 50th percentile of completion latency: medians over the repetitions.", unit: unitSeconds, width: half,
			queries: []query{{of(`storagebench_result_latency_seconds{namespace=~"$namespace", schedule=~"$schedule", percentile="50"}`, result), figure}},
		},
		{
			title: "Latency, p99", description: "The 99th percentile of completion latency, and of syncs: medians over the repetitions.", unit: unitSeconds, width: half,
			queries: []query{{of(`storagebench_result_latency_seconds{namespace=~"$namespace", schedule=~"$schedule", percentile="99"}`, result), figure}},
		},
		{
			title: "Regressed", description: "Whether results became worse for good. Nothing is drawn while that cannot be told of any target.", unit: unitState, width: third,
			queries: []query{{of("storagebench_regressed"+chosen, "namespace, schedule"), "{{schedule}}"}},
		},
		{
			title: "As expected", description: "Whether the last result is as expected. Nothing is drawn where nothing is expected.", unit: unitState, width: third,
			queries: []query{{"min by (" + object + ") (storagebench_expectation_met" + chosen + ")", name}},
		},
		{
			title: "Age of the last result", description: "How long ago the benchmark ended that has it.", unit: unitSeconds, width: third,
			queries: []query{{"time() - " + of("storagebench_last_result_timestamp_seconds"+chosen, object), name}},
		},
	}},
	{"Operator", []panel{
		{
			title: "StorageBenchmarks", description: "By the step that they are at, or their outcome.", unit: unitCount, width: third,
			queries: []query{{of("storagebench_benchmarks", "reason"), "{{reason}}"}},
		},
		{
			title: "At each step", description: "How many StorageBenchmarks were at each step, on average: where their time goes.", unit: unitCount, width: third,
			queries: []query{{"sum by (reason) (rate(storagebench_step_seconds_total[$__rate_interval]))", "{{reason}}"}},
		},
		{
			title: "Beyond deadlines", description: "For how much longer than its deadlines allow a StorageBenchmark is at a step.", unit: unitSeconds, width: third,
			queries: []query{{of("storagebench_benchmark_overdue_seconds"+inChosen, "namespace, benchmark, reason") + " or vector(0)", "{{namespace}}/{{benchmark}} {{reason}}"}},
		},
		{
			title: "Ended in an hour", description: "StorageBenchmarks by their outcome, and runs.", unit: unitCount, width: third,
			queries: []query{
				{"sum by (reason) (increase(storagebench_benchmarks_finished_total[1h]))", "benchmarks: {{reason}}"},
				{"sum by (outcome) (increase(storagebench_runs_total[1h]))", "runs: {{outcome}}"},
			},
		},
		{
			title: "Attempts abandoned in an hour", description: "Attempts of runs that ended without a result: evictions, lost nodes, starts that came too late.", unit: unitCount, width: third,
			queries: []query{{"sum by (reason) (increase(storagebench_abandoned_attempts_total[1h])) or vector(0)", "{{reason}}"}},
		},
		{
			title: "Left behind", description: "StorageBenchmarks that left something behind: those that are there, and those that were deleted in the last 6 hours. Orphans are objects that were removed in the last 6 hours because their StorageBenchmark was gone.", unit: unitCount, width: third,
			queries: []query{
				{"sum(max by (namespace) (storagebench_benchmarks_with_leftovers)) or vector(0)", "left behind"},
				{"sum(increase(storagebench_benchmarks_deleted_with_leftovers_total[6h]))", "left behind, and deleted"},
				{"sum by (kind) (increase(storagebench_orphaned_objects_removed_total[6h])) or vector(0)", "orphans removed: {{kind}}"},
			},
		},
		{
			title: "Time of a pass, p99", description: "How long the operator takes to look at a StorageBenchmark or schedule.", unit: unitSeconds, width: third,
			queries: []query{{`histogram_quantile(0.99, sum by (controller, le) (rate(controller_runtime_reconcile_time_seconds_bucket{controller=~"storagebenchmark|storagebenchmarkschedule"}[$__rate_interval])))`, "{{controller}}"}},
		},
		{
			title: "Memory", description: "Of the operator.", unit: unitBytes, width: third,
			queries: []query{{"process_resident_memory_bytes and on (job, instance) storagebench_results_left_out", "{{instance}}"}},
		},
		{
			title: "Left out of these metrics", description: "Schedules and benchmarks with results that are not served, because there are more series than metrics.resultSeriesLimit of the chart.", unit: unitCount, width: third,
			queries: []query{{"max(storagebench_results_left_out)", "left out"}},
		},
	}},
}
