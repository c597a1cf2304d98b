package scripts

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A localcluster of another commit may not know Helm, which is built without it then.
func TestHelmWithoutALocalclusterThatKnowsIt(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ localcluster, want string }{
		"one that knows it": {`dirname "$0"`, "helm of the cluster: version"},
		"one that does not": {`echo "no tool module builds helm" >&2; exit 1`, "/hack/tools/helm/go.mod helm version with"},
	} {
		root := t.TempDir()
		bin := filepath.Join(root, ".cluster", "bin")
		if err := os.MkdirAll(filepath.Dir(bin), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(fake(t, map[string]string{"localcluster": test.localcluster, "helm": `echo "helm of the cluster: $*"`}), bin); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "hack", "helm.sh"))
		if err != nil {
			t.Fatal(err)
		}
		copied := filepath.Join(root, "hack", "helm.sh")
		if err := os.Mkdir(filepath.Dir(copied), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(copied, text, 0o700); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), copied, "version")
		cmd.Env = append(os.Environ(), fakeTools(t))
		if output, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(output), test.want) {
			t.Errorf("%s: %v\n%s", name, err, output)
		}
	}
}
