package efs

import (
	"log/slog"
	"regexp"
	"strings"
	"testing"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/storagebench/storagebench/test/localcluster/internal/csidriver"
	"github.com/storagebench/storagebench/test/localcluster/internal/efsfuse"
)

const testFileSystem = "fs-0123456789abcdef0"

// newNode returns the volumes as a node sees them, with one file system.
func newNode(t *testing.T) *onNode {
	t.Helper()
	dir := t.TempDir()
	if err := CreateFileSystem(dir, testFileSystem, efsfuse.Limits{}); err != nil {
		t.Fatal(err)
	}
	volumes, err := Open(csidriver.Options{Volumes: dir, Mounts: dir, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return volumes.onNode("node-1")
}

func mountCapability(options ...string) *csi.VolumeCapability {
	return &csi.VolumeCapability{
		AccessType: &csi.VolumeCapability_Mount{Mount: &csi.VolumeCapability_MountVolume{MountFlags: options}},
		AccessMode: &csi.VolumeCapability_AccessMode{Mode: csi.VolumeCapability_AccessMode_MULTI_NODE_MULTI_WRITER},
	}
}

// with returns parameters that are granted, but for some; those set to "" are left out.
func with(changes map[string]string) map[string]string {
	p := map[string]string{"provisioningMode": "efs-ap", "fileSystemId": testFileSystem, "directoryPerms": "700"}
	for name, value := range changes {
		p[name] = value
		if value == "" {
			delete(p, name)
		}
	}
	return p
}

func TestRefusedVolumes(t *testing.T) {
	tests := map[string]struct {
		changes map[string]string
		code    codes.Code
		says    string
	}{
		"misspelled":             {map[string]string{"filesystemid": testFileSystem}, codes.InvalidArgument, `"filesystemid"`},
		"no mode":                {map[string]string{"provisioningMode": ""}, codes.InvalidArgument, "provisioningMode"},
		"another mode":           {map[string]string{"provisioningMode": "efs-dir"}, codes.InvalidArgument, "efs-dir"},
		"no file system":         {map[string]string{"fileSystemId": ""}, codes.InvalidArgument, "fileSystemId"},
		"no id":                  {map[string]string{"fileSystemId": "my-efs"}, codes.InvalidArgument, "my-efs"},
		"does not exist":         {map[string]string{"fileSystemId": "fs-00000000000000000"}, codes.InvalidArgument, "File System does not exist: Resource was not found"},
		"does not exist, given":  {map[string]string{"fileSystemId": "fs-00000000000000000", "uid": "1", "gid": "1"}, codes.Internal, "Failed to create Access point in File System fs-00000000000000000"},
		"no permissions":         {map[string]string{"directoryPerms": ""}, codes.InvalidArgument, "directoryPerms"},
		"permissions not octal":  {map[string]string{"directoryPerms": "789"}, codes.InvalidArgument, "789"},
		"half a range":           {map[string]string{"gidRangeStart": "1000"}, codes.InvalidArgument, "gidRangeEnd"},
		"range the wrong way":    {map[string]string{"gidRangeStart": "2000", "gidRangeEnd": "1000"}, codes.InvalidArgument, "gidRangeEnd must be greater than gidRangeStart"},
		"negative uid":           {map[string]string{"uid": "-1"}, codes.InvalidArgument, "uid"},
		"unknown part of a path": {map[string]string{"subPathPattern": "${.PVC.uid}"}, codes.InvalidArgument, "contains invalid elements"},
		"path too long":          {map[string]string{"basePath": "/" + strings.Repeat("a", 100)}, codes.InvalidArgument, "exceeds file system limit of 100 characters"},
		"path too deep for EFS":  {map[string]string{"basePath": "/a/b/c/d"}, codes.Internal, "Value '/a/b/c/d/pvc-1' at 'rootDirectory.path' failed"},
		"hidden directory":       {map[string]string{"basePath": "/a/.b"}, codes.Internal, "'rootDirectory.path'"},
		"character of a shell":   {map[string]string{"basePath": "/a$b"}, codes.Internal, "'rootDirectory.path'"},
		"path too deep":          {map[string]string{"basePath": "/a/b/c/d/e"}, codes.InvalidArgument, "4 subdirectories"},
	}
	n := newNode(t)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := n.CreateVolume(t.Context(), &csi.CreateVolumeRequest{
				Name: "pvc-1", Parameters: with(test.changes), VolumeCapabilities: []*csi.VolumeCapability{mountCapability()},
			})
			if status.Code(err) != test.code || !strings.Contains(err.Error(), test.says) {
				t.Errorf("got %v, want %v with %q", err, test.code, test.says)
			}
		})
	}
}

func TestAccessPoints(t *testing.T) {
	n := newNode(t)
	create := func(name string, changes map[string]string) accessPoint {
		t.Helper()
		r, err := n.CreateVolume(t.Context(), &csi.CreateVolumeRequest{
			Name: name, Parameters: with(changes), VolumeCapabilities: []*csi.VolumeCapability{mountCapability()},
		})
		if err != nil {
			t.Fatal(err)
		}
		id := r.GetVolume().GetVolumeId()
		if !regexp.MustCompile(`^efs:fs-0123456789abcdef0::fsap-0[0-9a-f]{16}$`).MatchString(id) {
			t.Errorf("volume ID %q", id)
		}
		h, err := parseHandle(id)
		if err != nil {
			t.Fatal(err)
		}
		ap, err := n.store.accessPoint(h.fsID, h.apID)
		if err != nil {
			t.Fatal(err)
		}
		return ap
	}
	first, second := create("pvc-1", nil), create("pvc-2", map[string]string{"basePath": "/base"})
	if first.Owner != (efsfuse.Owner{UID: 50_000, GID: 50_000}) || second.Owner != (efsfuse.Owner{UID: 50_001, GID: 50_001}) {
		t.Errorf("owners are %v and %v", first.Owner, second.Owner)
	}
	if first.Path != "/pvc-1" || second.Path != "/base/pvc-2" {
		t.Errorf("paths are %s and %s", first.Path, second.Path)
	}
	if again := create("pvc-1", nil); again != first {
		t.Errorf("asked again it is %+v", again)
	}
	given := create("pvc-3", map[string]string{
		"uid": "1000", "gid": "2000", "subPathPattern": "/${.PVC.name}", "ensureUniqueDirectory": "false", "csi.storage.k8s.io/pvc/name": "claim",
	})
	if given.Owner != (efsfuse.Owner{UID: 1000, GID: 2000}) || given.Path != "/claim" || given.Permissions != 0o700 {
		t.Errorf("got %+v", given)
	}
}

func TestRefusedMounts(t *testing.T) {
	tests := map[string]struct {
		id      string
		options []string
		context map[string]string
		code    codes.Code
		says    string
	}{
		"no id":             {"vol-1", nil, nil, codes.InvalidArgument, "fs-[0-9a-f]{8,40}"},
		"no access point":   {testFileSystem + "::fsap-00000000000000000", nil, nil, codes.Internal, "access denied"},
		"access point's id": {testFileSystem + "::ap", nil, nil, codes.InvalidArgument, "fsap-[0-9a-f]{8,40}"},
		"no file system":    {"fs-00000000000000000", nil, nil, codes.Internal, "check that your file system ID is correct"},
		"no directory":      {"efs:" + testFileSystem + ":/a", nil, nil, codes.Internal, "No such file or directory"},
		"way out":           {testFileSystem + ":/../../..:", nil, map[string]string{"path": "/"}, codes.InvalidArgument, `"path"`},
		"unknown option":    {testFileSystem, []string{"tls", "fast"}, nil, codes.InvalidArgument, `"fast"`},
	}
	n := newNode(t)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := n.NodePublishVolume(t.Context(), &csi.NodePublishVolumeRequest{
				VolumeId: test.id, TargetPath: t.TempDir() + "/target", VolumeContext: test.context, VolumeCapability: mountCapability(test.options...),
			})
			if status.Code(err) != test.code || !strings.Contains(err.Error(), test.says) {
				t.Errorf("got %v, want %v with %q", err, test.code, test.says)
			}
		})
	}
}

func TestParseHandle(t *testing.T) {
	tests := map[string]handle{
		"fs-01234567":                        {fsID: "fs-01234567"},
		"fs-01234567::":                      {fsID: "fs-01234567"},
		"efs:fs-01234567:/a/":                {fsID: "fs-01234567", path: "/a"},
		"fs-01234567::fsap-01234567":         {fsID: "fs-01234567", apID: "fsap-01234567"},
		"efs:fs-01234567:/a/b:fsap-01234567": {fsID: "fs-01234567", path: "/a/b", apID: "fsap-01234567"},
	}
	for id, want := range tests {
		if got, err := parseHandle(id); err != nil || got != want {
			t.Errorf("%s: got %+v, %v, want %+v", id, got, err, want)
		}
	}
	for _, id := range []string{"", "fs-xyz", "efs:", "fs-01234567:a:b:c", "fs-01234567::fsap-g", "s3files:fs-01234567"} {
		if got, err := parseHandle(id); err == nil {
			t.Errorf("%q is taken as %+v", id, got)
		}
	}
}
