package analysis

import (
	"fmt"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/humanize"
)

const (
	// elsewhereTimes is how many times as long as EBS says I/Os have to take by fio for most of their time to be spent on
	// the way. EBS's figures are ends of buckets, of which one may be twice as long as the one before.
	elsewhereTimes = 2
	// otherCount is by how much the operations that EBS counts may differ from fio's I/Os without a word.
	otherCount = 0.2
	// maxOwnMessage leaves room for what EBS says of operations beside a message, of which the API has 512 characters.
	maxOwnMessage = 300
)

// withOperations adds to a verdict what EBS counted of the volume's operations: of latency whether that is the
// volume's, and of any verdict whether fio's I/Os were merged or split.
func withOperations(bound v1alpha1.LimitedBy, r *v1alpha1.Result, known Known, load Load) v1alpha1.LimitedBy {
	words := OperationsPerIO(known.Volume, r)
	switch bound.Reason {
	case v1alpha1.BoundLatency, v1alpha1.BoundNodeCPU, v1alpha1.BoundStorage:
		words = joined(latencyOfVolume(known.Volume, r, load), words)
	}
	if words != "" {
		bound.Message = humanize.Cut(bound.Message, maxOwnMessage, "...") + "; " + words
	}
	return bound
}

func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}

// OperationsPerIO says how many operations EBS counted for each I/O of fio, "" if they are about as many, or not known.
func OperationsPerIO(v *v1alpha1.VolumeStatistics, r *v1alpha1.Result) string {
	if v == nil || r == nil {
		return ""
	}
	operations, ios := 0.0, 0.0
	for _, o := range v.Operations {
		operations += float64(o.Count)
	}
	for _, io := range r.Directions() {
		ios += float64(io.Count)
	}
	if ios == 0 || operations == 0 {
		return ""
	}
	var why string
	switch ratio := operations / ios; {
	case ratio > 1+otherCount:
		why = "they were split, or the file system adds its own"
	case ratio < 1-otherCount:
		why = "they were merged, or memory answered some"
	default:
		return ""
	}
	return fmt.Sprintf("EBS counted %s operations for each I/O of fio: %s", humanize.Significant(operations/ios), why)
}

// latencyOfVolume says what EBS says of the latency beside fio, and whether it is the volume's, "" if it is not known
// or not the same I/Os.
func latencyOfVolume(v *v1alpha1.VolumeStatistics, r *v1alpha1.Result, load Load) string {
	what, io, own := mostOperations(v, r, load)
	if own == nil || own.P50Microseconds == 0 || own.P99Microseconds == 0 || io.CompletionLatency == nil {
		return ""
	}
	by := io.CompletionLatency
	words := fmt.Sprintf("by EBS's own count half of the %ss took at most %s and 99 %% %s, by fio %s and %s", own.Name,
		duration(1000*float64(own.P50Microseconds)), duration(1000*float64(own.P99Microseconds)),
		duration(float64(by.P50Nanoseconds)), duration(float64(by.P99Nanoseconds)))
	if what != own.Name {
		words += " (" + what + ")"
	}
	if by.P50Nanoseconds > elsewhereTimes*1000*own.P50Microseconds {
		return words + ": most of the time is spent on the way to the volume"
	}
	return words
}

// mostOperations returns the I/Os of a result of which there were most, in the words of fio, and what EBS says of
// these. Writes that wait for syncs take as long as these. It returns nil where a cache may have answered some.
func mostOperations(v *v1alpha1.VolumeStatistics, r *v1alpha1.Result, load Load) (
	what string, io *v1alpha1.Figures, own *v1alpha1.VolumeOperations,
) {
	if sync := r.Of(v1alpha1.OperationSync); sync != nil {
		return "syncs", sync, v.Of(v1alpha1.OperationWrite)
	}
	if load.Buffered {
		return "", nil, nil
	}
	for name, each := range r.Directions() {
		if io == nil || each.Count > io.Count {
			what, io = name, each
		}
	}
	return what, io, v.Of(what)
}
