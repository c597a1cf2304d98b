package preset

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/fio"
)

// Every case of every preset fits itself.
func TestEachPresetFitsItself(t *testing.T) {
	for _, p := range All() {
		for _, choice := range p.choices() {
			got := p.FitOf(fio.FromParameters("own", &p.Fio).With(settingsOf(choice)))
			if diff := cmp.Diff(Fit{Parameters: choice}, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", p.ID(), diff)
			}
		}
	}
}

// The command that etcd's documentation refers to fits, and says what is scaled.
func TestFitOfPublishedCommands(t *testing.T) {
	etcd, _ := Find("etcd")
	job, err := fio.Parse("[mytest]\nrw=write\nioengine=sync\nfdatasync=1\ndirectory=test-data\nsize=100m\nbs=2300\n")
	if err != nil {
		t.Fatal(err)
	}
	want := Fit{Scale: &v1alpha1.PresetScale{Size: new("104857600")}}
	if diff := cmp.Diff(want, etcd.FitOf(job)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
