// Package hostile has the operator, as a process of its own with the memory that the chart gives it, meet what tenants
// with bad intentions can make, all of it at once. It must stay alive, stay within its memory, and serve an honest
// benchmark in another namespace.
package hostile

import (
	"testing"

	"github.com/storagebench/storagebench/test/envtest"
)

func TestMain(m *testing.M) { envtest.Main(m, envtest.WithManyLargeObjects) }
