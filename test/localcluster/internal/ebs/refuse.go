package ebs

import "fmt"

// apiError is a refusal of EC2, in its words.
type apiError struct {
	operation, code, message string
}

// Error is as the driver shows it, which has the SDK's words around EC2's.
func (e *apiError) Error() string {
	return fmt.Sprintf("operation error EC2: %s, https response error StatusCode: 400, RequestID: %s, api error %s: %s",
		e.operation, "00000000-0000-0000-0000-000000000000", e.code, e.message)
}

const (
	invalidValue       = "InvalidParameterValue"
	invalidCombination = "InvalidParameterCombination"
)

// refuse returns EC2's error for a request, nil when it would be granted. The words are
// from errors that users of EC2 have posted: of IOPS and their ratio in
// https://github.com/rocicorp/mono/pull/4410 and
// https://github.com/ministryofjustice/cloud-platform-terraform-monitoring/pull/110, missing IOPS in
// https://github.com/kubernetes-sigs/aws-ebs-csi-driver/issues/766, superfluous IOPS in
// https://github.com/kubernetes-retired/kube-aws/issues/1208, throughput in
// https://github.com/runs-on/runs-on/issues/426 and 260 (read 2026-11-21).
func (r *request) refuse(operation string) *apiError {
	known, ok := volumeTypes[r.Type]
	if !ok {
		return &apiError{operation, "UnknownVolumeType", fmt.Sprintf("Unknown volume type: %s", r.Type)}
	}
	for _, check := range []func(volumeType) (code, message string){r.refuseSize, r.refuseIOPS, r.refuseThroughput} {
		if code, message := check(known); code != "" {
			return &apiError{operation, code, message}
		}
	}
	return nil
}

func (r *request) refuseSize(known volumeType) (code, message string) {
	switch {
	case r.SizeGiB < known.minGiB:
		return invalidValue, fmt.Sprintf("Volume of %dGiB is too small for volume type %s; minimum is %dGiB.", r.SizeGiB, r.Type, known.minGiB)
	case r.SizeGiB > known.maxGiB:
		return invalidValue, fmt.Sprintf("Volume of %dGiB is too large for volume type %s; maximum is %dGiB.", r.SizeGiB, r.Type, known.maxGiB)
	}
	return "", ""
}

func (r *request) refuseIOPS(known volumeType) (code, message string) {
	switch {
	case r.IOPS == 0 && known.iopsRequired:
		return invalidCombination, fmt.Sprintf("The parameter iops must be specified for %s volumes.", r.Type)
	case r.IOPS == 0:
		return "", ""
	case known.maxIOPS == 0:
		return invalidCombination, fmt.Sprintf("The parameter iops is not supported for %s volumes.", r.Type)
	case r.IOPS < known.minIOPS:
		return invalidValue, fmt.Sprintf("Volume iops of %d is too low; minimum is %d.", r.IOPS, known.minIOPS)
	case r.IOPS > known.maxIOPS:
		return invalidValue, fmt.Sprintf("Volume iops of %d is too high; maximum is %d.", r.IOPS, known.maxIOPS)
	// The least IOPS are for any size.
	case r.IOPS > known.minIOPS && r.IOPS > known.iopsPerGiB*r.SizeGiB:
		return invalidValue, fmt.Sprintf("Iops to volume size ratio of %f is too high; maximum is %d",
			float64(r.IOPS)/float64(r.SizeGiB), known.iopsPerGiB)
	}
	return "", ""
}

const maxMiBPerIOPS = 0.25

func (r *request) refuseThroughput(known volumeType) (code, message string) {
	ratio := float64(r.Throughput) / float64(max(r.IOPS, known.defaultIOPS))
	switch {
	case r.Throughput == 0:
		return "", ""
	case known.maxThroughput == 0:
		return invalidCombination, "throughput can only be specified for volumeType gp3."
	case r.Throughput < known.minThroughput:
		return invalidValue, fmt.Sprintf("Volume throughput of %d is too low; minimum is %d.", r.Throughput, known.minThroughput)
	case r.Throughput > known.maxThroughput:
		return invalidValue, fmt.Sprintf("Volume throughput of %d is too high; maximum is %d.", r.Throughput, known.maxThroughput)
	case ratio > maxMiBPerIOPS:
		return invalidValue, fmt.Sprintf("Throughput (MiBps) to iops ratio of %f is too high; maximum is %f MiBps per iops", ratio, maxMiBPerIOPS)
	}
	return "", ""
}
