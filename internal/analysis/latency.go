package analysis

import (
	"fmt"
	"math"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/aws"
	"github.com/storagebench/storagebench/internal/humanize"
)

// queuesFrom is how many times the typical latency the mean has to be for I/Os to have waited for each other. Five times is
// where the order of magnitude ends that AWS documents (aws.Latency), and a fifth more is what storage and figures may
// differ by. EFS with 16 to 20 writers, whose authors found no queue, takes 3.8 to 4.9 times as long (experiments E1 and E4),
// and 7.4 times with 40, where they found one.
const queuesFrom = 6

// moreInFlight is what to do about latency.
const moreInFlight = ": try more jobs or a higher iodepth"

// flight is what was in flight during a result. A sync is in flight as an I/O is: while it lasts the job does nothing
// else in its place.
type flight struct {
	// what is "I/Os", or "I/Os and syncs".
	what string
	// inFlight is how many were in flight on average, and rate how many there were a second.
	inFlight, rate float64
}

// flightOf returns false if fio did not measure latencies.
func flightOf(r *v1alpha1.Result) (flight, bool) {
	f := flight{what: "I/Os"}
	for _, io := range r.Directions() {
		if io.Latency == nil {
			return f, false
		}
		f.add(rateOf(io), float64(io.Latency.MeanNanoseconds))
	}
	if s := r.Of(v1alpha1.OperationSync); s != nil {
		f.what = "I/Os and syncs"
		f.add(rateOfSyncs(r), float64(s.Mean()))
	}
	return f, true
}

func (f *flight) add(rate, nanoseconds float64) {
	f.rate += rate
	f.inFlight += rate * nanoseconds / 1e9
}

// mean is how long each took, in nanoseconds.
func (f *flight) mean() float64 { return f.inFlight / f.rate * 1e9 }

// boundByLatency judges a result that reached no limit by Little's law, and by how long the storage is known to take. fio
// is a closed loop: that as many I/Os are in flight as the workload keeps is so whatever they wait for.
func (k Known) boundByLatency(r *v1alpha1.Result, room string, load Load) v1alpha1.LimitedBy {
	f, ok := flightOf(r)
	switch {
	case !ok:
		return unknown("no known limit is reached; whether latency held it back is unknown, because fio did not measure it")
	case load.InFlight <= 0 || f.rate == 0:
		return unknown("no known limit is reached; how many I/Os the workload keeps in flight is unknown")
	}
	used := percent(f.inFlight / float64(load.InFlight))
	switch {
	case used < minInFlightPercent:
		return unknown("no known limit is reached, but only %s of the %d %s that the workload asks for were in flight, each for %s on average",
			humanize.Significant(f.inFlight), load.InFlight, f.what, duration(f.mean()))
	case used > maxInFlightPercent:
		return unknown("no known limit is reached, and the figures contradict each other: "+
			"IOPS and a mean latency of %s mean %s %s in flight, more than the workload's %d",
			duration(f.mean()), humanize.Significant(f.inFlight), f.what, load.InFlight)
	}
	return k.boundBySize(&f, k.typical(r), room, load)
}

// boundBySize judges a result that kept all I/Os in flight, by how long each took as a multiple of the typical time.
func (k Known) boundBySize(f *flight, typical float64, room string, load Load) v1alpha1.LimitedBy {
	size := f.mean() / typical
	all := fmt.Sprintf("%s of %d %s were in flight all the time, each for %s on average",
		humanize.Significant(f.inFlight), load.InFlight, f.what, duration(f.mean()))
	bound := v1alpha1.LimitedBy{LimitInFlight: new(load.InFlight), UsedPercent: new(percent(f.inFlight / float64(load.InFlight)))}
	switch {
	case typical <= 0 && load.InFlight > 1:
		return unknown("no known limit is reached, and %s, as fio keeps them whatever they wait for; how long this storage takes by itself "+
			"is unknown, so that they may have waited for each other: set probe: LastRepetition, or measure a matrix of numjobs", all)
	case typical <= 0 || size < queuesFrom:
		bound.Reason, bound.Message = v1alpha1.BoundLatency, all+", and "+room+moreInFlight
	case load.InFlight == 1:
		return unknown("the only I/O in flight took %s on average, where this storage typically takes %s, and %s: something else than the "+
			"workload delays it, such as others on the storage or the node, or blocks that are used for the first time",
			duration(f.mean()), duration(typical), room)
	default:
		bound.Reason = v1alpha1.BoundQueue
		bound.Message = fmt.Sprintf("%s, where this storage typically takes %s: for each one that is served some %s wait, and %s%s",
			all, duration(typical), humanize.Significant(math.Round(size-1)), room, k.waitForSlots(load))
	}
	return bound
}

// typical returns how long I/Os such as those of a result typically take, on average, in nanoseconds; 0 if it is not known.
func (k Known) typical(r *v1alpha1.Result) float64 {
	if k.Storage == nil || k.Storage.TypicalReadMicroseconds == nil || k.Storage.TypicalWriteMicroseconds == nil {
		return 0
	}
	read, write := 1000*float64(*k.Storage.TypicalReadMicroseconds), 1000*float64(*k.Storage.TypicalWriteMicroseconds)
	var f flight
	for direction, io := range r.Directions() {
		each := write
		if direction == v1alpha1.OperationRead {
			each = read
		}
		f.add(rateOf(io), each*parts(io))
	}
	if r.Of(v1alpha1.OperationSync) != nil {
		f.add(rateOfSyncs(r), write)
	}
	if f.rate == 0 {
		return 0
	}
	return f.mean()
}

// parts is how many times the typical latency an I/O may take because of its size.
func parts(io *v1alpha1.Figures) float64 {
	if rateOf(io) <= 0 {
		return 1
	}
	return max(1, math.Ceil(float64(io.BytesPerSecond)/rateOf(io)/aws.LatencyBytes))
}

// waitForSlots tells of I/Os that wait in the clients of a network file system, which send no more at a time. It is "" if
// there are none.
func (k Known) waitForSlots(load Load) string {
	if k.Slots <= 0 || load.InFlight <= k.Slots {
		return ""
	}
	return fmt.Sprintf("; Linux sends %d requests of an NFS mount at a time by default, so that %d of them wait in the client: more clients send more",
		aws.NFSSlots, load.InFlight-k.Slots)
}

// rateOfSyncs returns syncs per second: as many a write as there were, at the rate of the writes, which of several clients
// is that of all whatever time each took.
func rateOfSyncs(r *v1alpha1.Result) float64 {
	if w := r.Of(v1alpha1.OperationWrite); w != nil && w.Count > 0 && rateOf(w) > 0 {
		return rateOf(w) * float64(r.Of(v1alpha1.OperationSync).Count) / float64(w.Count)
	}
	if r.ElapsedMilliseconds <= 0 {
		return 0
	}
	return float64(r.Of(v1alpha1.OperationSync).Count) * 1000 / float64(r.ElapsedMilliseconds)
}

// rateOf returns I/Os per second.
func rateOf(io *v1alpha1.Figures) float64 { return float64(io.MilliIOPS) / 1000 }
