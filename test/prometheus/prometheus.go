// Package prometheus runs a real Prometheus for tests, on loopback.
package prometheus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/prometheus/common/model"
	"sigs.k8s.io/yaml"

	"github.com/storagebench/storagebench/test/await"
)

// Server is a Prometheus.
type Server struct{ address string }

// FreeAddress returns an address on loopback that nobody listens on.
func FreeAddress(t testing.TB) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// Target is what is scraped.
type Target struct {
	// Address is a host and a port, and Path where the metrics are. Empty: /metrics.
	Address, Path string
	// CA, Certificate and Key are files for whoever is to be asked by HTTPS, and asks who comes.
	CA, Certificate, Key string
}

// config returns how Prometheus is to scrape the target.
func (o *Target) config() map[string]any {
	config := map[string]any{"job_name": "storagebench", "honor_labels": true, "static_configs": []any{map[string]any{"targets": []string{o.Address}}}}
	if o.Path != "" {
		config["metrics_path"] = o.Path
	}
	if o.CA != "" {
		config["scheme"], config["tls_config"] = "https", map[string]any{"ca_file": o.CA, "cert_file": o.Certificate, "key_file": o.Key}
	}
	return config
}

// Start starts a Prometheus that scrapes a target each second, as the chart's ServiceMonitor has it scraped, and evaluates rules as often. It ends with the test.
func Start(t testing.TB, target *Target, rules []byte) *Server {
	t.Helper()
	directory := t.TempDir()
	write(t, filepath.Join(directory, "rules.yaml"), rules)
	config, err := yaml.Marshal(map[string]any{
		"global":     map[string]any{"scrape_interval": "1s", "scrape_timeout": "1s", "evaluation_interval": "1s"},
		"rule_files": []string{"rules.yaml"}, "scrape_configs": []any{target.config()},
	})
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(directory, "prometheus.yaml"), config)
	address := FreeAddress(t)
	server := exec.CommandContext(context.WithoutCancel(t.Context()), "prometheus", "--config.file=prometheus.yaml", "--storage.tsdb.path=data", "--web.listen-address="+address, "--log.level=warn")
	server.Dir, server.Stdout, server.Stderr = directory, t.Output(), t.Output()
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Signal(syscall.SIGTERM)
		_ = server.Wait() // it ends by the signal
	})
	s := &Server{address}
	await.Holds(t, func() error { return s.has(t.Context(), "up == 1") })
	return s
}

func write(t testing.TB, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// answer is what Prometheus' API says of a query. The client that Prometheus has for it would bring three more modules.
type answer struct {
	Error string `json:"error"`
	Data  struct {
		Result model.Vector `json:"result"`
	} `json:"data"`
}

// ask asks for what an expression gives now.
func (s *Server) ask(ctx context.Context, expression string) (model.Vector, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.address+"/api/v1/query?query="+url.QueryEscape(expression), nil)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	var a answer
	if err := json.NewDecoder(response.Body).Decode(&a); err != nil {
		return nil, err
	}
	if a.Error != "" {
		return nil, errors.New(a.Error)
	}
	return a.Data.Result, nil
}

// Now returns what an expression gives now, series with NaN left out.
func (s *Server) Now(ctx context.Context, expression string) (model.Vector, error) {
	vector, err := s.ask(ctx, expression)
	if err != nil {
		return nil, fmt.Errorf("query %s: %w", expression, err)
	}
	var numbers model.Vector
	for _, sample := range vector {
		if !math.IsNaN(float64(sample.Value)) {
			numbers = append(numbers, sample)
		}
	}
	return numbers, nil
}

// has returns an error if an expression gives nothing.
func (s *Server) has(ctx context.Context, expression string) error {
	found, err := s.Now(ctx, expression)
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("%s gives nothing", expression)
	}
	return err
}

// Gives waits until an expression gives something.
func (s *Server) Gives(t testing.TB, expression string) {
	t.Helper()
	await.Holds(t, func() error { return s.has(t.Context(), expression) })
}
