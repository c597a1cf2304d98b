package v1alpha1_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/test/envtest"
)

// All that a spec can hold has a bound, of Kubernetes' own types, too.
func TestAllOfTheSpecIsBounded(t *testing.T) {
	for _, plural := range []string{"storagebenchmarks", "storagebenchmarkschedules"} {
		t.Run(plural, func(t *testing.T) {
			text, err := os.ReadFile("../../config/crd/bases/storagebench.dev_" + plural + ".yaml")
			if err != nil {
				t.Fatal(err)
			}
			var crd map[string]any
			if err := yaml.Unmarshal(text, &crd); err != nil {
				t.Fatal(err)
			}
			versions, ok := crd["spec"].(map[string]any)["versions"].([]any)
			if !ok {
				t.Fatal("the CRD has no versions")
			}
			schema := versions[0]
			for _, key := range []string{"schema", "openAPIV3Schema", "properties", "spec"} {
				schema = schema.(map[string]any)[key]
			}
			if n := checkBounds(t, "spec", schema.(map[string]any)); n < 100 {
				t.Errorf("only %d fields are found", n)
			}
		})
	}
}

// checkBounds fails the test for each part of a schema that has no bound, and returns how many parts it has.
func checkBounds(t *testing.T, path string, schema map[string]any) int {
	t.Helper()
	need := func(keys ...string) {
		for _, key := range keys {
			if schema[key] == nil {
				t.Errorf("%s has no %s", path, key)
			}
		}
	}
	n := 1
	switch {
	case schema["x-kubernetes-int-or-string"] == true:
		need("maxLength")
	case schema["type"] == "string" && schema["enum"] == nil:
		need("maxLength")
	case schema["type"] == "integer":
		need("minimum", "maximum")
	case schema["type"] == "array":
		need("maxItems")
	}
	if items, ok := schema["items"].(map[string]any); ok {
		n += checkBounds(t, path+"[]", items)
	}
	if values, ok := schema["additionalProperties"].(map[string]any); ok {
		need("maxProperties")
		n += checkBounds(t, path+"{}", values)
	}
	properties, _ := schema["properties"].(map[string]any)
	for name, property := range properties {
		if property, ok := property.(map[string]any); ok {
			n += checkBounds(t, path+"."+name, property)
		}
	}
	return n
}

// What the API server admits, the operator can read, however a number is written: one object that cannot be read ends the list of all.
func TestAdmittedNumbersCanBeRead(t *testing.T) {
	numbers := []string{
		"1", "-1", "0", "-0.0", "3000.0", "4000", "1e3", "1.5", "2147483647", "2147483648", "-2147483649", "5e9", "-5e9", "5000000000.0",
		"9007199254740991", "9007199254740993", "9223372036854775807", "9223372036854775808", "1e19", "1e30", "1e308",
	}
	const fio = `"workloads":[{"name":"w","fio":{"rw":"read","size":"1M",%s}}]`
	const target = `"targets":[{"name":"a",%s}]`
	for path, field := range map[string]string{
		"matrix":            `"workloads":[{"name":"w","fio":{"rw":"read","size":"1M"},"matrix":{"iodepth":[%d]}}]`,
		"rateIOPS":          strings.ReplaceAll(fio, "%s", `"rateIOPS":%d`),
		"fsync":             strings.ReplaceAll(fio, "%s", `"fsync":%d`),
		"fdatasync":         strings.ReplaceAll(fio, "%s", `"fdatasync":%d`),
		"iodepth":           strings.ReplaceAll(fio, "%s", `"iodepth":%d`),
		"ebs.iopsPerGB":     strings.ReplaceAll(target, "%s", `"ebs":{"iopsPerGB":%d}`),
		"ebs.iops":          strings.ReplaceAll(target, "%s", `"ebs":{"iops":%d},"capacity":"1Ti"`),
		"efs.uid":           strings.ReplaceAll(target, "%s", `"efs":{"fileSystemID":"fs-0123456789abcdef0","uid":%d,"gid":1}`),
		"limits":            strings.ReplaceAll(target, "%s", `"storageClassName":"c","limits":{"bytesPerSecond":%d}`),
		"burst":             strings.ReplaceAll(target, "%s", `"storageClassName":"c","limits":{"iops":1,"burst":{"ioCredits":%d}}`),
		"repetitions":       `"repetitions":%d`,
		"tolerationSeconds": `"placement":{"tolerations":[{"operator":"Exists","tolerationSeconds":%d}]}`,
		"weight":            `"placement":{"affinity":{"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":%d,"preference":{}}]}}}`,
		"fsGroup":           `"pod":{"securityContext":{"fsGroup":%d}}`,
		"groups":            `"pod":{"securityContext":{"supplementalGroups":[%d]}}`,
		"resources":         `"pod":{"resources":{"limits":{"cpu":%d}}}`,
	} {
		t.Run(path, func(t *testing.T) {
			read := 0
			for _, number := range numbers {
				if isAdmitted(t, strings.ReplaceAll(field, "%d", number)) {
					read++
				}
			}
			if read == 0 || read == len(numbers) && path != "resources" {
				t.Errorf("%d of %d numbers are admitted", read, len(numbers))
			}
		})
	}
}

// isAdmitted says whether the API server admits a spec of which a part is replaced by JSON as it stands, and fails the test if it cannot
// be read then.
func isAdmitted(t *testing.T, part string) bool {
	t.Helper()
	spec := map[string]json.RawMessage{
		"targets":   json.RawMessage(`[{"name":"a","storageClassName":"c"}]`),
		"workloads": json.RawMessage(`[{"name":"w","fio":{"rw":"read","size":"1M"}}]`),
	}
	if err := json.Unmarshal([]byte("{"+part+"}"), &spec); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(map[string]any{
		"apiVersion": v1alpha1.GroupVersion.String(), "kind": "StorageBenchmark", "metadata": map[string]string{"generateName": "sb-"}, "spec": spec,
	})
	if err != nil {
		t.Fatal(err)
	}
	config := envtest.Config(t)
	c, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	url := config.Host + "/apis/" + v1alpha1.GroupVersion.String() + "/namespaces/default/storagebenchmarks?dryRun=All"
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := c.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	switch response.StatusCode {
	case http.StatusCreated:
		if err := json.Unmarshal(answer, &v1alpha1.StorageBenchmark{}); err != nil {
			t.Errorf("%s is admitted, and cannot be read: %v", part, err)
		}
		return true
	case http.StatusUnprocessableEntity, http.StatusBadRequest:
		return false
	}
	t.Fatalf("%s: %s: %s", part, response.Status, answer)
	return false
}
