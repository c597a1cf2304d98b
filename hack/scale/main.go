// Command scale measures what a benchmark of many clients takes: calls to the API server, passes, CPU time, memory and
// time. The API server, the controller manager, the scheduler and the operator are the real programs; nodes are kwok's.
// hack/scale.sh builds what it needs.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
)

type options struct {
	binaries string
	kwok     string
	manager  string
	root     string
	clients  []int
	runs     int
	check    bool
	keep     bool
	// fleet are numbers of benchmarks that are there; none: benchmarks of many clients are measured instead.
	fleet []int
	// active is how many of them measure at the same time.
	active int
	// status is how many bytes of status finished benchmarks have at least; 0: as many as the one that was measured.
	status int
	// full has each schedule have the largest history that there can be.
	full bool
	// fio is how long a pod takes that measures alone.
	fio time.Duration
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	err := run(ctx, parse())
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "scale:", err)
		os.Exit(1)
	}
}

func parse() options {
	o := options{clients: []int{1, 10, 25, 50, 100}}
	flag.StringVar(&o.binaries, "binaries", "", "directory with etcd, kube-apiserver, kube-controller-manager and kube-scheduler")
	flag.StringVar(&o.kwok, "kwok", "", "path of kwok")
	flag.StringVar(&o.manager, "manager", "", "path of the operator")
	flag.StringVar(&o.root, "root", ".", "directory of the repository")
	flag.Func("clients", "numbers of clients (default 1,10,25,50,100)", func(text string) (err error) {
		o.clients, err = numbers(text)
		return err
	})
	flag.IntVar(&o.runs, "runs", 20, "number of runs, at most 64")
	flag.BoolVar(&o.check, "check", false, "fail if calls or passes of a run and client grow with the number of clients")
	flag.BoolVar(&o.keep, "keep", false, "keep the directory with logs and the audit log")
	flag.Func("fleet", "numbers of benchmarks in a fleet, in ascending order, instead of numbers of clients", func(text string) (err error) {
		o.fleet, err = numbers(text)
		return err
	})
	flag.IntVar(&o.active, "active", 100, "how many benchmarks of a fleet measure at the same time")
	flag.IntVar(&o.status, "status", 0, "bytes of status that each finished benchmark of a fleet has at least")
	flag.BoolVar(&o.full, "full", false, "give each schedule of a fleet the largest history that there can be")
	flag.DurationVar(&o.fio, "fio", 100*time.Millisecond, "how long a pod takes that measures alone")
	flag.Parse()
	return o
}

func numbers(text string) ([]int, error) {
	var all []int
	for field := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(field)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("%q is no number", field)
		}
		all = append(all, n)
	}
	return all, nil
}

func run(ctx context.Context, o options) (err error) {
	ctrl.SetLogger(zap.New(zap.WriteTo(os.Stderr)))
	directory, err := os.MkdirTemp("", "storagebench-scale-")
	if err != nil {
		return err
	}
	defer func() {
		if o.keep || err != nil {
			fmt.Fprintln(os.Stderr, "scale: logs are in", directory)
			return
		}
		err = os.RemoveAll(directory)
	}()
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	c, err := startControlPlane(ctx, o, directory, fail)
	defer func() { err = errors.Join(err, c.stop()) }()
	if err != nil {
		return err
	}
	if len(o.fleet) > 0 {
		return measureFleets(ctx, o, c)
	}
	return measureAll(ctx, o, c)
}

// measureAll measures with each number of clients, and prints and checks the figures.
func measureAll(ctx context.Context, o options, c *controlPlane) error {
	if err := addClass(ctx, c.client); err != nil {
		return err
	}
	audit, err := newAuditReader(c.auditLog())
	if err != nil {
		return err
	}
	defer audit.close()
	var all []*measurement
	for _, clients := range o.clients {
		m, err := measure(ctx, c, audit, o.manager, clients, o.runs)
		if err != nil {
			return fmt.Errorf("%d clients: %w", clients, err)
		}
		fmt.Fprintf(os.Stderr, "scale: %d clients x %d runs took %.0f s\n", clients, o.runs, m.whole.Seconds())
		all = append(all, m)
	}
	fmt.Println(tables(all))
	if o.check {
		return check(all)
	}
	return nil
}
