package hostile

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/yaml"

	"github.com/storagebench/storagebench/test/envtest"
)

// process is an operator in a process of its own.
type process struct {
	pid    int
	probe  string
	ended  chan struct{}
	end    func()
	output lockedBuffer
}

// buildOperator returns the path of the operator's program.
func buildOperator(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "manager")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-o", program, "../../cmd/manager").CombinedOutput(); err != nil {
		t.Fatalf("build the operator: %v\n%s", err, out)
	}
	return program
}

// startOperator starts an operator with its rights, and with the environment that the chart gives it.
func startOperator(t *testing.T, program string, memory int64) *process {
	t.Helper()
	p := &process{probe: freeAddress(t), ended: make(chan struct{})}
	ctx, cancel := context.WithCancel(context.Background())
	p.end = func() {
		cancel()
		<-p.ended
	}
	cmd := exec.CommandContext(ctx, program, "--runner-image=runner:test", "--health-probe-bind-address="+p.probe)
	cmd.Env = append(slices.DeleteFunc(os.Environ(), isGoSetting), "KUBECONFIG="+operatorKubeconfig(t, filepath.Dir(program)), fmt.Sprintf("GOMEMLIMIT=%d", memory))
	cmd.Stdout, cmd.Stderr = &p.output, &p.output
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p.pid = cmd.Process.Pid
	go func() {
		defer close(p.ended)
		_ = cmd.Wait()
	}()
	t.Cleanup(func() {
		p.end()
		if t.Failed() {
			t.Logf("the operator's last words:\n%s", p.output.tail(4096))
		}
	})
	return p
}

// isGoSetting says whether a variable changes how Go collects garbage, as those that the API server of tests has.
func isGoSetting(variable string) bool {
	return strings.HasPrefix(variable, "GOGC=") || strings.HasPrefix(variable, "GOMEMLIMIT=")
}

// operatorKubeconfig writes a kubeconfig for somebody with the operator's rights.
func operatorKubeconfig(t *testing.T, directory string) string {
	t.Helper()
	config, err := clientcmd.LoadFromFile(envtest.Kubeconfig(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, user := range config.AuthInfos {
		user.Token = envtest.OperatorConfig(t).BearerToken
	}
	path := filepath.Join(directory, "operator.kubeconfig")
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		t.Fatal(err)
	}
	return path
}

func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// check fails the test if the operator has ended.
func (p *process) check(t *testing.T) {
	t.Helper()
	select {
	case <-p.ended:
		t.Fatalf("the operator has ended:\n%s", p.output.tail(4096))
	default:
	}
}

// isWell asks the operator what its kubelet asks.
func (p *process) isWell(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+p.probe+"/healthz", http.NoBody)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("/healthz answers %s", response.Status)
	}
	return nil
}

// mostMemory returns the most bytes that the operator has had in memory since forgetMost. It counts the pages of the program, too,
// which a node that is short of memory takes back: what its kubelet ends the operator for is less.
func (p *process) mostMemory(t *testing.T) int64 {
	t.Helper()
	p.check(t)
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == "VmHWM:" {
			kib, err := strconv.ParseInt(fields[1], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return kib << 10
		}
	}
	t.Fatalf("/proc has no VmHWM:\n%s", text)
	return 0
}

// forgetMost has the kernel count the most from now on.
func (p *process) forgetMost(t *testing.T) {
	t.Helper()
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", p.pid), []byte("5"), 0); err != nil {
		t.Fatal(err)
	}
}

// memoryLimit returns the memory that the chart gives the operator.
func memoryLimit(t *testing.T) int64 {
	t.Helper()
	text, err := os.ReadFile("../../charts/storagebench/values.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var values struct {
		Resources struct {
			Limits struct {
				Memory resource.Quantity `json:"memory"`
			} `json:"limits"`
		} `json:"resources"`
	}
	if err := yaml.Unmarshal(text, &values); err != nil || values.Resources.Limits.Memory.IsZero() {
		t.Fatalf("values.yaml has no resources.limits.memory: %v", err)
	}
	return values.Resources.Limits.Memory.Value()
}

// lockedBuffer keeps the last of what is written to it.
type lockedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.text.Len() > 4<<20 {
		b.text.Reset()
	}
	return b.text.Write(p)
}

func (b *lockedBuffer) tail(n int) []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	text := b.text.Bytes()
	return slices.Clone(text[max(0, len(text)-n):])
}

// watchHealth asks how the operator is, as often as its kubelet or more often, until the context ends. It returns for how long
// the operator has not answered at the worst.
func (p *process) watchHealth(ctx context.Context) time.Duration {
	var worst time.Duration
	last := time.Now()
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		probe, cancel := context.WithTimeout(ctx, time.Second)
		if p.isWell(probe) == nil {
			last = time.Now()
		}
		cancel()
		if ctx.Err() != nil {
			return worst
		}
		worst = max(worst, time.Since(last))
		select {
		case <-ctx.Done():
			return worst
		case <-ticker.C:
		}
	}
}
