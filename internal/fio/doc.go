// Package fio knows fio's job files and nothing of Kubernetes beside the API types: it makes them of
// parameters, refuses what a job must not do on someone else's machine, and foretells what a job will report
// and need.
//
// fio is always given JobFile.String, never the text that a user wrote. So a line that this
// package and fio would read differently cannot smuggle an option past Validate.
//
// A text becomes Sections, these a JobFile, and this, at its first use, jobs with typed values (job.go). Everything else
// reads the fields of jobs: loads, files, times, layouts. Rules return problems as values, and the guard makes errors of
// fields of them.
//
// Facts about fio were read in its source (init.c, parse.c, options.c, filesetup.c, stat.c of fio 3.28 to
// 3.40) and are proven against the installed fio by this package's tests.
package fio
