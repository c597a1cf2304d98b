package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// newWheel returns the path of a wheel with models.
func newWheel(t *testing.T, models map[string]string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "botocore.whl")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	wheel := zip.NewWriter(file)
	for name, model := range models {
		member, err := wheel.Create("botocore/data/" + name + "/service-2.json.gz")
		if err != nil {
			t.Fatal(err)
		}
		deflated := gzip.NewWriter(member)
		if _, err := deflated.Write([]byte(model)); err != nil {
			t.Fatal(err)
		}
		if err := deflated.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := wheel.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// Shapes come from the newest model of a service. One that the model no longer has is an error, and so is a service.
func TestShapesOf(t *testing.T) {
	wheel, err := zip.OpenReader(newWheel(t, map[string]string{
		"efs/2014-01-01": `{"shapes": {"Uid": {"type": "long", "max": 1}}}`,
		"efs/2015-02-01": `{"shapes": {"Uid": {"type": "long", "max": 4294967295, "min": 0, "documentation": "x"}}}`,
		"efsx/2020-01-1": `{"shapes": {}}`,
	}))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = wheel.Close() }()
	shapes, err := shapesOf(&wheel.Reader, "efs", []string{"Uid"})
	if err != nil {
		t.Fatal(err)
	}
	if got := shapes[0]; got.Version != "2015-02-01" || *got.Min != "0" || *got.Max != "4294967295" {
		t.Errorf("%+v", got)
	}
	_, err = shapesOf(&wheel.Reader, "efs", []string{"Gid"})
	if err == nil || !strings.Contains(err.Error(), "no shape Gid") {
		t.Errorf("a shape that does not exist: %v", err)
	}
	if _, err := shapesOf(&wheel.Reader, "ebs", nil); err == nil || !strings.Contains(err.Error(), "data/ebs/") {
		t.Errorf("a service that does not exist: %v", err)
	}
}

func TestRunNeedsAllServices(t *testing.T) {
	var out bytes.Buffer
	if err := run([]string{newWheel(t, nil)}, &out); err == nil || out.Len() > 0 {
		t.Errorf("error %v, output %q", err, &out)
	}
	if err := run(nil, &out); err == nil || !strings.Contains(err.Error(), "wheel") {
		t.Errorf("without a path: %v", err)
	}
}
