package plugin

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/humanize"
)

// maxShelved is how many files of directories, and how many benchmarks of a cluster, are listed.
const maxShelved = 1000

// library is where reports for the browser are read from.
type library interface {
	// all lists the benchmarks and schedules.
	all(ctx context.Context) (*shelf, error)
	// open returns the source of what has a name in a group.
	open(group, name string) (*source, error)
}

// shelf is what a library has.
type shelf struct {
	where, groupedBy string
	notes            []string
	benchmarks       []shelved[*v1alpha1.StorageBenchmark]
	schedules        []shelved[*v1alpha1.StorageBenchmarkSchedule]
}

// shelved is an object with its group: the namespace, or the file.
type shelved[T any] struct {
	group  string
	object T
}

// namespaces is a library of what is in a cluster.
type namespaces struct {
	cluster    *cluster
	everywhere bool
}

func (n *namespaces) all(ctx context.Context) (*shelf, error) {
	options := []client.ListOption{client.Limit(maxShelved)}
	where := "All namespaces of the cluster"
	if !n.everywhere {
		options = append(options, client.InNamespace(n.cluster.namespace))
		where = "Namespace " + n.cluster.namespace
	}
	found := &shelf{where: where, groupedBy: "Namespace"}
	var benchmarks v1alpha1.StorageBenchmarkList
	if err := n.cluster.List(ctx, &benchmarks, options...); err != nil {
		return nil, explainMissing(err)
	}
	for i := range benchmarks.Items {
		one := &benchmarks.Items[i]
		found.benchmarks = append(found.benchmarks, shelved[*v1alpha1.StorageBenchmark]{one.Namespace, one})
	}
	if benchmarks.Continue != "" {
		found.notes = append(found.notes, fmt.Sprintf("There are more than %d StorageBenchmarks: the first ones are listed", maxShelved))
	}
	var schedules v1alpha1.StorageBenchmarkScheduleList
	switch err := n.cluster.List(ctx, &schedules, options...); {
	case apierrors.IsForbidden(err):
		found.notes = append(found.notes, "Schedules are not listed: you have no right to list them")
	case err != nil:
		return nil, err
	}
	for i := range schedules.Items {
		one := &schedules.Items[i]
		found.schedules = append(found.schedules, shelved[*v1alpha1.StorageBenchmarkSchedule]{one.Namespace, one})
	}
	return found, nil
}

func (n *namespaces) open(group, _ string) (*source, error) {
	if !n.everywhere && group != n.cluster.namespace {
		return nil, apierrors.NewNotFound(schema.GroupResource{Resource: "namespace"}, group)
	}
	return &source{from: n.cluster.from, namespace: group, inflatable: maxInflated}, nil
}

// folder is a library of files, which are read anew for each page. Only files that the listing names can be opened.
type folder struct {
	cmd   *cobra.Command
	paths []string
}

// files returns the regular files of results, those of directories too, and notes about what was left out. Links in a
// directory are not followed: they may lead out of it.
func (f *folder) files() (files, notes []string, err error) {
	for _, path := range f.paths {
		root, err := filepath.EvalSymlinks(path)
		if err != nil {
			return nil, nil, err
		}
		err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error { //nolint:gosec // the user has named it
			switch {
			case err != nil && path == root:
				return err
			case err != nil:
				notes = append(notes, "Not read: "+humanize.Line(err.Error()))
				return fs.SkipDir
			case !entry.Type().IsRegular() || path != root && !isPath(filepath.Base(path)):
				return nil
			case len(files) == maxShelved:
				notes = append(notes, fmt.Sprintf("There are more than %d files: the first ones are listed", maxShelved))
				return fs.SkipAll
			}
			files = append(files, path)
			return nil
		})
		if err != nil {
			return nil, nil, err
		}
	}
	return files, notes, nil
}

func (f *folder) all(context.Context) (*shelf, error) {
	files, notes, err := f.files()
	if err != nil {
		return nil, err
	}
	found := &shelf{where: "Files of " + humanize.Few(f.paths, 3), groupedBy: "File", notes: notes}
	for _, path := range files {
		results, err := f.read(path)
		if err != nil {
			found.notes = append(found.notes, "Not read: "+humanize.Line(err.Error()))
			continue
		}
		for _, object := range results.objects {
			switch one := object.(type) {
			case *v1alpha1.StorageBenchmark:
				found.benchmarks = append(found.benchmarks, shelved[*v1alpha1.StorageBenchmark]{path, one})
			case *v1alpha1.StorageBenchmarkSchedule:
				found.schedules = append(found.schedules, shelved[*v1alpha1.StorageBenchmarkSchedule]{path, one})
			}
		}
	}
	if len(found.notes) > 5 {
		found.notes = append(found.notes[:5], fmt.Sprintf("and %d more files were not read", len(found.notes)-5))
	}
	return found, nil
}

func (f *folder) read(path string) (*saved, error) {
	var unknown storageOptions // what fio measured is not known
	return unknown.read(f.cmd, path)
}

func (f *folder) open(group, name string) (*source, error) {
	files, _, err := f.files()
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(group) == "" || !slices.Contains(files, group) {
		return nil, apierrors.NewNotFound(schema.GroupResource{Resource: "file"}, group)
	}
	results, err := f.read(group)
	if err != nil {
		return nil, err
	}
	return results.source(name), nil
}
