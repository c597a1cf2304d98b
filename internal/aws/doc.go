// Package aws holds what AWS documents of its storage: the types of EBS volumes, the modes of EFS file systems and
// the bandwidth of EC2 instances, each figure in a table with its source, and pure functions over them.
//
// Nothing here asks AWS, and nothing was measured: these are the figures that a measurement is compared with.
package aws

// Limits are what storage can do at most. A figure of 0 is not known or does not exist.
type Limits struct {
	// I/Os per second: reads and writes together, or of each where they have limits of their own. The I/Os of EBS are
	// those of VolumeType.IOUnits.
	IOPS, ReadIOPS, WriteIOPS int64
	// What there is in place of IOPS if the driver had to lower them without a word; 0 if it never does.
	LoweredIOPS int64
	// Bytes per second, likewise.
	BytesPerSecond, ReadBytesPerSecond, WriteBytesPerSecond int64
	// Bytes per second that are left if the instance weighs its bandwidth for the other side; 0 if it cannot.
	LoweredBytesPerSecond int64
	// Reads and writes share what limits of their own give them: who uses a third of the one has two thirds of the other.
	Shared bool
	// IOPS hold for random I/O only: storage merges small sequential I/Os, so a client may count many more of them.
	RandomIOPS bool
	// The documentation gives a range or an average instead of a limit, so that storage may do more or less.
	Approximate bool
	// The documentation promises as much and no less, so that storage may do more.
	AtLeast bool
	// Sequential I/Os of MergedFromBytes and more may count as fewer and larger ones.
	MayMerge bool
	// How long an I/O takes that waits for no other one.
	Typical Latency
	// What remains when credits are used up. Nil: the limits hold for as long as one likes.
	Burst *Burst
	// Where the limits are from, for people; at most 256 characters.
	Source string
}

// Burst is what remains of limits that hold only as long as there are credits, and how many of those there can be.
type Burst struct {
	// I/Os per second without credits; 0 if credits do not change them.
	BaselineIOPS int64
	// Bytes per second without credits; 0 if credits do not change them.
	BaselineBytesPerSecond int64
	Credits                Bucket
}

// Problem is something that AWS or its driver refuses, or does otherwise than asked.
type Problem struct {
	// Field is what is wrong, by the name that the driver has for it.
	Field string
	// Value is what the field holds; empty if it is missing.
	Value string
	// Message says what AWS takes instead and what to do.
	Message string
}

const (
	kib = 1 << 10
	mib = 1 << 20
	gib = 1 << 30
	tib = 1 << 40
)
