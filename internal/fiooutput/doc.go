// Package fiooutput reads what fio prints: its JSON, as results of which clones of a section are one, and its errors and
// notes. It knows neither job files nor Kubernetes.
//
// Facts about fio were read in its source (stat.c of fio 3.28 to 3.40) and are proven against the installed fio, and
// output of other versions, by this package's tests.
package fiooutput
