package fio

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// What would print data of a volume is refused there, and nothing else is.
func TestValidateOnContent(t *testing.T) {
	for text, refused := range map[string]bool{
		"[a]\nrw=randread\n":                                              false,
		"[a]\nrw=randrw\n":                                                false,
		"[a]\nrw=read\nverify=0\n":                                        false,
		"[a]\nrw=read\nverify=pattern\nverify_pattern=0\n":                true,
		"[a]\nrw=read\nverify=md5\n":                                      true,
		"[a]\nrw=write\nverify=crc32c\n":                                  true,
		"[global]\nverify=crc32c\nverify_only\nrw=write\n[a]\n":           true,
		"[a]\nrw=read\n[b]\nstonewall\nrw=randread\nverify=meta\nbs=4k\n": true,
	} {
		f := mustParse(t, text)
		workload := field.NewPath("spec", "workloads").Index(0)
		if problems := Validate(workload, f, corev1.PersistentVolumeBlock, false); len(problems) > 0 {
			t.Fatalf("%q: %v", text, problems)
		}
		problems := ValidateOnContent(workload, f)
		if refused != (len(problems) > 0) || refused && !strings.Contains(problems[0].Error(), "fio prints bytes that are not as it expects") {
			t.Errorf("%q: %v, want it refused: %t", text, problems, refused)
		}
	}
}
