package regression

import (
	"encoding/csv"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// recordedRuns are histories of stand-ins that did not change, as hack/recordnoise.sh prints them.
const recordedRuns = "testdata/recorded.csv"

// block is how many runs in a row are taken from a record together, so that what lasts for some runs there does so here too.
const block = 8

// standIns are the targets for whose noise error rates are promised. Of the disk, whose neighbours can stay, they are told.
var standIns = []string{"gp3", "efs"}

// recordedNoises are those of targets.
func recordedNoises(t testing.TB, targets ...string) (all []noiseModel) {
	t.Helper()
	for _, target := range targets {
		all = append(all, recorded(t, target))
	}
	return all
}

// recorded returns the noise of a target's figures, as large as it was.
func recorded(t testing.TB, target string) noiseModel {
	t.Helper()
	series := recordedSeries(t, target)
	return noiseModel{name: "recorded: " + target, draw: func(r *rand.Rand, runs int) []float64 {
		of := series[r.IntN(len(series))]
		values := make([]float64, 0, runs+block)
		for len(values) < runs {
			at := r.IntN(len(of) - block + 1)
			values = append(values, of[at:at+block]...)
		}
		return values[:runs]
	}}
}

// recordedSeries returns the logarithm of each figure over the runs. Up is worse.
func recordedSeries(t testing.TB, target string) [][]float64 {
	t.Helper()
	file, err := os.Open(recordedRuns)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := func(row []string, name string) string { return row[slices.Index(rows[0], name)] }
	figures := map[string][]float64{}
	for _, row := range rows[1:] {
		if column(row, "target") != target {
			continue
		}
		for i, name := range rows[0] {
			value, err := strconv.ParseFloat(row[i], 64)
			if isRate := strings.HasSuffix(name, "_iops"); err != nil || (!isRate && !strings.HasSuffix(name, "_ns")) {
				continue
			} else if isRate {
				value = large / value
			}
			key := column(row, "workload") + " " + name
			figures[key] = append(figures[key], math.Log(value))
		}
	}
	var all [][]float64
	for _, key := range slices.Sorted(maps.Keys(figures)) {
		all = append(all, figures[key])
	}
	return all
}
