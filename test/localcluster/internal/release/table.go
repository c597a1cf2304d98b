package release

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"github.com/opencontainers/go-digest"
)

//go:embed releases.txt
var published string

// An artifact is a published file that is a program, or an archive with one.
type artifact struct {
	Program
	arch string
	// mib is the size, rounded up.
	mib int64
	// digest is its algorithm, a colon and hexadecimal digits.
	digest string
	// address has a host first, and no scheme.
	address string
	// member of the archive; "" when the file is the program itself.
	member string
}

// find looks a program up. Lines that cannot be read are no builds: a test keeps them out.
func find(table string, program Program, arch string) (artifact, bool) {
	for line := range strings.Lines(table) {
		a, err := parseLine(line)
		if err == nil && a.Program == program && a.arch == arch {
			return a, true
		}
	}
	return artifact{}, false
}

func parseLine(line string) (artifact, error) {
	fields := strings.Fields(line)
	if len(fields) != 6 && len(fields) != 7 {
		return artifact{}, fmt.Errorf("%d fields, not 6 or 7", len(fields))
	}
	mib, err := strconv.ParseInt(fields[3], 10, 32)
	if err != nil || mib < 1 {
		return artifact{}, fmt.Errorf("%q is no size in MiB", fields[3])
	}
	if _, err := digest.Parse(fields[4]); err != nil {
		return artifact{}, fmt.Errorf("%q is no checksum: %w", fields[4], err)
	}
	a := artifact{Program: Program{fields[0], fields[1]}, arch: fields[2], mib: mib, digest: fields[4], address: fields[5]}
	if len(fields) == 7 {
		a.member = fields[6]
	}
	return a, nil
}

func (a artifact) host() string {
	host, _, _ := strings.Cut(a.address, "/")
	return host
}

// stored is the program's name in the store. Another checksum is another file.
func (a artifact) stored() string {
	_, sum, _ := strings.Cut(a.digest, ":")
	return a.Name + "-" + a.Version + "-" + sum[:16]
}
