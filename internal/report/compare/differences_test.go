package compare

import (
	"testing"

	"github.com/storagebench/storagebench/internal/storage"
)

func TestDefaultCapacity(t *testing.T) {
	if want := storage.DefaultCapacity.String(); defaultCapacity != want {
		t.Errorf("%s, want %s", defaultCapacity, want)
	}
}
