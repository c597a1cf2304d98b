// Package sbom lists what an image is made of, as CycloneDX: Debian's packages, and the Go modules of its programs.
//
// Syft (github.com/anchore/syft) reads both as well, but the go.mod of its version 1.57.1 requires 336 modules, where that of hack/images requires 13.
// Its CycloneDX has a random serial number and the time of day, so that the same image would not give the same bytes.
package sbom

import (
	"bytes"
	"debug/buildinfo"
	"fmt"
	"io"
	"net/url"
	"path"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/CycloneDX/cyclonedx-go"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/uuid"

	"github.com/storagebench/storagebench/hack/images/internal/rootfs"
)

const (
	packageDir = "/var/lib/dpkg/status.d"
	// debianRelease is what scanners know Debian trixie by.
	debianRelease = "debian-13"
)

// Write writes the bill of materials of an image, which is called so, as JSON. The same image gives the same bytes.
func Write(out io.Writer, name, version string, image v1.Image) error {
	bom, err := Of(name, version, image)
	if err != nil {
		return err
	}
	encoder := cyclonedx.NewBOMEncoder(out, cyclonedx.BOMFileFormatJSON)
	return encoder.SetPretty(true).Encode(bom)
}

// Of returns the bill of materials of an image.
func Of(name, version string, image v1.Image) (*cyclonedx.BOM, error) {
	digest, err := image.Digest()
	if err != nil {
		return nil, err
	}
	config, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	files, err := rootfs.Read(image)
	if err != nil {
		return nil, err
	}
	bom := cyclonedx.NewBOM()
	bom.SerialNumber = uuid.NewSHA1(uuid.NameSpaceOID, []byte(digest.String())).URN()
	about := component(cyclonedx.ComponentTypeContainer, name, version,
		"pkg:oci/"+path.Base(name)+"@"+url.QueryEscape(digest.String())+"?arch="+config.Architecture+"&tag="+version)
	bom.Metadata = &cyclonedx.Metadata{Component: &about}
	components, err := packages(files)
	if err != nil {
		return nil, err
	}
	components = append(components, modules(files)...)
	slices.SortFunc(components, func(a, b cyclonedx.Component) int { return strings.Compare(a.BOMRef, b.BOMRef) })
	components = slices.CompactFunc(components, func(a, b cyclonedx.Component) bool { return a.BOMRef == b.BOMRef })
	bom.Components = &components
	return bom, nil
}

func component(kind cyclonedx.ComponentType, name, version, purl string) cyclonedx.Component {
	return cyclonedx.Component{Type: kind, BOMRef: purl, Name: name, Version: version, PackageURL: purl}
}

func packages(files rootfs.Files) ([]cyclonedx.Component, error) {
	var found []cyclonedx.Component
	for _, file := range files.Below(packageDir) {
		fields := controlFields(string(files[file].Content))
		name, version, architecture := fields["Package"], fields["Version"], fields["Architecture"]
		if name == "" || version == "" || architecture == "" {
			return nil, fmt.Errorf("%s names no package, version or architecture", file)
		}
		purl := "pkg:deb/debian/" + url.PathEscape(name) + "@" + url.QueryEscape(version) + "?arch=" + architecture + "&distro=" + debianRelease
		found = append(found, component(cyclonedx.ComponentTypeLibrary, name, version, purl))
	}
	return found, nil
}

// controlFields returns the fields of a paragraph of Debian's control files, of those with several lines the first.
func controlFields(paragraph string) map[string]string {
	fields := map[string]string{}
	for line := range strings.Lines(paragraph) {
		if name, value, ok := strings.Cut(line, ":"); ok && !strings.HasPrefix(line, " ") {
			fields[name] = strings.TrimSpace(value)
		}
	}
	return fields
}

// modules returns what the image's programs are linked from.
func modules(files rootfs.Files) []cyclonedx.Component {
	var found []cyclonedx.Component
	for _, file := range files.Below("/") {
		// What has no build information is not a program of Go's.
		if info, err := buildinfo.Read(bytes.NewReader(files[file].Content)); err == nil {
			found = append(found, linked(info)...)
		}
	}
	return found
}

// linked returns the Go modules of a program, and Go's standard library.
func linked(info *debug.BuildInfo) []cyclonedx.Component {
	found := []cyclonedx.Component{module("stdlib", strings.TrimPrefix(info.GoVersion, "go"))}
	for _, dependency := range append([]*debug.Module{&info.Main}, info.Deps...) {
		if dependency.Replace != nil {
			dependency = dependency.Replace
		}
		found = append(found, module(dependency.Path, dependency.Version))
	}
	return found
}

func module(name, version string) cyclonedx.Component {
	return component(cyclonedx.ComponentTypeLibrary, name, version, "pkg:golang/"+name+"@"+url.QueryEscape(version))
}
