package clientserver

import (
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/storagebench/storagebench/test/await"
	"github.com/storagebench/storagebench/test/fiorun"
)

// limit ends a fio that hangs, many times after the longest job has ended.
const limit = time.Minute

// runClients runs each of the job files on a fio server of its own, as clients of one fio, and returns its JSON.
func runClients(t *testing.T, jobFiles []string) []byte {
	t.Helper()
	program := fiorun.Newer(t)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	t.Cleanup(cancel)
	output := filepath.Join(t.TempDir(), "output.json")
	arguments := []string{"--output-format=json+", "--output=" + output}
	for i, text := range jobFiles {
		file := filepath.Join(t.TempDir(), "job.fio")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		arguments = append(arguments, "--client="+startServer(ctx, t, program, i), file)
	}
	client := start(ctx, t, t.TempDir(), program, arguments...)
	<-client.done
	if client.err != nil {
		t.Fatalf("fio: %v: %s", client.err, client.words.String())
	}
	data, err := os.ReadFile(output)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// startServer starts a server that ends with the test, and returns its address: a socket in the file system, as fio's
// servers run what anybody sends them, and two of them can take the same port without an error.
func startServer(ctx context.Context, t *testing.T, program string, number int) string {
	t.Helper()
	// The path of a socket is at most 107 bytes long, which t.TempDir may exceed.
	dir, err := os.MkdirTemp("", "fio-server-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	ctx, end := context.WithCancel(ctx)
	socket := filepath.Join(dir, strconv.Itoa(number))
	server := start(ctx, t, dir, program, "--server=sock:"+socket)
	t.Cleanup(func() {
		end()
		<-server.done
	})
	listening := await.Wait{For: "fio's server to listen", Changed: func() <-chan struct{} { return server.done }}
	err = listening.Until(ctx, func(ctx context.Context) error {
		select {
		case <-server.done:
			return await.Final(errors.Join(errors.New("it ended: "+server.words.String()), server.err))
		default:
		}
		connection, err := new(net.Dialer).DialContext(ctx, "unix", socket)
		if err != nil {
			return err
		}
		return connection.Close()
	})
	if err != nil {
		t.Fatal(err)
	}
	return "sock:" + socket
}

// process is a fio that runs until done is closed; then err and words say how it ended.
type process struct {
	done  chan struct{}
	err   error
	words bytes.Buffer
}

// start starts fio in a directory. It ends with the context, and, by the kernel, with the test however that ends.
func start(ctx context.Context, t *testing.T, dir, program string, arguments ...string) *process {
	t.Helper()
	p := &process{done: make(chan struct{})}
	command := exec.CommandContext(ctx, program, arguments...)
	command.Dir, command.Stdout, command.Stderr = dir, &p.words, &p.words
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) }
	command.WaitDelay = 10 * time.Second
	go func() {
		// The kernel means the death of the thread that has started the process.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer close(p.done)
		p.err = command.Run()
	}()
	return p
}
