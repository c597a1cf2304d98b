package merge

import "github.com/storagebench/storagebench/internal/digest"

// busiestNode returns the highest of each figure of all nodes, of those that are known; nil if none is.
func busiestNode(all []*digest.Environment) *digest.Node {
	var busiest *digest.Node
	for _, e := range all {
		if e.Node == nil {
			continue
		}
		if busiest == nil {
			busiest = &digest.Node{}
		}
		figures := e.Node.Figures()
		for i, most := range busiest.Figures() {
			*most = max(*most, *figures[i])
		}
	}
	return busiest
}
