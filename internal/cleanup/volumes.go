package cleanup

// VolumeFacts is what the fate of a volume depends on.
type VolumeFacts struct {
	// Bound says that it is bound to a claim of the benchmark, AsIs that it is the PersistentVolume of storage that is mounted as it is, which is
	// removed by its name.
	Bound, AsIs bool
	// Deletes says that its reclaim policy has it deleted with its claim, Made that a provisioner has made it for that very claim.
	Deletes, Made bool
}

// Fate is what becomes of a volume when its claim is gone.
type Fate string

// The fates.
const (
	Unknown  Fate = ""         // it could not be looked at, or changed; nor may it be known whether it was made for the benchmark
	NotOurs  Fate = "NotOurs"  // it is gone, is bound to nothing of ours, or is removed elsewhere
	Goes     Fate = "Goes"     // it is deleted with its claim
	Retained Fate = "Retained" // it was made for the benchmark and would be kept: it goes when its reclaim policy is Delete
	Stays    Fate = "Stays"    // it was not made for the benchmark, to which a claim of it was bound: it is left as it was
)

// FateOf says what becomes of a volume.
func FateOf(f VolumeFacts) Fate {
	switch {
	case !f.Bound, f.AsIs:
		return NotOurs
	case f.Deletes:
		return Goes
	case f.Made:
		return Retained
	default:
		return Stays
	}
}
