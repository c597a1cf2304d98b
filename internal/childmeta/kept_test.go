package childmeta

import (
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// Each client's log has a key of its own, and no other key is taken for one.
func TestLogKeys(t *testing.T) {
	seen := map[string]bool{}
	for client := range int32(v1alpha1.MaxClients) {
		key := LogKey(client)
		if seen[key] || !IsLogKey(key) {
			t.Errorf("the key of client %d is %q: seen %t, a log's %t", client, key, seen[key], IsLogKey(key))
		}
		seen[key] = true
	}
	for client, want := range map[int32]string{0: "fio.log.gz", 1: "fio.client-1.log.gz", 99: "fio.client-99.log.gz"} {
		if got := LogKey(client); got != want {
			t.Errorf("client %d: %q, want %q", client, got, want)
		}
	}
	for _, key := range []string{
		"", ".envrc.gz", "envrc.log.gz", "fio.log", "fio.log.gz.gz", ".fio.log.gz", "fio.client-0.log.gz",
		"fio.client-01.log.gz",
		"fio.client-1000.log.gz", "fio.client-1.json.gz", "fio.log.gz\n", ClientsKey,
	} {
		if IsLogKey(key) {
			t.Errorf("%q is taken for the key of a log", key)
		}
	}
}
