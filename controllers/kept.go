package controllers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/child"
)

// Kubernetes may bind a claim of a benchmark to a volume that was there before. Such a volume stays, and users are told of it.

// keep notes a volume that was not made for the benchmark, and stays.
func (s *scope) keep(volume v1alpha1.VolumeStatus, device bool) {
	name := fmt.Sprintf("%s (%s)", volume.Name, volume.Handle)
	if device {
		s.keptDevices = append(s.keptDevices, name)
	} else {
		s.kept = append(s.kept, name)
	}
}

// describeAllKept names all volumes that were there before the benchmark and are as they were, but for what was written there.
func (s *scope) describeAllKept() string {
	texts := []string{
		describeKept("volume", s.kept, "what is left of test files is in its directory "+child.Directory(s.sb)),
		describeKept("raw block volume", s.keptDevices, "what workloads wrote there is on it, and nothing else was changed"),
	}
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), "; ")
}

// describeKept names volumes of a kind, and says what is different there than before.
func describeKept(kind string, volumes []string, but string) string {
	if len(volumes) == 0 {
		return ""
	}
	return fmt.Sprintf("kept, because it was not made for this benchmark: %s %s, which a claim was bound to; %s", kind, describeSome(volumes), but)
}

// describeSome names as many things as a message has room for.
func describeSome(names []string) string {
	shown := strings.Join(names[:min(len(names), maxNamed)], ", ")
	if more := len(names) - maxNamed; more > 0 {
		shown += fmt.Sprintf(" and %d more", more)
	}
	return shown
}
