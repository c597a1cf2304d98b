package cluster

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/storagebench/storagebench/test/localcluster/internal/host"
)

// preflight finds what will not work before anything is changed.
func (c *Cluster) preflight() error {
	if os.Geteuid() != 0 {
		return errors.New("a local cluster needs root: containers, mounts and loop devices do")
	}
	list, err := c.packages()
	if err != nil {
		return err
	}
	return errors.Join(checkPrograms(list), host.CheckControllers())
}

// packages returns the lists of Debian packages, which lie where cluster.mk reads them, too.
func (c *Cluster) packages() (string, error) {
	files := []string{"packages.txt"}
	for _, a := range c.addons {
		if a.packages != "" {
			files = append(files, a.packages)
		}
	}
	var all strings.Builder
	for _, file := range files {
		list, err := os.ReadFile(filepath.Join(c.root, "test", "localcluster", file))
		if err != nil {
			return "", err
		}
		all.Write(list)
	}
	return all.String(), nil
}

// checkPrograms names the Debian packages of missing programs. Each line of the
// list has a package and a program, or a file.
func checkPrograms(list string) error {
	var missing []string
	for line := range strings.Lines(list) {
		fields := strings.Fields(line)
		if len(fields) != 2 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		if !present(fields[1]) && !slices.Contains(missing, fields[0]) {
			missing = append(missing, fields[0])
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("missing programs; install the Debian packages: hack/debian-packages.sh %s", strings.Join(missing, " "))
}

func present(program string) bool {
	if filepath.IsAbs(program) {
		_, err := os.Stat(program)
		return err == nil
	}
	_, err := exec.LookPath(program)
	return err == nil
}
