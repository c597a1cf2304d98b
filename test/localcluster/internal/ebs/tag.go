package ebs

import (
	"errors"
	"fmt"
	"strings"
	"text/template"
)

// tagProperties are what the value of a tag can name, as {{ .PVCName }}. The external-provisioner tells them.
type tagProperties struct{ PVCNamespace, PVCName, PVName string }

const (
	pvcNamespaceKey = "csi.storage.k8s.io/pvc/namespace"
	pvcNameKey      = "csi.storage.k8s.io/pvc/name"
	pvNameKey       = "csi.storage.k8s.io/pv/name"
)

func propertiesOf(parameters map[string]string) tagProperties {
	return tagProperties{PVCNamespace: parameters[pvcNamespaceKey], PVCName: parameters[pvcNameKey], PVName: parameters[pvNameKey]}
}

// tagFunctions are those that the real driver documents for tags (v1.64.0, docs/tagging.md), and those of templates that it takes away.
var tagFunctions = template.FuncMap{
	"html": forbidden("html"), "js": forbidden("js"), "call": forbidden("call"), "urlquery": forbidden("urlquery"),
	"contains":  func(part, text string) bool { return strings.Contains(text, part) },
	"toUpper":   strings.ToUpper,
	"toLower":   strings.ToLower,
	"substring": substring,
	"field":     field,
	"index":     func(part, text string) int { return strings.Index(text, part) },
	"lastIndex": func(part, text string) int { return strings.LastIndex(text, part) },
}

func forbidden(name string) func(...any) (string, error) {
	return func(...any) (string, error) { return "", fmt.Errorf("cannot call '%s' function", name) }
}

// substring takes all from start where end is none of the text, and all until end where start is none.
func substring(start, end int, text string) string {
	switch {
	case start < 0:
		return text[:end]
	case end < 0 || end > len(text):
		return text[start:]
	default:
		return text[start:end]
	}
}

func field(separator string, number int, text string) (string, error) {
	fields := strings.Split(text, separator)
	if number >= len(fields) {
		return "", fmt.Errorf("there is no field %d among %d", number, len(fields))
	}
	return fields[number], nil
}

// parseTag returns the key and the value of a tag's specification, "key=value", whose value is a template.
func parseTag(specification string, properties tagProperties) (key, value string, err error) {
	key, text, ok := strings.Cut(specification, "=")
	if !ok {
		return "", "", fmt.Errorf("the key-value pair doesn't contain a value (string: %s)", specification)
	}
	parsed, err := template.New("tmpl").Funcs(tagFunctions).Parse(text)
	if err != nil {
		return "", "", err
	}
	var filled strings.Builder
	err = parsed.Execute(&filled, properties)
	return key, filled.String(), err
}

// checkTagKey refuses a key that is the driver's, or Kubernetes'.
func checkTagKey(key string) error {
	switch {
	case key == "CSIVolumeName", key == "CSIVolumeSnapshotName":
		return fmt.Errorf("tag key '%s' is reserved", key)
	case strings.HasPrefix(key, "kubernetes.io"):
		return errors.New("tag key prefix 'kubernetes.io' is reserved")
	case strings.HasPrefix(key, DriverName+"/"):
		return errors.New("tag key prefix '" + DriverName + "/' is reserved")
	}
	return nil
}
