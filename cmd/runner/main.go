// Command runner is the entrypoint of the runner image: it lays out test files, measures with fio, and
// removes test files.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/fio"
	"github.com/storagebench/storagebench/internal/runner"
	"github.com/storagebench/storagebench/internal/steady"
)

// version is set by the linker: -ldflags "-X main.version=...".
var version = "dev"

const usage = `usage: runner layout|measure|clean|hold|version [flags]

layout   makes the directory and the files that the job needs
measure  lays out files if told to, makes the directory, waits for the start, runs fio and leaves its result in the termination message
clean    removes the directory
hold     waits to be ended: the pod's volumes stay mounted, and its node stays held
version  prints the version of this program

The job file is taken from the environment variable ` + digest.JobFileVariable + `, and the one that
measure --layout lays out from ` + digest.LayoutVariable + `. With --probe, measure then
runs the one in ` + digest.ProbeVariable + ` as well.
`

func main() {
	os.Exit(run(os.Args[1:]))
}

func run(args []string) int {
	flags := flag.NewFlagSet("runner", flag.ContinueOnError)
	options := runner.Options{
		JobFile: os.Getenv(digest.JobFileVariable), Pod: os.Getenv(digest.PodVariable), EBSMetricsURL: os.Getenv(digest.EBSMetricsVariable), VolumeID: os.Getenv(digest.VolumeVariable),
		Log: os.Stdout,
	}
	flags.StringVar(&options.Directory, "directory", "", "directory of the test files; empty for a raw block device")
	flags.BoolVar(&options.KeepDirectory, "keep-directory", false, "have clean remove what is in the directory, and not the directory")
	flags.BoolVar(&options.ReadOnly, "readonly", false, "have fio refuse to write")
	layOut := flags.Bool("layout", false, "have measure lay out files before")
	probe := flags.Bool("probe", false, "have measure run a second job file when it has measured")
	flags.Func("until", "have measure run the same before, until its rate is steady: seconds of the window, slope and range in percent, seconds at most, whether the result is judged, metric", func(text string) (err error) {
		options.Until, err = steady.Parse(text)
		return err
	})
	flags.Func("precondition", "have what is laid out, or the device, written before: passes and size of blocks, such as 2:128k", func(text string) (err error) {
		options.Precondition, err = fio.ParsePrecondition(text)
		return err
	})
	flags.DurationVar(&options.ProgressDeadline, "progress-deadline", 0, "how long fio may complete no I/O; 0 for ever")
	flags.StringVar(&options.StartFile, "start-file", "", "file that will hold the time at which to start fio (RFC 3339); empty to start it at once")
	flags.DurationVar(&options.StartDeadline, "start-deadline", 0, "how long the start file may hold no time; 0 for ever")
	flags.StringVar(&options.Scratch, "scratch", os.TempDir(), "directory for fio's output")
	flags.StringVar(&options.TerminationMessage, "termination-message", "/dev/termination-log", "file for the result")
	flags.StringVar(&options.Fio, "fio", "fio", "fio program")
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), usage)
		flags.PrintDefaults()
	}
	if len(args) == 0 {
		flags.Usage()
		return digest.ExitUsage
	}
	if err := flags.Parse(args[1:]); err != nil {
		return digest.ExitUsage
	}
	if *layOut {
		if options.LayoutFile = os.Getenv(digest.LayoutVariable); options.LayoutFile == "" {
			fmt.Fprintln(flags.Output(), "--layout: "+digest.LayoutVariable+" is empty")
			return digest.ExitUsage
		}
	}
	if *probe {
		if options.ProbeFile = os.Getenv(digest.ProbeVariable); options.ProbeFile == "" {
			fmt.Fprintln(flags.Output(), "--probe: "+digest.ProbeVariable+" is empty")
			return digest.ExitUsage
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	switch args[0] {
	case "layout":
		return runner.Layout(ctx, options)
	case "measure":
		return runner.Measure(ctx, options)
	case "clean":
		return runner.Clean(options)
	case "hold":
		<-ctx.Done()
		return 0
	case "version":
		fmt.Println(version)
		return 0
	default:
		flags.Usage()
		return digest.ExitUsage
	}
}
