package hostile

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/test/fakecluster"
)

// longLog is as much of a log as the operator reads. It compresses to less than is kept, so that all of it is read.
var longLog = func() []byte {
	var text bytes.Buffer
	r := rand.New(rand.NewPCG(1, 2))
	for text.Len() < 8<<20 {
		fmt.Fprintf(&text, "%s %d\n", strings.Repeat("fio: verify: bad magic header, wanted acca ", 4), r.IntN(1000))
	}
	return text.Bytes()
}()

// serveLogs is the part of all kubelets that has the logs of pods, which the API server asks them for.
func serveLogs(t *testing.T, c client.Client) {
	t.Helper()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text := []byte("log of " + r.URL.Path)
		if strings.Contains(r.URL.Path, "/logs-") && !r.URL.Query().Has("tailLines") {
			text = longLog
		}
		if limit, err := strconv.Atoi(r.URL.Query().Get("limitBytes")); err == nil && limit < len(text) {
			text = text[:limit]
		}
		_, _ = w.Write(text)
	}))
	t.Cleanup(server.Close)
	port := server.Listener.Addr().(*net.TCPAddr).Port
	for i := range fakecluster.Nodes {
		var node corev1.Node
		if err := c.Get(t.Context(), client.ObjectKey{Name: fakecluster.NodeOf(i)}, &node); err != nil {
			t.Fatal(err)
		}
		before := client.MergeFrom(node.DeepCopy())
		node.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: "127.0.0.1"}}
		node.Status.DaemonEndpoints.KubeletEndpoint.Port = int32(port)
		if err := c.Status().Patch(t.Context(), &node, before); err != nil {
			t.Fatal(err)
		}
	}
}
