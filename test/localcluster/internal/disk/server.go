package disk

import (
	"errors"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/hanwen/go-fuse/v2/fuse"

	"github.com/storagebench/storagebench/test/localcluster/internal/slowfs"
)

const (
	// fsType is the type of the mount that has the disks.
	fsType = "disks"
	// maxBackground is how many I/Os may be on their way, of all disks together: one that is slow must not hold up the others.
	maxBackground = 1 << 14
)

// Server serves the disks of the volumes that have limits: what a cloud does beyond the nodes, so that it goes on while a driver does not run.
type Server struct {
	store *store
	log   *slog.Logger
	mount *fuse.Server

	mu sync.Mutex
	// open are the volumes whose disks are open.
	open map[string]*usedVolume
}

// usedVolume is a volume whose disk is open. All its users share its budget.
type usedVolume struct {
	*pacer
	users int
}

// Serve serves the disks of the volumes in a directory below another one. What a server that has ended has left there is detached.
func Serve(volumes, at string, log *slog.Logger) (s *Server, err error) {
	if err := slowfs.DetachStale(at, fsType); err != nil {
		return nil, err
	}
	if err := errors.Join(os.MkdirAll(volumes, 0o700), os.MkdirAll(at, 0o700)); err != nil {
		return nil, err
	}
	s = newServer(&store{dir: volumes}, log)
	s.mount, err = slowfs.Mount(at, volumes, s.root, slowfs.Options(fsType, fsType, maxBackground, 0))
	return s, err
}

// Stop ends the service, or fails while a disk is in use.
func (s *Server) Stop() error { return s.mount.Unmount() }

func newServer(volumes *store, log *slog.Logger) *Server {
	return &Server{store: volumes, log: log, open: map[string]*usedVolume{}}
}

// begin has one more user of a volume's disk.
func (s *Server) begin(id string) (*usedVolume, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[id] == nil {
		v, err := s.store.get(id)
		if err != nil {
			return nil, err
		}
		left, err := s.store.balance(v)
		if err != nil {
			return nil, err
		}
		s.open[id] = &usedVolume{pacer: newPacer(budget{v.Performance, left}, s.saver(v), time.Now())}
	}
	s.open[id].users++
	return s.open[id], nil
}

// saver returns how the balance of a volume is kept.
func (s *Server) saver(v volume) func(balance) {
	return func(left balance) {
		if err := s.store.saveBalance(v, left); err != nil {
			s.log.Error("Balance not saved", "volume", v.ID, "err", err)
		}
	}
}

// end has one user less.
func (s *Server) end(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[id].users--; s.open[id].users == 0 {
		s.open[id].close(time.Now())
		delete(s.open, id)
	}
}

// Statistics returns what each volume has done since it has been in use, by the IDs of the volumes.
func (s *Server) Statistics() map[string]Statistics {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[string]Statistics{}
	for id, used := range s.open {
		all[id] = used.statistics(time.Now())
	}
	return all
}
