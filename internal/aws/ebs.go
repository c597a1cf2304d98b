package aws

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Names of the fields of a volume, as problems have them. All but the capacity are parameters of the aws-ebs-csi-driver.
const (
	FieldType       = "type"
	FieldCapacity   = "capacity"
	FieldIOPS       = "iops"
	FieldThroughput = "throughput"
	FieldIOPSPerGB  = "iopsPerGB"
)

// Volume is an EBS volume as the aws-ebs-csi-driver is asked for it.
type Volume struct {
	// Type by AWS's name; empty for DefaultVolumeType.
	Type string
	// Size, which the driver rounds up to whole GiB; 0 if it is not known.
	GiB int64
	// I/Os per second; throughput in MiB/s; I/Os per second for each GiB, which the driver multiplies. Nil if unset.
	IOPS, Throughput, IOPSPerGiB *int64
	// Whether the driver may raise IOPS to the least that the type takes: its allowAutoIOPSPerGBIncrease, which means both ways of asking.
	AllowIncrease bool
}

// Problems are what AWS refuses of the volume, or what the driver would silently change. What depends on the size is
// left out where that is not known.
//
// The driver (v1.64.0: docs/parameters.md and capIOPS in pkg/cloud/cloud.go, read 2026-11-21) lowers iops, and
// iopsPerGB times the size, to what AWS takes at most, unless the size allows less than the type's least. For iopsPerGB
// that is what its documentation promises, so it is no problem here; of iops, the volume would not be what was asked
// for. Too few IOPS it leaves to AWS to refuse, as long as allowAutoIOPSPerGBIncrease is not set.
func (v Volume) Problems() []Problem {
	t, known := LookupVolumeType(v.Type)
	if !known {
		return []Problem{{FieldType, v.Type, fmt.Sprintf("EBS has no volume type %q; use one of %s", v.Type, typeNames())}}
	}
	var problems []Problem
	for _, check := range []func(VolumeType) *Problem{
		v.capacityProblem, v.iopsProblem, v.iopsPerGiBProblem, v.throughputProblem,
	} {
		if problem := check(t); problem != nil {
			problems = append(problems, *problem)
		}
	}
	return problems
}

func (v Volume) capacityProblem(t VolumeType) *Problem {
	if v.GiB == 0 || v.GiB >= t.MinGiB && v.GiB <= t.MaxGiB {
		return nil
	}
	remedy := fmt.Sprintf("request at least %dGi", t.MinGiB)
	if v.GiB > t.MaxGiB {
		remedy = fmt.Sprintf("request at most %dGi", t.MaxGiB)
	}
	return problem(FieldCapacity, v.GiB, "%s volumes have %d to %d GiB; %s, or use another type", t.Name, t.MinGiB, t.MaxGiB, remedy)
}

func (v Volume) iopsProblem(t VolumeType) *Problem {
	switch {
	case v.IOPS == nil && t.ProvisionsIOPS() && t.DefaultIOPS == 0 && v.IOPSPerGiB == nil:
		return &Problem{FieldIOPS, "", fmt.Sprintf("%s volumes have the IOPS that are asked for, and none by default; set iops (%d to %d) or iopsPerGB",
			t.Name, t.MinIOPS, t.MaxIOPSFor(v.GiB))}
	case v.IOPS == nil:
		return nil
	case !t.ProvisionsIOPS():
		return problem(FieldIOPS, *v.IOPS, "%s", notProvisioned(t, FieldIOPS))
	case *v.IOPS < t.MinIOPS || *v.IOPS > t.MaxIOPS:
		return problem(FieldIOPS, *v.IOPS, "%s takes %d to %d IOPS; set iops within, or use another type", t.Name, t.MinIOPS, t.MaxIOPS)
	case *v.IOPS > t.MaxIOPSFor(v.GiB):
		return problem(FieldIOPS, *v.IOPS, "%s takes at most %d IOPS per GiB, so %d for %d GiB; set iops to %d, or request %dGi",
			t.Name, t.MaxIOPSPerGiB, t.MaxIOPSFor(v.GiB), v.GiB, t.MaxIOPSFor(v.GiB), ceilDiv(*v.IOPS, t.MaxIOPSPerGiB))
	}
	return nil
}

func (v Volume) iopsPerGiBProblem(t VolumeType) *Problem {
	switch {
	case v.IOPSPerGiB == nil:
		return nil
	case v.IOPS != nil:
		return problem(FieldIOPSPerGB, *v.IOPSPerGiB, "the driver takes iops or iopsPerGB, not both; remove one of them")
	case !t.ProvisionsIOPS():
		return problem(FieldIOPSPerGB, *v.IOPSPerGiB, "%s", notProvisioned(t, FieldIOPSPerGB))
	case *v.IOPSPerGiB < 1:
		return problem(FieldIOPSPerGB, *v.IOPSPerGiB, "iopsPerGB is at least 1; raise it, or remove it and set iops")
	case *v.IOPSPerGiB*v.GiB > math.MaxInt32:
		return problem(FieldIOPSPerGB, *v.IOPSPerGiB, "the driver cannot compute %d IOPS per GiB for %d GiB, which are more than 32 bits hold; %s takes at most %d per GiB: set iopsPerGB to that or less",
			*v.IOPSPerGiB, v.GiB, t.Name, t.MaxIOPSPerGiB)
	case v.GiB > 0 && *v.IOPSPerGiB*v.GiB < t.MinIOPS:
		return problem(FieldIOPSPerGB, *v.IOPSPerGiB, "%s takes at least %d IOPS, and %d per GiB are %d for %d GiB; set iopsPerGB to %d, or request %dGi",
			t.Name, t.MinIOPS, *v.IOPSPerGiB, *v.IOPSPerGiB*v.GiB, v.GiB, ceilDiv(t.MinIOPS, v.GiB), ceilDiv(t.MinIOPS, *v.IOPSPerGiB))
	case v.GiB > 0 && *v.IOPSPerGiB*v.GiB > t.MinIOPS && t.MaxIOPSPerGiB*v.GiB < t.MinIOPS:
		return problem(FieldIOPSPerGB, *v.IOPSPerGiB, "%s takes no more than %d IOPS for %d GiB, and %d per GiB are %d; set iops to %d instead, or request %dGi",
			t.Name, t.MinIOPS, v.GiB, *v.IOPSPerGiB, *v.IOPSPerGiB*v.GiB, t.MinIOPS, ceilDiv(t.MinIOPS, t.MaxIOPSPerGiB))
	}
	return nil
}

func (v Volume) throughputProblem(t VolumeType) *Problem {
	switch {
	case v.Throughput == nil:
		return nil
	case !t.ProvisionsThroughput():
		return problem(FieldThroughput, *v.Throughput, "%s", notProvisioned(t, FieldThroughput))
	case *v.Throughput < t.MinMiBps || *v.Throughput > t.MaxMiBps:
		return problem(FieldThroughput, *v.Throughput, "%s takes %d to %d MiB/s; set throughput within", t.Name, t.MinMiBps, t.MaxMiBps)
	case v.IOPSPerGiB != nil && v.GiB == 0:
		return nil // Nobody knows the IOPS.
	}
	iops, _ := v.provisionedIOPS(t)
	if iops == 0 || *v.Throughput*t.IOPSPerMiBps <= iops {
		return nil // or the IOPS are the problem
	}
	return problem(FieldThroughput, *v.Throughput, "%s takes at most %.2f MiB/s per IOPS, so %d MiB/s with %d IOPS; raise iops to %d, or lower throughput",
		t.Name, 1/float64(t.IOPSPerMiBps), iops/t.IOPSPerMiBps, iops, *v.Throughput*t.IOPSPerMiBps)
}

// provisionedIOPS are the IOPS that a volume gets, of a type that has them provisioned, and words on how they came
// about if not as they were asked for; 0 if they are not known, as where EC2 would refuse what the driver asks for.
//
// The driver (v1.64.0, capIOPS in pkg/cloud/cloud.go, read 2026-11-24) raises too few to the type's least where it may, and lowers too many
// to the type's most, and to the most of the size, but not where that is less than the type's least.
func (v Volume) provisionedIOPS(t VolumeType) (iops int64, how string) {
	asked, isKnown := v.askedIOPS(t)
	most := t.MaxIOPSFor(v.GiB)
	switch ofSize := t.MaxIOPSPerGiB * v.GiB; {
	case !isKnown || asked > math.MaxInt32:
		return 0, ""
	case asked < t.MinIOPS && v.AllowIncrease:
		return t.MinIOPS, " (the least of its type)"
	case asked < t.MinIOPS, asked > most && ofSize > 0 && ofSize < t.MinIOPS:
		return 0, "" // asked for as such, and refused
	case asked > most:
		return most, " (the most for its size)"
	}
	return asked, ""
}

// askedIOPS are the IOPS that the driver computes before it compares them with what AWS takes, and whether they are known. 0 is as good as unset.
func (v Volume) askedIOPS(t VolumeType) (iops int64, isKnown bool) {
	iops = t.DefaultIOPS
	switch {
	case v.IOPS != nil && *v.IOPS != 0:
		iops = *v.IOPS
	case v.IOPSPerGiB != nil && *v.IOPSPerGiB != 0:
		iops = *v.IOPSPerGiB * v.GiB
	}
	return iops, iops > 0
}

// notProvisioned says what to do about a field that a type does not have.
func notProvisioned(t VolumeType, field string) string {
	switch {
	case t.Name == "gp2" && field == FieldThroughput:
		return "throughput cannot be set on gp2: it follows from the size (128 MiB/s up to 170 GiB, else 250); remove it, or use gp3"
	case t.Name == "gp2":
		return field + " cannot be set on gp2: its IOPS follow from the size (3 per GiB); remove it, or use gp3"
	case t.ProvisionsIOPS():
		return fmt.Sprintf("%s cannot be set on %s: it follows from the IOPS; remove it, or use gp3", field, t.Name)
	}
	return fmt.Sprintf("%s cannot be set on %s: what it can do follows from its size and type; remove it, or use gp3", field, t.Name)
}

func problem(field string, value int64, format string, args ...any) *Problem {
	return &Problem{Field: field, Value: strconv.FormatInt(value, 10), Message: fmt.Sprintf(format, args...)}
}

func typeNames() string {
	names := make([]string, len(volumeTypes))
	for i, t := range volumeTypes {
		names[i] = t.Name
	}
	return strings.Join(names, ", ")
}

func ceilDiv(a, b int64) int64 { return (a + b - 1) / b }
