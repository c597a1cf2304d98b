//go:build e2e

package e2e

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/test/docs/console"
)

const (
	repositoryRoot = "../.."
	// commandTimeout is how long a command of a page may take.
	commandTimeout = 2 * time.Minute
)

// TestDocs runs the commands of pages, as far as these mark them (test/docs/console), each page in a namespace of its own and in a
// directory that has config as the root of the repository has it. They must end with exit code 0 and print what the page shows, but for
// figures, and leave nothing in the namespace. With STORAGEBENCH_UPDATE_DOCS=1 figures of the pages become those that were printed.
func TestDocs(t *testing.T) {
	ownNode(t, load(figures), budget(8*time.Minute)) // some pages show verdicts, and may be played again
	pages := pagesThatRun(t)
	if len(pages) == 0 {
		t.Fatal("no page has commands that are run")
	}
	plugin := buildPlugin(t)
	for _, page := range pages {
		t.Run(filepath.Base(page), func(t *testing.T) { playPage(t, page, plugin) })
	}
}

// playPage runs a page's commands, with the plugin of a directory. Figures decide about some words, such as what limited a run: a page whose commands end well
// and print others is played again, as figures are measured again.
func playPage(t *testing.T, page, plugin string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; ; n++ {
		before := processors(t)
		updated, err := playOnce(t, string(text), plugin)
		if err == nil {
			if os.Getenv("STORAGEBENCH_UPDATE_DOCS") == "1" {
				err = os.WriteFile(page, []byte(updated), 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
			return
		}
		t.Logf("try %d of %d, in which the machine was without its processors for %.1f s of theirs", n, tries, processors(t).Steal-before.Steal)
		if n == tries || !errors.Is(err, console.ErrDiffers) {
			t.Fatalf("%s: %v", page, err)
		}
		t.Logf("%s: %v", page, err)
	}
}

// playOnce runs a page's commands in a namespace of their own, which they must leave empty.
func playOnce(t *testing.T, page, plugin string) (updated string, err error) {
	t.Helper()
	own := newNamespace(t).Name
	player := console.Player{
		Directory: workDirectory(t),
		Env:       append(os.Environ(), "KUBECONFIG="+kubeconfigFor(t, own), "PATH="+plugin+":"+os.Getenv("PATH")),
		Timeout:   commandTimeout, Log: t.Logf,
	}
	if updated, err = player.Play(bounded(t), page); err != nil {
		removeAll(t, own)
		return "", err
	}
	for _, list := range []client.ObjectList{&v1alpha1.StorageBenchmarkList{}, &corev1.PersistentVolumeClaimList{}, &corev1.PodList{}} {
		if err := k8s.List(t.Context(), list, client.InNamespace(own)); err != nil {
			t.Fatal(err)
		}
		if n := meta.LenList(list); n > 0 {
			t.Errorf("%d objects are left in %T", n, list)
		}
	}
	return updated, nil
}

// removeAll removes the benchmarks of a namespace, of a page whose commands ended before they did.
func removeAll(t *testing.T, namespace string) {
	t.Helper()
	var left v1alpha1.StorageBenchmarkList
	if err := k8s.List(context.WithoutCancel(t.Context()), &left, client.InNamespace(namespace)); err != nil {
		t.Fatal(err)
	}
	for i := range left.Items {
		remove(t, &left.Items[i])
	}
}

// pagesThatRun returns the paths of the pages that have commands that are run.
func pagesThatRun(t *testing.T) []string {
	t.Helper()
	pages := []string{filepath.Join(repositoryRoot, "README.md")}
	err := filepath.WalkDir(filepath.Join(repositoryRoot, "docs"), func(path string, _ fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".md" {
			pages = append(pages, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var run []string
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		blocks, err := console.Blocks(string(text))
		if err != nil {
			t.Fatalf("%s: %v", page, err)
		}
		for _, block := range blocks {
			if block.Run {
				run = append(run, page)
				break
			}
		}
	}
	return run
}

// workDirectory returns a directory in which pages' commands find what they name of the repository, and may write.
func workDirectory(t *testing.T) string {
	t.Helper()
	directory := t.TempDir()
	config, err := filepath.Abs(filepath.Join(repositoryRoot, "config"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(config, filepath.Join(directory, "config")); err != nil {
		t.Fatal(err)
	}
	return directory
}

// kubeconfigFor returns the path of the tests' kubeconfig with another namespace.
func kubeconfigFor(t *testing.T, namespace string) string {
	t.Helper()
	config, err := clientcmd.NewDefaultClientConfigLoadingRules().Load()
	if err != nil {
		t.Fatal(err)
	}
	current, ok := config.Contexts[config.CurrentContext]
	if !ok {
		t.Fatalf("the kubeconfig has no context %q", config.CurrentContext)
	}
	current.Namespace = namespace
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		t.Fatal(err)
	}
	return path
}
