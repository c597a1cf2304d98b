package fio

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

func TestWith(t *testing.T) {
	for name, tt := range map[string]struct {
		text     string
		settings []Setting
		want     string
	}{
		"nothing": {"[a]\nbs=4k\n", nil, "[a]\nbs=4k\n"},
		"an option that the file does not have": {
			"[a]\nrw=read\n", []Setting{{"bs", "4k"}}, "[a]\nrw=read\nbs=4k\n",
		},
		"an option that it has, by its other name": {
			"[a]\nblocksize=4k\nrw=read\n", []Setting{{"bs", "64k"}}, "[a]\nrw=read\nbs=64k\n",
		},
		"several": {
			"[a]\n", []Setting{{"bs", "4k"}, {"numjobs", "2"}}, "[a]\nbs=4k\nnumjobs=2\n",
		},
		"every section, and no global one": {
			"[global]\nbs=4k\ndirect=1\n[a]\n[b]\nbs=8k\n[global]\nbs=16k\n[c]\n", []Setting{{"bs", "64k"}},
			"[global]\ndirect=1\n\n[a]\nbs=64k\n\n[b]\nbs=64k\n\n[global]\n\n[c]\nbs=64k\n",
		},
		"a flag": {"[global]\nnorandommap\n[a]\n", []Setting{{"norandommap", "0"}}, "[global]\n\n[a]\nnorandommap=0\n"},
		"reads keep their files": {
			"[a]\nrw=write\n", []Setting{{"rw", "randread"}}, "[a]\nrw=randread\n",
		},
		"mixed I/O keeps its files": {
			"[a]\n", []Setting{{"rw", "randrw:8"}}, "[a]\nrw=randrw:8\n",
		},
		"writes have files of their own": {
			"[a]\n[b]\n", []Setting{{"readwrite", "randwrite"}}, "[a]\nreadwrite=randwrite\n\n[b]\nreadwrite=randwrite\n",
		},
		"writes in all cases keep their files": {
			"[a]\nrw=write\n", []Setting{{"bs", "4k"}}, "[a]\nrw=write\nbs=4k\n",
		},
		"trims have files of their own": {"[a]\n", []Setting{{"rw", "trimwrite"}}, "[a]\nrw=trimwrite\n"},
	} {
		t.Run(name, func(t *testing.T) {
			f := mustParse(t, tt.text)
			before := f.String()
			if diff := cmp.Diff(tt.want, f.With(tt.settings).String()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if diff := cmp.Diff(before, f.String()); diff != "" {
				t.Errorf("the job file itself changed:\n%s", diff)
			}
		})
	}
}

// TestCasesDoNotShareOptions: cases are made of one job file, whose slices have room behind their end.
func TestCasesDoNotShareOptions(t *testing.T) {
	f := FromParameters("w", &v1alpha1.FioParameters{RW: "read", Size: new("1M")})
	small, large := f.With([]Setting{{"bs", "4k"}}), f.With([]Setting{{"bs", "64k"}})
	for want, got := range map[string]string{"4k": small.jobs()[0].text("bs", ""), "64k": large.jobs()[0].text("bs", "")} {
		if got != want {
			t.Errorf("bs is %s, want %s", got, want)
		}
	}
}

// TestCasesHaveTheGroupsOfTheirFile: what decides them cannot be in a matrix, so that a result of one case has one
// in all others to be compared with.
func TestCasesHaveTheGroupsOfTheirFile(t *testing.T) {
	f := mustParse(t, "[global]\nsize=4k\n[a]\n[b]\nstonewall\n[c]\ngroup_reporting\nstonewall\n[d]\ngroup_reporting\n")
	for i := range knownOptions {
		known := &knownOptions[i]
		for _, value := range []string{"0", "1", "read"} {
			set := f.With([]Setting{{known.name, value}})
			passes := len(Validate(nil, set, corev1.PersistentVolumeFilesystem, false)) == 0
			if passes && !cmp.Equal(set.Groups(), f.Groups()) {
				t.Errorf("%s=%s passes and makes groups %v of %v", known.name, value, set.Groups(), f.Groups())
			}
		}
	}
}
