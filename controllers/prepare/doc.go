// Package prepare has the phases before the first run: Admit adds the finalizer, Validate resolves what the spec names
// and plans the runs, AwaitDrivers waits for CSI drivers, Provision makes the storage, and Anchor holds nodes. Relabel
// gives Jobs and pods their lost labels back. Nudge works around a driver that does not answer for a pod.
package prepare
