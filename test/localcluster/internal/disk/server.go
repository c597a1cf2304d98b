package disk

import (
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/storagebench/storagebench/test/localcluster/internal/diskfuse"
	"github.com/storagebench/storagebench/test/localcluster/internal/state"
)

// exceededName is the file, beside the disks that are served, that says for how long the limits of each were exceeded.
const exceededName = "exceeded.json"

// Server serves the disks of the volumes that have limits: what a cloud does beyond the nodes, so that it goes on while a driver does not run.
type Server struct {
	store *store
	log   *slog.Logger

	mu   sync.Mutex
	open map[string]*servedDisk
}

// Serve serves the disks of the volumes in a directory as files of another one, until the returned function is called.
func Serve(volumes, at string, log *slog.Logger) (stop func() error, err error) {
	s := &Server{store: &store{dir: volumes}, log: log, open: map[string]*servedDisk{}}
	if err := os.MkdirAll(volumes, 0o700); err != nil {
		return nil, err
	}
	mount, err := diskfuse.Mount(at, s)
	if err != nil {
		return nil, err
	}
	return mount.Unmount, nil
}

// Size is part of diskfuse.Disks.
func (s *Server) Size(name string) (int64, error) {
	if name == exceededName {
		said, err := s.Say(name)
		return int64(len(said)), err
	}
	if _, err := s.store.get(name); err != nil {
		return 0, err
	}
	info, err := os.Stat(s.store.disk(name))
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// Say is part of diskfuse.Disks.
func (s *Server) Say(name string) ([]byte, error) {
	if name != exceededName {
		return nil, os.ErrNotExist
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[string]Exceeded{}
	for id, d := range s.open {
		all[id] = d.pacer.exceededSince()
	}
	return json.Marshal(all)
}

// Open is part of diskfuse.Disks. Whoever opens a disk that is open gets the same one: they share its budget.
func (s *Server) Open(id string) (diskfuse.Disk, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d := s.open[id]; d != nil {
		d.users++
		return d, nil
	}
	d, err := s.openDisk(id)
	if err != nil {
		return nil, err
	}
	s.open[id] = d
	return d, nil
}

func (s *Server) openDisk(id string) (*servedDisk, error) {
	v, err := s.store.get(id)
	if err != nil {
		return nil, err
	}
	left, err := s.store.balance(v)
	if err != nil {
		return nil, err
	}
	file, err := os.OpenFile(s.store.disk(id), os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	save := func(left balance) error { return s.store.saveBalance(v, left) }
	return &servedDisk{File: file, id: id, server: s, pacer: newPacer(budget{v.Performance, left}, save, time.Now()), users: 1}, nil
}

// servedDisk is a disk that is in use.
type servedDisk struct {
	*os.File

	id     string
	server *Server
	pacer  *pacer
	// users is locked with the server.
	users int
}

// Admit is part of diskfuse.Disk.
func (d *servedDisk) Admit(now time.Time, write bool, bytes int) time.Time {
	done, err := d.pacer.admit(now, write, bytes)
	if err != nil {
		d.server.log.Error("Budget not saved", "volume", d.id, "err", err)
	}
	return done
}

// Close is part of diskfuse.Disk: the last user's closes it.
func (d *servedDisk) Close() error {
	d.server.mu.Lock()
	defer d.server.mu.Unlock()
	if d.users--; d.users > 0 {
		return nil
	}
	delete(d.server.open, d.id)
	return errors.Join(d.pacer.close(time.Now()), d.File.Close())
}

// Exceeded returns for how long the limits of each volume were exceeded since it has been in use, by the IDs of the volumes.
func (v *Volumes) Exceeded() (map[string]Exceeded, error) {
	all := map[string]Exceeded{}
	err := state.ReadJSON(filepath.Join(v.disks, exceededName), &all)
	return all, err
}
