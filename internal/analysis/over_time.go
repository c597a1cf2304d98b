package analysis

import "fmt"

// rateFell is about a rate that was high at first and low then: the mean of both is neither. That the fall is none by chance is the series' to judge.
func rateFell(s seen) string {
	over := s.result.OverTime
	if over == nil || over.Fall == nil {
		return ""
	}
	return fmt.Sprintf("%d IOPS for %d s, then %d", over.Fall.BeforeIOPS, over.Fall.AtSeconds, over.Fall.AfterIOPS)
}
