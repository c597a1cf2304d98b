package disk

import (
	"bytes"
	"os"
	"testing"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// A copy has what its source has, and as much more room as is asked for. Neither changes the other.
func TestClone(t *testing.T) {
	driver, id := newTestVolume(t, t.TempDir())
	content := bytes.Repeat([]byte("source"), 1000)
	if err := writeAt(driver.store.disk(id), content, 5*mib); err != nil {
		t.Fatal(err)
	}
	clone := func(name, source string, bytes int64) (*csi.Volume, error) {
		made, err := driver.CreateVolume(t.Context(), &csi.CreateVolumeRequest{
			Name: name, CapacityRange: &csi.CapacityRange{RequiredBytes: bytes}, VolumeCapabilities: []*csi.VolumeCapability{disk()},
			VolumeContentSource: &csi.VolumeContentSource{Type: &csi.VolumeContentSource_Volume{Volume: &csi.VolumeContentSource_VolumeSource{VolumeId: source}}},
		})
		return made.GetVolume(), err
	}
	copied, err := clone("copy", id, 64*mib)
	if err != nil {
		t.Fatal(err)
	}
	if copied.GetContentSource().GetVolume().GetVolumeId() != id || copied.GetCapacityBytes() != 64*mib {
		t.Errorf("the copy is %v", copied)
	}
	path := driver.store.disk(copied.GetVolumeId())
	if info, err := os.Stat(path); err != nil || info.Size() != 64*mib || info.Mode().Perm() != 0o600 {
		t.Errorf("its disk is %v, %v", info, err)
	}
	if err := writeAt(path, []byte("another"), 5*mib); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string][]byte{driver.store.disk(id): content, path: append([]byte("another"), content[7:]...)} {
		got := make([]byte, len(content))
		file, err := os.Open(path)
		if err == nil {
			_, err = file.ReadAt(got, 5*mib)
			_ = file.Close()
		}
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s has %q..., %v", path, got[:12], err)
		}
	}

	if again, err := clone("copy", id, 64*mib); err != nil || again.GetVolumeId() != copied.GetVolumeId() || again.GetContentSource() == nil {
		t.Errorf("asked again: %v, %v", again, err)
	}
	for name, test := range map[string]struct {
		name, source string
		bytes        int64
		want         codes.Code
	}{
		"of a volume that does not exist": {"other", "gone", 64 * mib, codes.NotFound},
		"smaller than its source":         {"other", id, 16 * mib, codes.OutOfRange},
		"of another source":               {"copy", copied.GetVolumeId(), 64 * mib, codes.AlreadyExists},
	} {
		if _, err := clone(test.name, test.source, test.bytes); status.Code(err) != test.want {
			t.Errorf("%s: %v, want %v", name, err, test.want)
		}
	}
}

func writeAt(path string, content []byte, offset int64) error {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = file.WriteAt(content, offset)
	if closed := file.Close(); err == nil {
		err = closed
	}
	return err
}
