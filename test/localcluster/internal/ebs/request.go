package ebs

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/storagebench/storagebench/test/localcluster/internal/disk"
)

// request is a volume as it is asked of EC2, after what the driver makes of it.
type request struct {
	Type    string `json:"type"`
	SizeGiB int64  `json:"sizeGiB"`
	IOPS    int64  `json:"iops,omitempty"`
	// Throughput in MiB/s.
	Throughput int64  `json:"throughput,omitempty"`
	Zone       string `json:"zone,omitempty"`
	// MultiAttach is for a volume that several instances can have at once.
	MultiAttach bool              `json:"multiAttach,omitempty"`
	Tags        map[string]string `json:"tags,omitempty"`

	iopsPerGiB int64
	raiseIOPS  bool
	properties tagProperties
}

// creditsTag on a volume sets its balance of burst credits at the start: I/Os of gp2,
// MiB of st1 and sc1. AWS would take it for a tag like any other.
const creditsTag = "storagebench.dev/stand-in-credits"

// set takes over parameters, whose names have been checked to be documented. Those of
// a StorageClass are compared in lower case, as the real driver does.
func (r *request) set(parameters map[string]string, lower bool) error {
	if lower {
		r.properties = propertiesOf(parameters)
	}
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		if _, ok := parameters["type"]; ok && name == oldTypeKey {
			continue
		}
		key := name
		if lower && !strings.HasPrefix(name, tagPrefix) {
			key = strings.ToLower(name)
		}
		if err := r.setOne(key, parameters[name]); err != nil {
			return err
		}
	}
	return nil
}

const (
	tagPrefix         = "tagSpecification"
	tagDeletionPrefix = "tagDeletion"
	// oldTypeKey is the deprecated name of type in a VolumeAttributesClass. Where both are given it has no effect.
	oldTypeKey = "volumeType"
)

func (r *request) setOne(key, value string) error {
	var err error
	switch {
	case key == "type", key == oldTypeKey:
		r.Type = value
	case key == "iops":
		r.IOPS, err = number(key, value)
	case key == "throughput":
		r.Throughput, err = number(key, value)
	case key == "iopspergb":
		r.iopsPerGiB, err = number("iopsPerGB", value)
	case key == "allowautoiopspergbincrease":
		r.raiseIOPS = value == "true"
	case strings.HasPrefix(key, tagDeletionPrefix):
		delete(r.Tags, value)
	case strings.HasPrefix(key, tagPrefix):
		err = r.setTag(value)
	}
	return err
}

func number(key, value string) (int64, error) {
	n, err := strconv.ParseInt(value, 10, 32)
	if err != nil {
		return 0, fmt.Errorf("Could not parse invalid %s: %w", key, err) //nolint:staticcheck // the real driver's words
	}
	return n, nil
}

func (r *request) setTag(specification string) error {
	key, value, err := parseTag(specification, r.properties)
	if err != nil {
		return fmt.Errorf("Error interpolating tag value: %w", err)
	}
	if err := checkTagKey(key); err != nil {
		return fmt.Errorf("Invalid tag value: %w", err) //nolint:staticcheck // the real driver's words
	}
	if r.Tags == nil {
		r.Tags = map[string]string{}
	}
	r.Tags[key] = value
	return nil
}

// complete does what the driver does before it asks EC2: IOPS by size, and IOPS above
// a type's limits brought down to them.
func (r *request) complete() {
	known := volumeTypes[r.Type]
	if r.iopsPerGiB > 0 {
		r.IOPS = r.iopsPerGiB * r.SizeGiB
	}
	if r.IOPS == 0 || known.maxIOPS == 0 {
		return
	}
	if r.raiseIOPS {
		r.IOPS = max(r.IOPS, known.minIOPS)
	}
	r.IOPS = min(r.IOPS, known.maxIOPS)
	if most := known.iopsPerGiB * r.SizeGiB; most >= known.minIOPS {
		r.IOPS = min(r.IOPS, most)
	}
}

// withDefaults returns the request with what EC2 adds.
func (r *request) withDefaults() request {
	known, filled := volumeTypes[r.Type], *r
	if filled.IOPS == 0 {
		filled.IOPS = known.defaultIOPS
	}
	if filled.Throughput == 0 {
		filled.Throughput = known.defaultThroughput
	}
	return filled
}

// performance of the volume.
func (r *request) performance() (disk.Performance, error) {
	known := volumeTypes[r.Type]
	p := known.perform(r.withDefaults())
	p.Latency, p.Bucket.Initial = known.latency, p.Bucket.Capacity
	value, ok := r.Tags[creditsTag]
	if !ok {
		return p, nil
	}
	credits, err := strconv.ParseFloat(value, 64)
	if err != nil || credits < 0 {
		return p, fmt.Errorf("tag %s: %q is not a number of credits from 0", creditsTag, value)
	}
	p.Bucket.Initial = min(credits, p.Bucket.Capacity)
	return p, nil
}
