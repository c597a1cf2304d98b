package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/storagebench/storagebench/hack/images/internal/loopback"
)

// The scripts of hack/release are what the workflow of a release consists of. Here their registry is on loopback, and cosign and gh
// are stand-ins that write down what they are asked to do.

const (
	scripts = "../release/"
	version = "0.1.0"
)

// script runs a script of hack/release, with stand-ins first in PATH.
func script(t *testing.T, stands string, env []string, args ...string) (string, error) {
	t.Helper()
	args[0] = scripts + args[0]
	cmd := exec.CommandContext(t.Context(), "bash", args...)
	cmd.Env = append(append(os.Environ(), "PATH="+stands+":"+os.Getenv("PATH"), "CALLS="+filepath.Join(stands, "calls")), env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// standIns makes programs that write their arguments into the file of their calls, and then do what their text says.
func standIns(t *testing.T, texts map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for program, text := range texts {
		text = "#!/bin/bash\necho \"${0##*/} $*\" >>\"$CALLS\"\n" + text
		if err := os.WriteFile(filepath.Join(dir, program), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// calls returns what stand-ins were asked to do since the last time.
func calls(t *testing.T, stands string) []string {
	t.Helper()
	file := filepath.Join(stands, "calls")
	text, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	if err := os.RemoveAll(file); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// release makes a release of small images: what release.sh does, without the builds.
func release(t *testing.T) string {
	t.Helper()
	layouts, out := t.TempDir(), t.TempDir()
	for _, name := range names {
		for architecture := range machines {
			smallLayout(t, filepath.Join(layouts, architecture, name), architecture)
		}
	}
	if err := (options{layouts: layouts, repository: "ghcr.io/storagebench", version: version, out: out}).run(); err != nil {
		t.Fatal(err)
	}
	helm := exec.CommandContext(t.Context(), "../helm.sh", "package", "../../charts/storagebench", "--destination", out)
	if text, err := helm.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	sum(t, out)
	return out
}

func smallLayout(t *testing.T, dir, architecture string) {
	t.Helper()
	image, err := random.Image(100, 1)
	if err != nil {
		t.Fatal(err)
	}
	config, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	config.OS, config.Architecture = "linux", architecture
	if image, err = mutate.ConfigFile(image, config); err != nil {
		t.Fatal(err)
	}
	path, err := layout.Write(dir, empty.Index)
	if err != nil {
		t.Fatal(err)
	}
	if err := path.AppendImage(image); err != nil {
		t.Fatal(err)
	}
}

// sum writes SHA256SUMS.
func sum(t *testing.T, dir string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "bash", "-c", "rm -f SHA256SUMS && sha256sum -- * >../SHA256SUMS && mv ../SHA256SUMS .")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// listed returns the digest of each image in images.txt.
func listed(t *testing.T, dir string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "images.txt"))
	if err != nil {
		t.Fatal(err)
	}
	digests := map[string]string{}
	for line := range strings.Lines(string(text)) {
		_, image, _ := strings.Cut(strings.TrimSpace(line), "/storagebench/")
		tag, digest, _ := strings.Cut(image, "@")
		digests[strings.TrimSuffix(tag, ":"+version)] = digest
	}
	return digests
}

// published returns what a registry has under a tag.
func published(t *testing.T, key loopback.Key, reference string) *remote.Descriptor {
	t.Helper()
	tag, err := name.NewTag(reference)
	if err != nil {
		t.Fatal(err)
	}
	there, err := remote.Get(tag, remote.WithAuthFromKeychain(key))
	if err != nil {
		t.Fatal(err)
	}
	return there
}

func TestPublish(t *testing.T) {
	key := loopback.Key{Username: "somebody", Password: "secret"}
	repository := loopback.Registry(t, key) + "/storagebench"
	env := []string{"REGISTRY_USER=" + key.Username, "REGISTRY_TOKEN=" + key.Password}
	stands := standIns(t, map[string]string{"cosign": ""})
	dir := release(t)

	for range 2 { // the second time all is there
		if out, err := script(t, stands, env, "registry.sh", "--sign", dir, repository); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		var want []string
		for _, image := range names {
			there := published(t, key, repository+"/"+image+":"+version)
			if digest := listed(t, dir)[image]; there.Digest.String() != digest {
				t.Errorf("%s is published as %s, and images.txt has %s", image, there.Digest, digest)
			}
			want = append(want, "cosign sign --yes --recursive "+repository+"/"+image+"@"+there.Digest.String())
			want = append(want, attestations(t, there, dir, repository, image)...)
		}
		chart := published(t, key, repository+"/charts/storagebench:"+version)
		holdsChart(t, chart, filepath.Join(dir, "storagebench-"+version+".tgz"))
		want = append(want, "cosign sign --yes "+repository+"/charts/storagebench@"+chart.Digest.String(),
			"cosign sign-blob --yes --bundle "+dir+"/SHA256SUMS.sigstore.json "+dir+"/SHA256SUMS")
		if diff := cmp.Diff(want, calls(t, stands)); diff != "" {
			t.Errorf("calls of cosign (-want +got): %s", diff)
		}
	}
	if out, err := script(t, stands, env, "registry.sh", dir, repository+"/unsigned"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if got := calls(t, stands); got[0] != "" {
		t.Errorf("unasked, cosign was called: %q", got)
	}
	refusals(t, key, stands, env, dir, repository)
}

// attestations returns the calls by which each platform of an image gets its bill of materials.
func attestations(t *testing.T, there *remote.Descriptor, dir, repository, image string) []string {
	t.Helper()
	index, err := there.ImageIndex()
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for i, architecture := range []string{"amd64", "arm64"} {
		platform := manifest.Manifests[i]
		if platform.Platform.String() != "linux/"+architecture {
			t.Errorf("platform %d of %s is %s, want linux/%s", i, image, platform.Platform, architecture)
		}
		bill := fmt.Sprintf("%s/storagebench-%s-%s-%s.cdx.json", dir, image, version, architecture)
		if _, err := os.Stat(bill); err != nil {
			t.Error(err)
		}
		want = append(want, fmt.Sprintf("cosign attest --yes --type cyclonedx --predicate %s %s/%s@%s", bill, repository, image, platform.Digest))
	}
	return want
}

func holdsChart(t *testing.T, there *remote.Descriptor, file string) {
	t.Helper()
	chart, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := v1.ParseManifest(strings.NewReader(string(there.Manifest)))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := manifest.Layers[0].Digest.Hex, fmt.Sprintf("%x", sha256.Sum256(chart)); got != want {
		t.Errorf("the registry has chart %s, want %s", got, want)
	}
}

// What is published is not replaced, and what was changed since it was made is not published.
func refusals(t *testing.T, key loopback.Key, stands string, env []string, dir, repository string) {
	t.Helper()
	before := published(t, key, repository+"/charts/storagebench:"+version).Digest
	for what, test := range map[string]struct {
		change func(dir string)
		env    []string
		want   string
	}{
		"another image":    {func(dir string) { copyAll(t, release(t), dir) }, env, "/operator:0.1.0 is sha256:"},
		"another chart":    {func(dir string) { add(t, dir, "storagebench-"+version+".tgz"); sum(t, dir) }, env, "is another chart already"},
		"a changed file":   {func(dir string) { add(t, dir, "images.txt") }, env, "run it again"},
		"a wrong password": {func(string) {}, []string{env[0], "REGISTRY_TOKEN=guess"}, "401"},
	} {
		changed := t.TempDir()
		copyAll(t, dir, changed)
		test.change(changed)
		out, err := script(t, stands, test.env, "registry.sh", changed, repository)
		if err == nil || !strings.Contains(out, test.want) {
			t.Errorf("%s: %v, and %q, want a failure with %q", what, err, out, test.want)
		}
	}
	for _, image := range names {
		if there := published(t, key, repository+"/"+image+":"+version).Digest.String(); there != listed(t, dir)[image] {
			t.Errorf("%s was replaced by %s", image, there)
		}
	}
	if after := published(t, key, repository+"/charts/storagebench:"+version).Digest; after != before {
		t.Errorf("the chart was replaced by %s", after)
	}
}

func copyAll(t *testing.T, from, to string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), "cp", "--recursive", from+"/.", to).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

func add(t *testing.T, dir, file string) {
	t.Helper()
	out, err := os.OpenFile(filepath.Join(dir, file), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if _, err := out.WriteString("more\n"); err != nil {
		t.Fatal(err)
	}
}

func TestCheck(t *testing.T) {
	const ours = "GITHUB_REPOSITORY=storagebench/storagebench"
	for name, test := range map[string]struct {
		repository, tag string
		want            []string // nothing: passes
	}{
		"ours":        {ours, "v" + version, nil},
		"another tag": {ours, "v9.9.9", []string{"version of charts/storagebench/Chart.yaml is 0.1.0: set it to 9.9.9, or tag v0.1.0", "appVersion of"}},
		"no v":        {ours, version, []string{"tag 0.1.0, but version of"}},
		"a fork": {"GITHUB_REPOSITORY=Somebody/fork", "v" + version, []string{
			"ghcr.io/storagebench/operator, but images are published in ghcr.io/somebody: set it to ghcr.io/somebody/operator",
			"set it to ghcr.io/somebody/runner", "set HOMEPAGE of hack/plugin.sh to https://github.com/Somebody/fork",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := script(t, t.TempDir(), []string{test.repository}, "check.sh", test.tag)
			if (err == nil) != (test.want == nil) {
				t.Errorf("%v: %s", err, out)
			}
			for _, want := range test.want {
				if !strings.Contains(out, want) {
					t.Errorf("printed %q, want %q in it", out, want)
				}
			}
		})
	}
}

func TestGitHubRelease(t *testing.T) {
	dir := t.TempDir()
	for file, text := range map[string]string{"images.txt": "ghcr.io/storagebench/operator:0.1.0@sha256:1\n", "SHA256SUMS": "sums\n"} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	list := `gh release list --limit 1000 --json tagName,isDraft --jq .[] | select(.tagName == "v0.1.0") | .isDraft`
	create := "gh release create v0.1.0 --verify-tag --title storagebench 0.1.0 --notes-file - " + dir + "/SHA256SUMS " + dir + "/images.txt"
	download := "gh release download v0.1.0 --pattern SHA256SUMS --output -"
	for name, test := range map[string]struct {
		draft, sums string
		want        []string
		prints      string
	}{
		"none yet":             {"", "", []string{list, create}, "oci://ghcr.io/storagebench/charts/storagebench --version 0.1.0"},
		"cut off":              {"true", "", []string{list, "gh release delete v0.1.0 --yes", create}, "releases/download/v0.1.0/storagebench.yaml"},
		"released":             {"false", "sums", []string{list, download}, "v0.1.0 is released already"},
		"released, other sums": {"false", "others", []string{list, download}, "v0.1.0 is released with other files"},
	} {
		t.Run(name, func(t *testing.T) {
			stands := standIns(t, map[string]string{"gh": `case "$2" in list) echo "$DRAFT";; download) echo "$SUMS";; create) cat;; esac`})
			env := []string{"GITHUB_REPOSITORY=storagebench/storagebench", "DRAFT=" + test.draft, "SUMS=" + test.sums}
			out, err := script(t, stands, env, "github.sh", "v0.1.0", dir)
			if fails := test.sums == "others"; (err != nil) != fails || !strings.Contains(out, test.prints) {
				t.Errorf("%v, and %q, want %q in it", err, out, test.prints)
			}
			if diff := cmp.Diff(test.want, calls(t, stands)); diff != "" {
				t.Errorf("calls of gh (-want +got): %s", diff)
			}
		})
	}
}
