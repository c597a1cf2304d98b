package history

import (
	"slices"
)

// History is the points of a schedule, in the order in which they were added.
type History struct {
	Points []Point
}

// Has says whether a benchmark has left its point.
func (h *History) Has(uid string) bool {
	return slices.ContainsFunc(h.Points, func(p Point) bool { return p.UID == uid })
}

// Last returns the UID of the benchmark of the newest point, "" if there is none.
func (h *History) Last() string {
	if len(h.Points) == 0 {
		return ""
	}
	return h.Points[len(h.Points)-1].UID
}

// Add appends a point, and drops the oldest ones beyond the limit. A benchmark whose point is there leaves no other: Add returns false then. So it can be called
// again after a crash. Points are in the order in which they were added, whatever their times say: a clock may have been wrong. Who adds them has to remember whose points were dropped.
func (h *History) Add(p Point, limit int) bool {
	if h.Has(p.UID) {
		return false
	}
	p.Sequence, p.Chunk = 1, 0
	if last := len(h.Points) - 1; last >= 0 {
		p.Sequence = h.Points[last].Sequence + 1
	}
	h.Points = append(h.Points, p)
	h.Trim(limit)
	return true
}

// Trim drops the oldest points beyond the limit, which is at least 1, and those beyond what a history holds: points of a template before may have more cases than
// those that the limit was chosen for.
func (h *History) Trim(limit int) {
	kept, cases := len(h.Points), 0
	for kept > 0 && len(h.Points)-kept < max(limit, 1) {
		if cases += len(h.Points[kept-1].Cases); cases > MaxCasePoints {
			break
		}
		kept--
	}
	h.Points = slices.Delete(h.Points, 0, kept)
}
