//go:build !linux

package plugin

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// measure refuses: the runner watches fio and the storage by what Linux tells of them.
func (o *localOptions) measure(
	*cobra.Command, *v1alpha1.StorageBenchmark,
) (*source, *v1alpha1.StorageBenchmark, error) {
	return nil, nil, errors.New("--local needs Linux: " +
		"run it on the machine whose storage is measured, or measure in a cluster")
}
