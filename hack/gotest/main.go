// Command gotest runs "go test -json" and prints what people want to see of it: what tests that failed have said, a line for
// each package and, with -each, for each test, and in the end the slowest tests. All else is in the log. It ends with the exit
// code of go test.
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

func main() {
	log := flag.String("log", "", "file for the output of go test -json")
	each := flag.Bool("each", false, "print a line for each test that ends")
	directory := flag.String("C", ".", "directory to run go test in")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "gotest [-C DIRECTORY] [-log FILE] [-each] -- ARGUMENT-OF-GO-TEST...")
		flag.PrintDefaults()
	}
	flag.Parse()
	if err := run(*directory, *log, *each, flag.Args()); err != nil {
		var ended *exec.ExitError
		if errors.As(err, &ended) && ended.Exited() {
			os.Exit(ended.ExitCode())
		}
		fmt.Fprintln(os.Stderr, "gotest:", err)
		os.Exit(1)
	}
}

func run(directory, log string, each bool, args []string) (err error) {
	cmd := exec.Command("go", append([]string{"test", "-json"}, args...)...)
	cmd.Dir, cmd.Stderr = directory, os.Stderr
	lines, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	var input io.Reader = lines
	if log != "" {
		file, err := os.Create(log)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, file.Close()) }()
		input = io.TeeReader(lines, file)
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	s := newSummary(os.Stdout, each, time.Now())
	reader := bufio.NewReader(input) // lines can be of any length
	for {
		line, err := reader.ReadBytes('\n')
		s.line(line, time.Now())
		if err != nil {
			break // go test has ended, and says how
		}
	}
	s.slowest(10)
	return cmd.Wait()
}
