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
	// Nitro says that it is built on the Nitro System.
	Nitro bool
	// Weighted says that bandwidth can be shifted between network and EBS. The figures are those of the default.
	Weighted bool
}

// OtherNetwork returns the peak of its network card where its bandwidth is weighted for EBS; 0 if it cannot be. The side that
// one chooses gets a quarter more than its baseline, and the other one as much less, also at its most
// (https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/configure-bandwidth-weighting.html, read 2026-11-28). What the
// former gets at its most stays the same on most types.
func (i Instance) OtherNetwork() int64 {
	if !i.Weighted {
		return 0
	}
	return max(0, i.NetworkPeakBytesPerSecond-i.EBSBaselineBytesPerSecond/4)
}

// OtherEBS returns the most of EBS where the bandwidth is weighted for the network, by the same rule; 0 if it cannot be.
func (i Instance) OtherEBS() int64 {
	if !i.Weighted {
		return 0
	}
	return max(0, i.EBSMaximumBytesPerSecond-i.NetworkBaselineBytesPerSecond/4)
}

// xenVolumeIOPS is the most of one io1 or io2 volume on an instance that is not built on Nitro
// (https://docs.aws.amazon.com/ebs/latest/userguide/provisioned-iops.html, read 2026-11-28).
const xenVolumeIOPS = 32000

// VolumeLimits are what the instance gives to one volume of a type beyond what it gives to all; none if it gives all.
func (i Instance) VolumeLimits(name, volumeType string) Limits {
	if i.Nitro || (volumeType != "io1" && volumeType != "io2") {
		return Limits{}
	}
	return Limits{
		IOPS:   xenVolumeIOPS,
		Source: fmt.Sprintf("AWS: one %s volume on %s, which is not built on Nitro", volumeType, name),
	}
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
	reader.FieldsPerRecord = 9
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
			Nitro:                         figures[6] == 1,
			Weighted:                      figures[7] == 1,
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
