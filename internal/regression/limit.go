package regression

import (
	"fmt"

	"github.com/storagebench/storagebench/internal/humanize"
)

// enoughKept is from which limit of a history on nothing is said of it: a change is told for 20 runs then.
const enoughKept = 30

// keepsTooFew says whether no change can ever be found, as the history never has enough runs.
func (b *Baseline) keepsTooFew() bool { return b.Limit > 0 && b.Limit < leastBefore+leastAfter }

// limitText says what it means that the history keeps few runs.
func (b *Baseline) limitText() string {
	switch {
	case b.keepsTooFew():
		return fmt.Sprintf(": historyLimit is %d, and it takes %d runs, %d before a change and %d from it on; raise it to %d or more", b.Limit, leastBefore+leastAfter, leastBefore, leastAfter, enoughKept)
	case b.Limit > 0 && b.Limit < enoughKept:
		told := humanize.Plural(b.Limit-leastBefore-leastAfter+1, "run")
		return fmt.Sprintf("; with historyLimit %d a change is told for about %s, as the runs before it are dropped then: raise it to %d or more", b.Limit, told, enoughKept)
	}
	return ""
}
