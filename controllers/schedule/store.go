package schedule

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/history"
	"github.com/storagebench/storagebench/internal/schedule"
)

// store is the history of a schedule, and the ConfigMaps that have it: one a chunk. The operator can neither list nor
// delete ConfigMaps. So their names have numbers from 0 on, and one whose chunk has ended is emptied, and takes the
// next one. Users can delete any of them.
type store struct {
	history *history.History
	// read is the extent of the history as it was read.
	read  extent
	slots []slot
}

// slot is a ConfigMap of a history.
type slot struct {
	name string
	// object is what was read. A slot that is not there yet has none.
	object *corev1.ConfigMap
	// data is its chunk, empty if it has none.
	data []byte
	// number is the number of its chunk, 0 if it has none.
	number int64
}

// readStore reads the ConfigMaps of a history: all that the status names, and those that follow, up to the first that
// is not there.
func readStore(ctx context.Context, p *pass) (*store, error) {
	s, noted := &store{}, notedSlots(p)
	for len(s.slots) < history.MaxChunks {
		name := schedule.HistoryName(p.schedule, len(s.slots))
		object := &corev1.ConfigMap{}
		err := p.Live.Get(ctx, client.ObjectKey{Namespace: p.schedule.Namespace, Name: name}, object)
		if apierrors.IsNotFound(err) {
			if len(s.slots) >= noted {
				break
			}
			s.slots = append(s.slots, slot{name: name})
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("get ConfigMap %s: %w", name, err)
		}
		if owner := metav1.GetControllerOf(object); owner == nil || owner.UID != p.schedule.UID {
			return nil, notOurs(name)
		}
		data := object.BinaryData[v1alpha1.HistoryKey]
		if len(data) > history.MaxChunkBytes {
			return nil, unreadable(fmt.Errorf("ConfigMap %s: binaryData[%s] has %d bytes, more than the %d of a chunk",
				name, v1alpha1.HistoryKey, len(data), history.MaxChunkBytes), schedule.HistoryName(p.schedule, 0))
		}
		s.slots = append(s.slots, slot{name: name, object: historyOnly(object), data: data})
	}
	return s, s.decode(schedule.HistoryName(p.schedule, 0))
}

// historyOnly returns the part of a ConfigMap that a write needs: its identity and its chunk.
func historyOnly(object *corev1.ConfigMap) *corev1.ConfigMap {
	kept := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Namespace: object.Namespace, Name: object.Name, UID: object.UID, ResourceVersion: object.ResourceVersion,
	}}
	if data, found := object.BinaryData[v1alpha1.HistoryKey]; found {
		kept.BinaryData = map[string][]byte{v1alpha1.HistoryKey: data}
	}
	return kept
}

// notedSlots returns how many slots there are up to the last ConfigMap that the status names.
func notedSlots(p *pass) int {
	for n := history.MaxChunks; n > 0; n-- {
		if slices.Contains(p.schedule.Status.History.ConfigMaps, schedule.HistoryName(p.schedule, n-1)) {
			return n
		}
	}
	return 0
}

// decode reads the chunks. Each is decoded once: the largest history takes a tenth of a second.
func (s *store) decode(first string) error {
	var chunks [][]byte
	var filled []*slot
	for i := range s.slots {
		if len(s.slots[i].data) > 0 {
			chunks, filled = append(chunks, s.slots[i].data), append(filled, &s.slots[i])
		}
	}
	all, numbers, err := history.DecodeChunks(chunks)
	if err != nil {
		return unreadable(err, first)
	}
	for i, number := range numbers {
		filled[i].number = number
	}
	s.history, s.read = all, extentOf(all)
	return nil
}

// extent tells histories apart that points are added to and dropped from.
type extent struct {
	points int
	last   string
}

func extentOf(h *history.History) extent { return extent{points: len(h.Points), last: h.Last()} }

// write writes the chunks that have changed, and empties the ConfigMaps of those that have ended. A history that is as
// it was read is not even encoded: an operator that begins reads those of all schedules.
func (s *store) write(ctx context.Context, p *pass) error {
	if s.read == extentOf(s.history) {
		return nil
	}
	chunks, err := s.history.Encode()
	if err != nil {
		return err
	}
	for _, chunk := range chunks {
		if err := s.put(ctx, p, chunk, chunks); err != nil {
			return err
		}
	}
	for i := range s.slots {
		if s.slots[i].number != 0 && !hasChunk(chunks, s.slots[i].number) {
			if err := s.set(ctx, p, &s.slots[i], history.Chunk{}); err != nil {
				return err
			}
		}
	}
	return nil
}

// put writes a chunk to its slot.
func (s *store) put(ctx context.Context, p *pass, chunk history.Chunk, all []history.Chunk) error {
	i := s.slotOf(chunk.Number, all)
	if i == len(s.slots) {
		s.slots = append(s.slots, slot{name: schedule.HistoryName(p.schedule, i)})
	}
	if s.slots[i].number == chunk.Number && bytes.Equal(s.slots[i].data, chunk.Data) {
		return nil
	}
	return s.set(ctx, p, &s.slots[i], chunk)
}

// slotOf returns which slot a chunk has: the one that it was in, else one whose chunk has ended, else the next new one.
func (s *store) slotOf(number int64, all []history.Chunk) int {
	for _, is := range []func(slot) bool{
		func(o slot) bool { return o.number == number },
		func(o slot) bool { return !hasChunk(all, o.number) },
	} {
		if i := slices.IndexFunc(s.slots, is); i >= 0 {
			return i
		}
	}
	return len(s.slots)
}

func hasChunk(chunks []history.Chunk, number int64) bool {
	return slices.ContainsFunc(chunks, func(c history.Chunk) bool { return c.Number == number })
}

// set writes a ConfigMap, which fails if somebody else has written it meanwhile.
func (s *store) set(ctx context.Context, p *pass, o *slot, chunk history.Chunk) error {
	after := schedule.HistoryConfigMap(p.schedule, o.name)
	if o.object != nil {
		after = o.object.DeepCopy()
	}
	after.BinaryData = nil
	if len(chunk.Data) > 0 {
		after.BinaryData = map[string][]byte{v1alpha1.HistoryKey: chunk.Data}
	}
	var err error
	if o.object == nil {
		err = p.Client.Create(ctx, after)
	} else {
		err = p.Client.Patch(ctx, after, client.MergeFromWithOptions(o.object, client.MergeFromWithOptimisticLock{}))
	}
	if err != nil {
		return fmt.Errorf("write ConfigMap %s: %w", o.name, err)
	}
	o.object, o.data, o.number = historyOnly(after), chunk.Data, chunk.Number
	return nil
}

// names returns the names of the ConfigMaps that have points.
func (s *store) names() []string {
	var names []string
	for i := range s.slots {
		if len(s.slots[i].data) > 0 {
			names = append(names, s.slots[i].name)
		}
	}
	return names
}

// notOurs says that somebody else has made a ConfigMap of the history's name.
func notOurs(name string) error {
	return fmt.Errorf("ConfigMap %s is not this schedule's, and has the name of its history: delete it", name)
}

// unreadable says what to do about a history that cannot be read. It is not written over: a newer operator may read it.
func unreadable(err error, name string) error {
	return errors.Join(fmt.Errorf("the history cannot be read, and nothing is added to it; "+
		"delete its ConfigMaps (%s and those that follow) to begin another one", name), err)
}
