package childmeta

import (
	"strconv"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// RunName returns the name of the Job of a client in an attempt of a run.
func RunName(sb *v1alpha1.StorageBenchmark, run string, attempt, client int32) string {
	parts := []string{run}
	if attempt > 1 {
		parts = append(parts, strconv.Itoa(int(attempt)))
	}
	if client > 0 {
		parts = append(parts, Client(client))
	}
	return Name(sb, parts...)
}

// AnchorName returns the name of the pod that makes an attempt to hold a node for a client.
func AnchorName(sb *v1alpha1.StorageBenchmark, client, attempt int32) string {
	parts := []string{v1alpha1.RoleAnchor, strconv.Itoa(int(attempt))}
	if client > 0 {
		parts = append(parts, Client(client))
	}
	return Name(sb, parts...)
}

// CleanUpName returns the name of the Job that removes the test files from the claim that a client uses of a target.
func CleanUpName(sb *v1alpha1.StorageBenchmark, target string, client int32) string {
	parts := []string{target, v1alpha1.RoleCleanUp}
	if client > 0 {
		parts = append(parts, Client(client))
	}
	return Name(sb, parts...)
}
