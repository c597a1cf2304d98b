package humanize

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// Plugin is what people type to run the plugin under kubectl. All texts have it.
const Plugin = "kubectl storagebench"

// Program is what people type to run this program: storagebench if it was started under that name, else Plugin.
var Program = sync.OnceValue(func() string { return programOf(os.Args[0]) })

func programOf(path string) string {
	const alone = "storagebench"
	if base := filepath.Base(path); strings.TrimSuffix(base, ".exe") == alone {
		return alone
	}
	return Plugin
}

// Typed returns a text in which commands begin as people type them here.
func Typed(text string) string { return strings.ReplaceAll(text, Plugin, Program()) }
