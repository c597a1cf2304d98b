package sidecar

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"
)

const (
	// HealthPath answers as soon as a program does its work.
	HealthPath = "/healthz"

	readLimit = 30 * time.Second
)

// serveHealth answers on an endpoint, HOST:PORT, until the context ends.
func serveHealth(ctx context.Context, endpoint string) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", endpoint)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc(HealthPath, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	server := &http.Server{Handler: mux, ReadHeaderTimeout: readLimit}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			panic(err) // nothing is left that could say so
		}
	}()
	return nil
}
