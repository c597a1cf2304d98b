package owned

import "github.com/storagebench/storagebench/api/v1alpha1"

// ClaimChange is what tells whether the claims of a target are those that were noted.
type ClaimChange struct {
	// Noted is the UID that was noted, "" if there is none yet. Seen is that of the claims that are there, "" if one is gone.
	Noted, Seen string
	// SameStorage says that what is on the claims before is on these too: storage that is mounted as it is, or the same volume.
	SameStorage bool
	// Own says that the operator makes the claims. It forgets those that are gone before it makes others.
	Own bool
	// Unconfirmed says that the API server has other claims than were seen.
	Unconfirmed bool
	// Files is what becomes of the test files on the claims before: TestFilesPresent if they stay there. It need be known of one that
	// MayReplace.
	Files v1alpha1.TestFilesState
}

// Follow is what follows from a ClaimChange.
type Follow string

// What can follow.
const (
	KeepClaims    Follow = "KeepClaims"    // nothing, they are the same
	LookAgain     Follow = "LookAgain"     // nothing yet: the cache is behind
	NoteClaims    Follow = "NoteClaims"    // note them: they replace nothing
	ForgetVolumes Follow = "ForgetVolumes" // note them, and believe nothing of the volumes before
	LoseFiles     Follow = "LoseFiles"     // end the benchmark: the way to its test files is gone
	RefuseClaims  Follow = "RefuseClaims"  // end the benchmark: somebody else has made one of them
)

// ClaimDecision is what follows, and, where it ends the benchmark, why, for people.
type ClaimDecision struct {
	Follow  Follow
	Message string
}

// MayReplace says whether the claims are others than were noted, so that more has to be known of them.
func (c ClaimChange) MayReplace() bool { return c.Noted != "" && c.Noted != c.Seen }

// Decide says what follows for the target of a name.
func (c ClaimChange) Decide(target string) ClaimDecision {
	decision := ClaimDecision{Follow: c.follow()}
	switch decision.Follow {
	case LoseFiles:
		decision.Message = "target " + target + ": its claim was deleted, and with it the way to the test files there; create the benchmark anew, and leave its claims in place"
	case RefuseClaims:
		decision.Message = "target " + target + ": one of its claims was deleted, and another one of its name was not made for this benchmark; create the benchmark anew, and leave its claims in place"
	case KeepClaims, LookAgain, NoteClaims, ForgetVolumes:
	}
	return decision
}

// follow says what follows. Another claim is another volume, or another access point of a file system.
func (c ClaimChange) follow() Follow {
	switch {
	case c.Noted == c.Seen:
		return KeepClaims
	case c.Unconfirmed:
		return LookAgain
	case c.Noted == "", c.SameStorage:
		return NoteClaims
	case c.Own && c.Seen != "":
		return RefuseClaims
	case c.Files == v1alpha1.TestFilesPresent, c.Files == v1alpha1.TestFilesLeftBehind:
		return LoseFiles
	default:
		return ForgetVolumes
	}
}
