// Package direction has the directions of I/O that fio measures apart. Whatever has figures of them has up to three, and nil
// where there was no such I/O.
package direction

import (
	"iter"
	"strings"
)

// Directions by fio's names, in fio's order.
const (
	Read  = "read"
	Write = "write"
	Trim  = "trim"
)

// All returns the directions in fio's order. Their places in it are their numbers in fio's logs and lists.
func All() []string { return []string{Read, Write, Trim} }

// Present yields those of three that are not nil, with their names.
func Present[T any](read, write, trim *T) iter.Seq2[string, *T] {
	return func(yield func(string, *T) bool) {
		for _, name := range All() {
			if d := Named(name, read, write, trim); d != nil && !yield(name, d) {
				return
			}
		}
	}
}

// Map returns what is made of each of three, and the zero value of one that is nil.
func Map[T, U any](read, write, trim *T, of func(*T) U) (r, w, t U) {
	made := func(d *T) (u U) {
		if d != nil {
			u = of(d)
		}
		return u
	}
	return made(read), made(write), made(trim)
}

// Named returns the one of three that has a name, nil if none has.
func Named[T any](name string, read, write, trim *T) *T {
	switch name {
	case Read:
		return read
	case Write:
		return write
	case Trim:
		return trim
	}
	return nil
}

// Summed says of a figure of all directions which ones are in it, such as "reads and writes together"; "" if it is of one.
func Summed[T any](read, write, trim *T) string {
	var all []string
	for name := range Present(read, write, trim) {
		all = append(all, name+"s")
	}
	if len(all) < 2 {
		return ""
	}
	last := len(all) - 1
	return strings.Join(all[:last], ", ") + " and " + all[last] + " together"
}
