// Package measure has the phases that make the runs, one after the other. Measure begins an attempt, makes its Jobs,
// follows them and takes their result. Conclude records how the runs ended.
//
// Package internal/attempt decides what follows from the state of an attempt. An attempt is written down in the status
// before its Jobs are made, in a write that fails on an old version, so that no attempt is made twice.
package measure
