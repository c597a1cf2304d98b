// Command awsshapes prints what AWS's service models say of the values that storagebench has CSI drivers send to AWS:
// awsshapes WHEEL. The wheel is botocore's, which has the models of all services.
package main

import (
	"archive/zip"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
)

// wanted are the shapes by service. A shape is what a model calls the type of a value.
var wanted = []struct {
	service string
	shapes  []string
}{
	{"account", []string{"RegionName"}},
	{"ec2", []string{"VolumeType"}},
	{"efs", []string{"AccessPointId", "FileSystemId", "Gid", "Path", "Permissions", "Uid"}},
	{"resourcegroupstaggingapi", []string{"TagKey", "TagValue"}},
	{"s3", []string{"BucketLocationConstraint", "ObjectKey", "ServerSideEncryption", "StorageClass"}},
	{"s3control", []string{"AccountId", "BucketName", "NonEmptyKmsKeyArnString", "S3AccessPointArn"}},
}

// shape is what a model says of a value.
type shape struct {
	Service string `json:"service"`
	Version string `json:"version"`
	Name    string `json:"name"`
	constraints
}

// constraints have the names that models give them.
type constraints struct {
	Type    string       `json:"type"`
	Pattern string       `json:"pattern,omitempty"`
	Min     *json.Number `json:"min,omitempty"`
	Max     *json.Number `json:"max,omitempty"`
	Enum    []string     `json:"enum,omitempty"`
}

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "awsshapes:", err)
		os.Exit(1)
	}
}

func run(args []string, to io.Writer) error {
	if len(args) != 1 {
		return errors.New("want the path of a wheel of botocore")
	}
	wheel, err := zip.OpenReader(args[0])
	if err != nil {
		return err
	}
	defer func() { _ = wheel.Close() }()
	var shapes []shape
	for _, one := range wanted {
		found, err := shapesOf(&wheel.Reader, one.service, one.shapes)
		if err != nil {
			return fmt.Errorf("%s: %w", one.service, err)
		}
		shapes = append(shapes, found...)
	}
	encoder := json.NewEncoder(to)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(shapes)
}

// shapesOf returns shapes of the newest model of a service.
func shapesOf(wheel *zip.Reader, service string, names []string) ([]shape, error) {
	models, err := like(wheel, "botocore/data/"+service+"/*/service-2.json.gz")
	if err != nil {
		return nil, err
	}
	newest := slices.Max(models)
	known, err := readModel(wheel, newest)
	if err != nil {
		return nil, err
	}
	var shapes []shape
	for _, name := range names {
		found, ok := known[name]
		if !ok {
			return nil, fmt.Errorf("%s has no shape %s", newest, name)
		}
		shapes = append(shapes, shape{Service: service, Version: path.Base(path.Dir(newest)), Name: name, constraints: found})
	}
	return shapes, nil
}

// like returns the names of the files that match a pattern, of which there has to be one.
func like(wheel *zip.Reader, pattern string) ([]string, error) {
	var names []string
	for _, file := range wheel.File {
		if ok, err := path.Match(pattern, file.Name); err != nil {
			return nil, err
		} else if ok {
			names = append(names, file.Name)
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("no file is like %s", pattern)
	}
	return names, nil
}

// readModel returns all shapes of a model.
func readModel(wheel *zip.Reader, name string) (map[string]constraints, error) {
	file, err := wheel.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	inflated, err := gzip.NewReader(file)
	if err != nil {
		return nil, err
	}
	var model struct {
		Shapes map[string]constraints `json:"shapes"`
	}
	err = json.NewDecoder(inflated).Decode(&model)
	return model.Shapes, err
}
