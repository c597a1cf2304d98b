package plugin

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"sigs.k8s.io/yaml"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/fiooutput"
)

func newArtifactsCommand(flags *genericclioptions.ConfigFlags) *cobra.Command {
	var directory string
	cmd := &cobra.Command{
		Use:   "artifacts NAME [RUN]",
		Short: "Write fio's full output of each run and client into files",
		Long: `Write what is kept of a StorageBenchmark into files: the resource itself, and for each run a directory with fio's log
(fio.log), fio's JSON (fio.json), what the run did over its time (series.json), and of several clients what each has measured (clients.json). Files of the
same names are replaced.`,
		Args:              cobra.RangeArgs(1, 2),
		ValidArgsFunction: completeNamesAndRuns(flags),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := connect(flags)
			if err != nil {
				return err
			}
			benchmark, err := c.benchmark(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			runs := benchmark.Status.Runs
			if len(args) == 2 {
				run, err := findRun(benchmark, args[1])
				if err != nil {
					return err
				}
				runs = []v1alpha1.Run{*run}
			}
			if directory == "" {
				directory = benchmark.Name
			}
			return c.writeArtifacts(cmd, benchmark, runs, directory)
		},
	}
	cmd.Flags().StringVarP(&directory, "directory", "d", "", "where to write (default: a directory with the benchmark's name)")
	cobra.CheckErr(cmd.MarkFlagDirname("directory"))
	return cmd
}

// writeArtifacts writes the files below a directory, and prints their names.
func (c *cluster) writeArtifacts(cmd *cobra.Command, benchmark *v1alpha1.StorageBenchmark, runs []v1alpha1.Run, directory string) error {
	if err := os.MkdirAll(directory, 0o755); err != nil {
		return err
	}
	// Names come from the cluster: they must not lead out of the directory.
	root, err := os.OpenRoot(directory)
	if err != nil {
		return err
	}
	defer root.Close()
	write := func(name string, content []byte) error {
		if err := root.Mkdir(path.Dir(name), 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		fmt.Fprintln(cmd.OutOrStdout(), filepath.Join(directory, name))
		return root.WriteFile(name, content, 0o644)
	}
	text, err := resourceText(benchmark)
	if err != nil {
		return err
	}
	if err := write("storagebenchmark.yaml", text); err != nil {
		return err
	}
	for i := range runs {
		files, err := c.kept(cmd.Context(), &runs[i])
		if err != nil {
			return err
		}
		for _, file := range withJSON(files) {
			if err := write(path.Join(runs[i].Name, file.name), file.content); err != nil {
				return err
			}
		}
	}
	return nil
}

// resourceText returns the resource as a file, without what only the API server needs.
func resourceText(benchmark *v1alpha1.StorageBenchmark) ([]byte, error) {
	benchmark = benchmark.DeepCopy()
	benchmark.TypeMeta, benchmark.ManagedFields = benchmarkType, nil
	return yaml.Marshal(benchmark)
}

// withJSON adds to each log that has it the JSON that fio printed: the last document, as of several each has all that the one before had.
func withJSON(files []keptFile) []keptFile {
	var all []keptFile
	for _, file := range files {
		all = append(all, file)
		documents := fiooutput.Documents(file.content)
		if !file.isLog() || len(documents) == 0 {
			continue
		}
		var indented bytes.Buffer
		if err := json.Indent(&indented, documents[len(documents)-1], "", "  "); err == nil {
			all = append(all, keptFile{strings.TrimSuffix(file.name, ".log") + ".json", indented.Bytes()})
		}
	}
	return all
}
