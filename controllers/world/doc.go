// Package world is what a pass over a benchmark acts with: the API server, logs of pods, events, and the time. It knows
// the benchmark's namespace and nothing of its status.
//
// A World reads objects by name as the API server has them. The functions beside it list a few objects at a time, make,
// patch and delete them, and tell what an error means for the object that was to be made.
//
// The package also keeps what others write on objects out of the operator's memory: SlimAnswers cuts answers before
// they are decoded, Caches decide what the operator's caches hold, and LeaveOutUndecodable leaves out what cannot be
// decoded. New code that reads another field of a Job, pod, claim or event adds it to slim_kinds.go and trim.go.
package world
