package report

import (
	"strings"
)

// Bar draws a part of a whole, from 0 to 1, as wide as width characters, such as [=====>    ].
func Bar(part float64, width int) string {
	filled := min(max(int(part*float64(width)), 0), width)
	bar := strings.Repeat("=", filled)
	if filled < width {
		bar += ">"
	}
	return "[" + bar + strings.Repeat(" ", width-len(bar)) + "]"
}
