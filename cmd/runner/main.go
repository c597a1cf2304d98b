// Command runner is the entrypoint of the runner image: it lays out test files, measures with fio, and
// removes test files.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
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
	options, ok := parse(args)
	if !ok {
		return digest.ExitUsage
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
	case "version":
		fmt.Println(version)
	}
	return 0
}

// commands are what the program does.
var commands = []string{"layout", "measure", "clean", "hold", "version"}

// parse reads the command's flags and the environment. Where it cannot, it says why.
func parse(args []string) (options runner.Options, ok bool) {
	options = runner.Options{
		JobFile: os.Getenv(digest.JobFileVariable), Pod: os.Getenv(digest.PodVariable), EBSMetricsURL: os.Getenv(digest.EBSMetricsVariable), VolumeID: os.Getenv(digest.VolumeVariable),
		Log: os.Stdout,
	}
	flags := newFlags(&options)
	layOut := flags.Bool("layout", false, "have measure lay out files before")
	probe := flags.Bool("probe", false, "have measure run a second job file when it has measured")
	if len(args) == 0 || !slices.Contains(commands, args[0]) {
		flags.Usage()
		return options, false
	}
	if flags.Parse(args[1:]) != nil {
		return options, false
	}
	for _, file := range []struct {
		flag, variable string
		wanted         bool
		to             *string
	}{
		{"--layout", digest.LayoutVariable, *layOut, &options.LayoutFile},
		{"--probe", digest.ProbeVariable, *probe, &options.ProbeFile},
	} {
		if !file.wanted {
			continue
		}
		if *file.to = os.Getenv(file.variable); *file.to == "" {
			fmt.Fprintln(flags.Output(), file.flag+": "+file.variable+" is empty")
			return options, false
		}
	}
	return options, true
}

// newFlags returns the flags that set an option each.
func newFlags(options *runner.Options) *flag.FlagSet {
	flags := flag.NewFlagSet("runner", flag.ContinueOnError)
	flags.StringVar(&options.Directory, "directory", "", "directory of the test files; empty for a raw block device")
	flags.Func("other-directories", "names of the other clients' directories beside it, with commas between them",
		func(text string) error {
			options.OtherDirectories = strings.Split(text, ",")
			return nil
		})
	flags.BoolVar(&options.HoldDirectory, "hold-directory", false,
		"put a file into the directory, without which it would be gone with the last test file")
	flags.BoolVar(&options.KeepDirectory, "keep-directory", false, "have clean remove what is in the directory, and not the directory")
	flags.BoolVar(&options.OwnClaim, "own-claim", false, "the claim was made for the benchmark")
	flags.Func("free-space-reserve", "bytes that stay free; unset: 10 %, at least 1 GiB, if others may use the volume",
		func(text string) error {
			bytes, err := strconv.ParseInt(text, 10, 64)
			options.FreeSpaceReserve = &bytes
			return err
		})
	flags.BoolVar(&options.ReadOnly, "readonly", false, "have fio refuse to write")
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
	return flags
}
