package digest

import "fmt"

// Node is how busy a node was while fio measured, in thousandths of that time.
type Node struct {
	// BusyPermille is the CPU time of the node in which its CPUs were not idle.
	BusyPermille int64 `cbor:"1,keyasint,omitempty"`
	// OthersPermille is the part of that which fio did not use.
	OthersPermille int64 `cbor:"2,keyasint,omitempty"`
	// WaitedPermille is the time of fio's jobs in which they could have run, and waited for a CPU.
	WaitedPermille int64 `cbor:"3,keyasint,omitempty"`
	// CPUPressurePermille and IOPressurePermille are the time in which at least one task of the node waited for a CPU, and
	// for I/O.
	CPUPressurePermille int64 `cbor:"4,keyasint,omitempty"`
	IOPressurePermille  int64 `cbor:"5,keyasint,omitempty"`
}

// Figures returns all shares, always in the same order.
func (n *Node) Figures() []*int64 {
	return []*int64{
		&n.BusyPermille, &n.OthersPermille, &n.WaitedPermille, &n.CPUPressurePermille, &n.IOPressurePermille,
	}
}

func checkNode(n *Node) error {
	if n == nil {
		return nil
	}
	for _, share := range n.Figures() {
		if !within(*share, 0, 1000) {
			return fmt.Errorf("report: node: impossible share of %d thousandths", *share)
		}
	}
	return nil
}
