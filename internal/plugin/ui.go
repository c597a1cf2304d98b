package plugin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/cli-runtime/pkg/genericclioptions"

	"github.com/storagebench/storagebench/internal/report/wording"
)

const (
	// pageRefresh is how often a page is loaded anew while a benchmark on it is under way.
	pageRefresh = 3 * time.Second
	// pagePatience is how long a page may take to be made.
	pagePatience = time.Minute
	// goodbye is how long pages under way may take when the server ends.
	goodbye = 2 * time.Second
)

// uiOptions are the flags of "ui".
type uiOptions struct {
	flags      *genericclioptions.ConfigFlags
	port       int
	everywhere bool
}

// newUICommand returns the command that serves reports to a browser on this machine.
func newUICommand(flags *genericclioptions.ConfigFlags) *cobra.Command {
	o := &uiOptions{flags: flags}
	cmd := &cobra.Command{
		Use:   "ui [FILE | DIRECTORY]...",
		Short: "Show benchmarks, reports and histories in a browser on this machine",
		Long: `Show benchmarks, reports and histories in a browser on this machine: those of the namespace, or those of files and
directories. Pages of benchmarks that are under way load themselves anew. It only reads, uses your own rights, serves this
machine only (127.0.0.1), and loads nothing from the network. Ctrl-C ends it.`,
		Example: `  kubectl storagebench ui
  kubectl storagebench ui --all-namespaces
  kubectl storagebench ui results/ fio.json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			from, err := o.library(cmd, args)
			if err != nil {
				return err
			}
			return o.serve(cmd, &pages{from: from, now: time.Now})
		},
	}
	cmd.Flags().IntVar(&o.port, "port", 0, "port to listen on (default: one that is free)")
	cmd.Flags().BoolVarP(&o.everywhere, "all-namespaces", "A", false, "show the StorageBenchmarks of all namespaces")
	return cmd
}

// library returns where the pages read from: files, or the cluster.
func (o *uiOptions) library(cmd *cobra.Command, paths []string) (library, error) {
	if len(paths) > 0 {
		for _, path := range paths {
			if _, err := os.Stat(path); err != nil {
				return nil, err
			}
		}
		return &folder{cmd: cmd, paths: paths}, nil
	}
	c, err := connect(o.flags)
	if err != nil {
		return nil, err
	}
	return &namespaces{cluster: c, everywhere: o.everywhere}, nil
}

// serve serves pages on the loopback interface until the user interrupts it.
func (o *uiOptions) serve(cmd *cobra.Command, p *pages) error {
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(o.port)))
	if err != nil {
		return fmt.Errorf("--port %d: %w", o.port, err)
	}
	server := &http.Server{Handler: p.handler(), ReadHeaderTimeout: 10 * time.Second, BaseContext: func(net.Listener) context.Context { return ctx }}
	fmt.Fprintf(cmd.OutOrStdout(), "http://%s/\n", listener.Addr())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), goodbye)
	defer cancel()
	if err := server.Shutdown(last); err != nil {
		return errors.Join(server.Close())
	}
	return nil
}

// pages makes the pages of a library. Each is made anew for each request.
type pages struct {
	from library
	now  func() time.Time
	// one makes one page at a time: each may take the memory of the largest file.
	one sync.Mutex
}

// handler returns the pages by their paths. It answers requests by this machine only, and under its own names: another
// site could have its name resolve to 127.0.0.1, and read the pages from the user's browser.
func (p *pages) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", p.page(p.index))
	mux.HandleFunc("GET /benchmarks/{group}/{name}", p.page(p.benchmark))
	mux.HandleFunc("GET /schedules/{group}/{name}", p.page(p.schedule))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil || (host != "127.0.0.1" && host != "localhost") {
			http.Error(w, "open this page as http://127.0.0.1", http.StatusForbidden)
			return
		}
		if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "none" && site != "same-origin" {
			http.Error(w, "another site has asked for this page", http.StatusForbidden)
			return
		}
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("X-Frame-Options", "DENY")
		w.Header().Set("Referrer-Policy", "no-referrer")
		w.Header().Set("Cache-Control", "no-store")
		mux.ServeHTTP(w, r)
	})
}

// page serves what a function writes. goesOn reports whether the page will change soon.
func (p *pages) page(write func(io.Writer, *http.Request) (goesOn bool, err error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		p.one.Lock()
		defer p.one.Unlock()
		ctx, cancel := context.WithTimeout(r.Context(), pagePatience)
		defer cancel()
		var text bytes.Buffer // an error can be told only before the page has begun
		goesOn, err := write(&text, r.WithContext(ctx))
		switch {
		case apierrors.IsNotFound(err):
			http.Error(w, wording.Harmless(err.Error()), http.StatusNotFound)
			return
		case err != nil:
			http.Error(w, wording.Harmless(err.Error()), http.StatusBadGateway)
			return
		}
		if goesOn {
			w.Header().Set("Refresh", strconv.Itoa(int(pageRefresh.Seconds())))
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(text.Bytes()) // the browser has gone
	}
}
