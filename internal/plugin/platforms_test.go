package plugin

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The runner needs Linux, and the plugin is released for other systems too: there, nothing of it may depend on the
// runner.
func TestPluginNeedsNoLinux(t *testing.T) {
	t.Parallel()
	for _, system := range []string{"darwin", "windows"} {
		list := exec.CommandContext(t.Context(), "go", "list", "-deps", ".")
		list.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
		out, err := list.Output()
		if err != nil {
			t.Fatalf("%s: %v", system, err)
		}
		for name := range strings.Lines(string(out)) {
			if strings.HasSuffix(strings.TrimSpace(name), "/internal/runner") {
				t.Errorf("on %s the plugin depends on %s", system, name)
			}
		}
	}
}
