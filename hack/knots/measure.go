package main

import (
	"go/ast"
	"go/types"
	"path/filepath"
	"slices"
)

// cycle returns the names of the files of the largest set in which each refers to each other one, directly or through others.
// A package without such files has none.
func (c *checked) cycle() []string {
	references := map[string][]string{}
	for _, file := range c.files {
		references[c.nameOf(file)] = c.refersTo(file)
	}
	reached := map[string]map[string]bool{}
	for file := range references {
		reached[file] = map[string]bool{}
		follow(references, file, reached[file])
	}
	var largest []string
	for file := range references {
		cycle := []string{file}
		for other := range reached[file] {
			if other != file && reached[other][file] {
				cycle = append(cycle, other)
			}
		}
		if len(cycle) > max(1, len(largest)) {
			largest = cycle
		}
	}
	slices.Sort(largest)
	return largest
}

// follow adds to those that were reached what a file refers to, and what these refer to.
func follow(references map[string][]string, file string, reached map[string]bool) {
	for _, next := range references[file] {
		if !reached[next] {
			reached[next] = true
			follow(references, next, reached)
		}
	}
}

// refersTo returns the files of the package that declare what a file uses.
func (c *checked) refersTo(file *ast.File) []string {
	var names []string
	ast.Inspect(file, func(node ast.Node) bool {
		identifier, is := node.(*ast.Ident)
		if !is {
			return true
		}
		if object := c.info.Uses[identifier]; object != nil && object.Pkg() == c.types && !isLocal(object) {
			names = append(names, filepath.Base(c.fset.Position(object.Pos()).Filename))
		}
		return true
	})
	return names
}

// isLocal reports whether an object is declared in a function, and so belongs to the file that uses it.
func isLocal(object types.Object) bool {
	return object.Parent() != nil && object.Parent() != object.Pkg().Scope()
}

func (c *checked) nameOf(file *ast.File) string {
	return filepath.Base(c.fset.Position(file.Package).Filename)
}

// methods returns the size of the largest method set of a pointer to a type of the package, and the type's name.
func (c *checked) methods() (most int, of string) {
	for _, name := range c.types.Scope().Names() {
		declared, is := c.types.Scope().Lookup(name).(*types.TypeName)
		if !is || declared.IsAlias() || types.IsInterface(declared.Type()) {
			continue
		}
		if size := types.NewMethodSet(types.NewPointer(declared.Type())).Len(); size > most {
			most, of = size, name
		}
	}
	return most, of
}
