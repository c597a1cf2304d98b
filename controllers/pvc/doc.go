// Package pvc has what the phases share about the claims of a benchmark and their volumes.
//
// It makes what provisions a target's storage (storage.go), reads what is in its place (ownership.go), tells volumes
// that were made for the benchmark from those that were there before (origin.go, freed.go), notes claims and where
// their volumes are (replaced.go, place.go), and has a volume deleted with its claim (settle.go).
package pvc
