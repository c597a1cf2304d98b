// Command s3-csi is mountpoint-s3-csi-driver for the local cluster: the packages
// of the real driver, started as processes of this machine instead of pods.
//
// The real programs cannot be used for that: they take the API's address and a
// token only from a pod's files, and the controller shows its metrics on all of
// the machine's addresses.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/pflag"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "s3-csi:", err)
		os.Exit(1)
	}
}

// run runs the part of the driver that the first argument names, until a signal.
func run(args []string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	parts := map[string]func(context.Context, []string) error{"node": runNode, "controller": runController}
	if len(args) == 0 || parts[args[0]] == nil {
		return errors.New("usage: s3-csi node|controller --flag=value…")
	}
	return parts[args[0]](ctx, args[1:])
}

// parse parses a command line on which every flag must be given.
func parse(flags *pflag.FlagSet, args []string) error {
	if err := flags.Parse(args); err != nil {
		return err
	}
	var missing []error
	flags.VisitAll(func(f *pflag.Flag) {
		if !f.Changed {
			missing = append(missing, fmt.Errorf("--%s is missing", f.Name))
		}
	})
	return errors.Join(missing...)
}

func clientConfig(kubeconfig string) (*rest.Config, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	// The defaults, 5 and 10, would let many mounts wait for one another.
	config.QPS, config.Burst = 100, 200
	return config, nil
}
