// Package tangled has a cycle of three files, of which a refers to b, b to c, and c to a; d refers to a only.
package tangled

func first() int { return second() }

type base struct{}

func (base) One() {}
func (base) Two() {}
