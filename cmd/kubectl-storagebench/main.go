// Command kubectl-storagebench is a kubectl plugin that makes StorageBenchmarks, follows them and shows their results.
package main

import (
	"os"

	"github.com/storagebench/storagebench/internal/plugin"
)

// version is set by the linker: -ldflags "-X main.version=...".
var version = "dev"

func main() {
	os.Exit(plugin.Run(version))
}
