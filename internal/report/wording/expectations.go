package wording

import (
	"fmt"

	"github.com/storagebench/storagebench/internal/expectation"
	"github.com/storagebench/storagebench/internal/humanize"
)

// Met says how many expectations are met, such as "2 of 3 expectations met".
func Met(findings []expectation.Finding) string {
	met := 0
	for i := range findings {
		if findings[i].Verdict == expectation.Met {
			met++
		}
	}
	return fmt.Sprintf("%d of %s met", met, humanize.Plural(len(findings), "expectation"))
}
