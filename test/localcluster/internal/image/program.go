package image

import (
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// closure returns a program and every file the dynamic loader maps to start it.
func closure(program string) ([]string, error) {
	dynamic, err := isDynamic(program)
	if err != nil || !dynamic {
		return []string{program}, err
	}
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

func isDynamic(program string) (bool, error) {
	file, err := elf.Open(program)
	if err != nil {
		return false, fmt.Errorf("%s: %w", program, err)
	}
	defer func() { _ = file.Close() }()
	for _, segment := range file.Progs {
		if segment.Type == elf.PT_INTERP {
			return true, nil
		}
	}
	return false, nil
}

// parseLdd reads lines of the forms
//
//	linux-vdso.so.1 (0x…)                  which is in the kernel
//	libm.so.6 => /lib/libm.so.6 (0x…)
//	/lib64/ld-linux-x86-64.so.2 (0x…)
//	libgone.so.1 => not found
func parseLdd(out string) ([]string, error) {
	var libraries []string
	var missing []error
	for line := range strings.Lines(out) {
		line = strings.TrimSpace(line)
		soname, found, ok := strings.Cut(line, " => ")
		if !ok {
			found = line
		}
		path, _, _ := strings.Cut(found, " (")
		switch {
		case path == "not found":
			missing = append(missing, fmt.Errorf("library %s is not on this machine", soname))
		case strings.HasPrefix(path, "/"):
			libraries = append(libraries, path)
		}
	}
	return libraries, errors.Join(missing...)
}
