package digest

// Volume is what EBS counted of a volume, by kind of operation.
type Volume struct {
	Read  VolumeOperations `cbor:"1,keyasint"`
	Write VolumeOperations `cbor:"2,keyasint"`
}

// VolumeOperations are what EBS counted of reads or of writes.
type VolumeOperations struct {
	// Count is the number of operations, Bytes what they moved, and Microseconds how long all of them took together.
	Count        int64 `cbor:"1,keyasint,omitempty"`
	Bytes        int64 `cbor:"2,keyasint,omitempty"`
	Microseconds int64 `cbor:"3,keyasint,omitempty"`
	// P50 and P99 are the ends of the histogram's buckets with these percentiles, in microseconds; 0 where they are not
	// known.
	P50 int64 `cbor:"4,keyasint,omitempty"`
	P99 int64 `cbor:"5,keyasint,omitempty"`
}

// Sums returns all figures of which those of several volumes are added up, always in the same order.
func (v *Volume) Sums() []*int64 {
	return []*int64{
		&v.Read.Count, &v.Read.Bytes, &v.Read.Microseconds, &v.Write.Count, &v.Write.Bytes, &v.Write.Microseconds,
	}
}

// Percentiles returns all percentiles, always in the same order.
func (v *Volume) Percentiles() []*int64 {
	return []*int64{&v.Read.P50, &v.Read.P99, &v.Write.P50, &v.Write.P99}
}

// Figures returns all figures.
func (v *Volume) Figures() []*int64 { return append(v.Sums(), v.Percentiles()...) }
