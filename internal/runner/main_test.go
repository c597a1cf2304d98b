package runner

import (
	"fmt"
	"os"
	"testing"

	"github.com/storagebench/storagebench/test/await"
)

func TestMain(m *testing.M) {
	if err := await.SideBySide(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}
