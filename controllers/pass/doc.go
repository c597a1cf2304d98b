// Package pass has the data of one pass over a benchmark: what was read of it, its status as it becomes, and what
// earlier passes have left in memory.
//
// Methods of a Pass change the status or look at it, in words for people. None of them takes a context or calls the API
// server: that is for functions that are given the Pass, in the packages above, and they call Pass.World.
//
// An Outcome is how a pass goes on after a phase: GoOn to the next phase, SaveFirst what was found out, AwaitChange of
// the benchmark or of a child, or AwaitFor a time at most.
package pass
