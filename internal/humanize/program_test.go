package humanize

import "testing"

func TestProgramOf(t *testing.T) {
	for path, want := range map[string]string{
		"/usr/local/bin/storagebench": "storagebench", "storagebench": "storagebench", "bin/storagebench.exe": "storagebench",
		"/usr/local/bin/kubectl-storagebench": Plugin, "plugin.test": Plugin, "": Plugin,
	} {
		if got := programOf(path); got != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
}
