package disk

import "time"

// Performance is what a volume does: reads and writes of all its users. Without a bucket base and burst are the same.
type Performance struct {
	Base    Rate    `json:"base"`
	Burst   Rate    `json:"burst"`
	Bucket  Bucket  `json:"bucket,omitzero"`
	Latency Latency `json:"latency,omitzero"`
}

// steady returns the performance of a volume whose limits stay as they are.
func steady(limits Rate) Performance { return Performance{Base: limits, Burst: limits} }

// Rate is so much a second, or with Work: so much. Zero is no limit.
type Rate struct {
	IOs   float64 `json:"ios"`
	Bytes float64 `json:"bytes"`
}

// Work is what was done.
type Work = Rate

// Bucket holds burst credits. A volume gains what its base costs, loses what its work costs, and bursts while there are some.
type Bucket struct {
	Capacity float64 `json:"capacity"`
	// Initial is what a new volume has.
	Initial float64 `json:"initial"`
	// IO and Byte are what one of each costs. Of all I/Os and all bytes the dearer ones are paid.
	IO   float64 `json:"io"`
	Byte float64 `json:"byte"`
}

func (b Bucket) cost(w Work) float64 { return max(w.IOs*b.IO, w.Bytes*b.Byte) }

// Latency is how long a volume takes for an I/O that its limits do not hold back.
type Latency struct {
	Read  Delay `json:"read"`
	Write Delay `json:"write"`
}

// Delay is a time that differs from one I/O to the next: the least, and what comes to it by chance, exponentially distributed with the mean Tail.
type Delay struct {
	Least time.Duration `json:"least"`
	Tail  time.Duration `json:"tail"`
}
