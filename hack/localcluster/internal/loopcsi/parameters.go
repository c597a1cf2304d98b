package loopcsi

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

const (
	paramIOPS       = "iops"
	paramThroughput = "throughput"
	// metadataPrefix of what the external-provisioner adds of its own accord.
	metadataPrefix = "csi.storage.k8s.io/"

	maxIOPS          = 1_000_000
	maxThroughputMiB = 1_000_000
)

// Limits are what a pod may do on a volume. Zero is no limit. Reads and writes are
// counted separately, as blkio does.
type Limits struct {
	IOPS          int64 `json:"iops,omitempty"`
	ThroughputMiB int64 `json:"throughputMiB,omitempty"`
}

func (l Limits) empty() bool { return l == Limits{} }

// parseLimits reads the parameters of a StorageClass. It refuses what it does not
// know: a misspelled limit would be no limit.
func parseLimits(parameters map[string]string) (Limits, error) {
	var limits Limits
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		var err error
		switch {
		case name == paramIOPS:
			limits.IOPS, err = parseLimit(parameters[name], maxIOPS)
		case name == paramThroughput:
			limits.ThroughputMiB, err = parseLimit(parameters[name], maxThroughputMiB)
		case !strings.HasPrefix(name, metadataPrefix):
			err = fmt.Errorf("unknown; known are %s and %s (MiB/s)", paramIOPS, paramThroughput)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("parameter %q: %w", name, err))
		}
	}
	return limits, errors.Join(errs...)
}

func parseLimit(value string, most int64) (int64, error) {
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil || n < 1 || n > most {
		return 0, fmt.Errorf("%q is not an integer from 1 to %d", value, most)
	}
	return n, nil
}

// volumeContext shows the limits in the PersistentVolume.
func (l Limits) volumeContext() map[string]string {
	context := map[string]string{}
	if l.IOPS > 0 {
		context[paramIOPS] = strconv.FormatInt(l.IOPS, 10)
	}
	if l.ThroughputMiB > 0 {
		context[paramThroughput] = strconv.FormatInt(l.ThroughputMiB, 10)
	}
	return context
}
