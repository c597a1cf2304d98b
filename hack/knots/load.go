package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// checked is a package whose types are known.
type checked struct {
	path  string
	fset  *token.FileSet
	files []*ast.File
	types *types.Package
	info  *types.Info
}

// listed is what "go list" tells of a package.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
	DepOnly                 bool
}

// load reads the packages that the patterns name. It takes the types of what they import from Go's build cache.
func load(patterns ...string) ([]*checked, error) {
	command := exec.Command("go", append([]string{"list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,DepOnly", "--"}, patterns...)...)
	command.Stderr = os.Stderr
	output, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	var wanted []listed
	exports := map[string]string{}
	for decoder := json.NewDecoder(output); ; {
		var p listed
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, errors.Join(fmt.Errorf("read what go list prints: %w", err), command.Wait())
		}
		exports[p.ImportPath] = p.Export
		if !p.DepOnly {
			wanted = append(wanted, p)
		}
	}
	if err := command.Wait(); err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	fset := token.NewFileSet()
	imports := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	var all []*checked
	for _, p := range wanted {
		c, err := check(fset, imports, p)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// check parses a package without its tests, and finds out what each name in it refers to.
func check(fset *token.FileSet, imports types.Importer, of listed) (*checked, error) {
	c := &checked{path: of.ImportPath, fset: fset, info: &types.Info{Uses: map[*ast.Ident]types.Object{}}}
	for _, name := range of.GoFiles {
		file, err := parser.ParseFile(fset, filepath.Join(of.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		c.files = append(c.files, file)
	}
	var err error
	c.types, err = (&types.Config{Importer: imports}).Check(of.ImportPath, fset, c.files, c.info)
	return c, err
}
