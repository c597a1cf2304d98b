// Localcluster runs a real Kubernetes cluster on this machine, without a container
// engine and without a registry: for tests, and for trying things out.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/storagebench/storagebench/test/localcluster/internal/cluster"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := rootCommand().ExecuteContext(ctx)
	stop()
	if err == nil {
		return
	}
	if !errors.Is(err, cluster.ErrUnhealthy) {
		if name, tail := cluster.LogTail(err); name != "" {
			fmt.Fprintf(os.Stderr, "--- end of the log of %s\n%s\n---\n", name, tail)
		}
	}
	fmt.Fprintln(os.Stderr, "localcluster:", err)
	os.Exit(1)
}
