package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/storagebench/storagebench/test/localcluster/internal/image"
)

func imageCommand() *cobra.Command {
	var spec image.Spec
	var out string
	var files []string
	cmd := &cobra.Command{
		Use:   "image --name NAME --out FILE.tar --entrypoint PROGRAM",
		Short: "Make an image tarball from files of this machine",
		Example: `  localcluster image --name storagebench/runner:dev --out runner.tar \
    --file bin/runner=/runner --tree fio-3.39-1 --entrypoint /runner --user 65532:65532`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			var err error
			if spec.Files, err = parseFiles(files); err != nil {
				return err
			}
			return image.Write(spec, out)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&spec.Name, "name", "", "name and tag of the image")
	flags.StringVar(&out, "out", "", "tarball to write")
	flags.StringArrayVar(&files, "file", nil, "SRC=DST: copy a file into the image (repeatable)")
	flags.BoolVar(&spec.Bare, "bare", false, "without /tmp and users root and nonroot")
	flags.StringVar(&spec.Tree, "tree", "", "directory whose content goes into the image")
	flags.StringArrayVar(&spec.Programs, "program", nil, "copy a program with all libraries it needs to the same path (repeatable)")
	flags.StringArrayVar(&spec.Entrypoint, "entrypoint", nil, "program to run, and its first arguments (repeatable)")
	flags.StringVar(&spec.User, "user", "65532:65532", "UID:GID to run as")
	for _, required := range []string{"name", "out", "entrypoint"} {
		cobra.CheckErr(cmd.MarkFlagRequired(required))
	}
	return cmd
}

func parseFiles(values []string) (map[string]string, error) {
	files := map[string]string{}
	for _, value := range values {
		src, dst, ok := strings.Cut(value, "=")
		if !ok || src == "" || dst == "" {
			return nil, fmt.Errorf("--file %q is not SRC=DST", value)
		}
		if _, twice := files[dst]; twice {
			return nil, fmt.Errorf("--file gives %s twice", dst)
		}
		files[dst] = src
	}
	return files, nil
}
