package fioimport

import (
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/storagebench/storagebench/internal/fio"
)

// resolveShares writes sizes of files that are a share of the volume as bytes. To fio they are a share of files that are there
// already. All targets get the same, so that their results can be compared.
func (c *cleaner) resolveShares(sections fio.Sections) {
	if slices.ContainsFunc(sections, givesFileSize) {
		return // of which size is a share
	}
	for i := range sections {
		for j := range sections[i].Options {
			o := &sections[i].Options[j]
			percent, ok := strings.CutSuffix(o.Value, "%")
			share, err := strconv.ParseInt(percent, 10, 64)
			if fio.Canonical(o.Name) != "size" || !ok || err != nil || share < 1 || share > 100 {
				continue
			}
			c.resolveShare(o, share)
		}
	}
}

func givesFileSize(s fio.Section) bool {
	return slices.ContainsFunc(s.Options, func(o fio.Option) bool { return o.Name == "filesize" })
}

func (c *cleaner) resolveShare(o *fio.Option, percent int64) {
	const mib = 1 << 20
	room, known := c.room()
	if !known {
		return // refused as what it is
	}
	said := o.String()
	o.Value = strconv.FormatInt(max(room/mib*percent/100, 1), 10) + "M"
	c.note("%s of files that are yet to be made is a share of the volume: %s, of the %s for which files have room", said, o, resource.NewQuantity(room/mib*mib, resource.BinarySI))
}
