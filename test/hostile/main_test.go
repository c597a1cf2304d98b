// Package hostile has the operator, as a process of its own with the memory that the chart gives it, meet what tenants
// with bad intentions can make, all of it at once. It must stay alive, stay within its memory, and serve an honest
// benchmark in another namespace.
package hostile

import (
	"fmt"
	"os"
	"testing"

	"github.com/storagebench/storagebench/test/envtest"
)

// garbage is how much of it the API server may have, in percent of what it needs: what is large and many is in its memory.
const garbage = "400"

func TestMain(m *testing.M) {
	if os.Getenv("GOGC") == "" {
		if err := os.Setenv("GOGC", garbage); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	envtest.Main(m, envtest.WithManyLargeObjects)
}
