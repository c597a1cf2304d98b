package s3programs

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestFindCargo(t *testing.T) {
	elsewhere, inPath := t.TempDir(), t.TempDir()
	program := func(path string) string {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	want := func(want string, wantErr error) {
		t.Helper()
		if got, err := findCargo(); got != want || !errors.Is(err, wantErr) {
			t.Errorf("cargo is %q, error %v, want %q and %v", got, err, want, wantErr)
		}
	}
	t.Setenv("PATH", inPath)
	t.Setenv("HOME", elsewhere)
	t.Setenv("CARGO_HOME", "")
	want("", errNoCargo)
	rustups := program(filepath.Join(elsewhere, ".cargo", "bin", "cargo"))
	want(rustups, nil)
	t.Setenv("CARGO_HOME", filepath.Join(elsewhere, "cargo"))
	want("", errNoCargo)
	own := program(filepath.Join(elsewhere, "cargo", "bin", "cargo"))
	want(own, nil)
	first := program(filepath.Join(inPath, "cargo"))
	want(first, nil)
}
