package cluster

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc"
)

// healthClient asks health endpoints on this machine. Those of the controllers
// have certificates made at their start, which nothing can check; no secret is
// sent and nothing but "ok" is believed.
var healthClient = &http.Client{Transport: &http.Transport{
	TLSClientConfig:   &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS12},
	DisableKeepAlives: true,
}}

func httpOK(url string) func(context.Context) error {
	return func(ctx context.Context) error {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		response, err := healthClient.Do(request)
		if err != nil {
			return err
		}
		defer func() { _ = response.Body.Close() }()
		if response.StatusCode == http.StatusOK {
			return nil
		}
		body, _ := io.ReadAll(io.LimitReader(response.Body, 1000))
		return fmt.Errorf("%s answered %s: %s", url, response.Status, body)
	}
}

// errNotRegistered says that a driver waits for the kubelet.
var errNotRegistered = errors.New("the kubelet has not registered the CSI driver yet")

// driverReady asks a CSI driver whether it is ready for pods.
func driverReady(socket string) func(context.Context) error {
	return func(ctx context.Context) error {
		return onSocket(socket, func(conn *grpc.ClientConn) error {
			response, err := csi.NewIdentityClient(conn).Probe(ctx, &csi.ProbeRequest{})
			if err == nil && !response.GetReady().GetValue() {
				err = errNotRegistered
			}
			return err
		})
	}
}
