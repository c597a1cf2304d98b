package image

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"time"
)

// closure returns a program and every file the dynamic loader maps to start it.
func closure(program string) ([]string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	// ldd asks the loader itself, which knows the search path as nobody else does.
	out, err := exec.CommandContext(ctx, "ldd", program).Output()
	if err != nil {
		return nil, fmt.Errorf("ldd %s: %w", program, err)
	}
	libraries, err := parseLdd(string(out))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", program, err)
	}
	return append(libraries, program), nil
}

// library is in lines of the forms
//
//	linux-vdso.so.1 (0x…)                  which is in the kernel
//	libm.so.6 => /lib/libm.so.6 (0x…)
//	/lib64/ld-linux-x86-64.so.2 (0x…)
//	libgone.so.1 => not found
var library = regexp.MustCompile(`(/\S+) \(|(\S+) => not found`)

func parseLdd(out string) (libraries []string, err error) {
	for _, found := range library.FindAllStringSubmatch(out, -1) {
		if missing := found[2]; missing != "" {
			err = errors.Join(err, fmt.Errorf("library %s is not on this machine", missing))
			continue
		}
		libraries = append(libraries, found[1])
	}
	return libraries, err
}
