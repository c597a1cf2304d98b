package aws

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// instancesCSV is the table of instance types, whose comments say where it is from.
//
//go:embed instances.csv
var instancesCSV string

// Instance is the bandwidth of an EC2 instance type. A figure of 0 is not known.
type Instance struct {
	// Bytes per second between the instance and all its EBS volumes, reads and writes together: what it has always, and
	// what it has at most, for 30 minutes a day at least
	// (https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ebs-optimized.html, read 2026-11-21 in the state of 2023-06-15).
	EBSBaselineBytesPerSecond, EBSMaximumBytesPerSecond int64
	// I/Os per second, likewise.
	EBSBaselineIOPS, EBSMaximumIOPS int64
	// Bytes per second of its default network card, in one direction: what it has always, and what it has as long as
	// there are network credits.
	NetworkBaselineBytesPerSecond, NetworkPeakBytesPerSecond int64
}

// bytesPerMbit are the bytes per second that are 1 Mbit/s.
const bytesPerMbit = 1000 * 1000 / 8

// instances is the parsed table. That it can be parsed is tested, so that failing here is a mistake of the build.
var instances = sync.OnceValue(func() map[string]Instance {
	table, err := parseInstances(instancesCSV)
	if err != nil {
		panic(err)
	}
	return table
})

// LookupInstance returns the bandwidth of an instance type, such as m6i.large.
func LookupInstance(instanceType string) (Instance, bool) {
	instance, known := instances()[instanceType]
	return instance, known
}

// InstancesSource says where the table of instance types is from and of what date it is.
func InstancesSource() string {
	for line := range strings.Lines(instancesCSV) {
		if source, found := strings.CutPrefix(line, "# Source: "); found {
			return strings.TrimSpace(source)
		}
	}
	return ""
}

func parseInstances(table string) (map[string]Instance, error) {
	reader := csv.NewReader(strings.NewReader(table))
	reader.Comment = '#'
	reader.FieldsPerRecord = 7
	rows, err := reader.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("table of instance types: %w; run hack/instancetypes/generate.sh", err)
	}
	parsed := make(map[string]Instance, len(rows))
	for _, row := range rows {
		figures, err := parseFigures(row[1:])
		if err != nil {
			return nil, fmt.Errorf("table of instance types: %s: %w; run hack/instancetypes/generate.sh", row[0], err)
		}
		parsed[row[0]] = Instance{
			EBSBaselineBytesPerSecond:     figures[0] * bytesPerMbit,
			EBSMaximumBytesPerSecond:      figures[1] * bytesPerMbit,
			EBSBaselineIOPS:               figures[2],
			EBSMaximumIOPS:                figures[3],
			NetworkBaselineBytesPerSecond: figures[4] * bytesPerMbit,
			NetworkPeakBytesPerSecond:     figures[5] * bytesPerMbit,
		}
	}
	return parsed, nil
}

// parseFigures reads the columns of a row; an empty one is 0.
func parseFigures(columns []string) ([]int64, error) {
	figures := make([]int64, len(columns))
	for i, column := range columns {
		if column == "" {
			continue
		}
		figure, err := strconv.ParseInt(column, 10, 64)
		if err != nil {
			return nil, err
		}
		figures[i] = figure
	}
	return figures, nil
}
