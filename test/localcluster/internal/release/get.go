package release

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// errHost is about a host rather than about one of its files.
var errHost = errors.New("the host does not serve it")

// errChanged means that what is there of a file cannot be continued.
var errChanged = errors.New("the file is another one than before")

// errShort means that more is to come, and has to be asked for.
var errShort = errors.New("that was only a piece of the rest")

// get downloads one file, however often the connection breaks, and puts its program into the
// store. What was downloaded when it fails is kept, and continued the next time.
func (c *Client) get(ctx context.Context, a artifact) error {
	pieces, err := c.try(ctx, a)
	if errors.Is(err, errWrong) && pieces {
		// The pieces may be of different files, and are gone now.
		c.progress("%v; trying again from the beginning", err)
		_, err = c.try(ctx, a)
	}
	return err
}

// try is get, once. It tells whether the file was put together of pieces that came at different times.
func (c *Client) try(ctx context.Context, a artifact) (pieces bool, err error) {
	limit := c.limits.Grace + time.Duration(a.mib<<20/c.limits.Speed)*time.Second
	slow := fmt.Errorf("%s %s: not downloaded within %s, which is slower than building it: %w", a.Name, a.Version, limit, errHost)
	limited, cancel := context.WithTimeoutCause(ctx, limit, slow)
	defer cancel()
	started := time.Now()
	c.progress("Downloading %s %s from %s (%d MiB)", a.Name, a.Version, c.url(a), a.mib)
	p := c.partial(a)
	pieces, err = c.attempts(limited, a, p)
	if err != nil {
		if cause := context.Cause(limited); cause != nil {
			return pieces, cause
		}
		return pieces, fmt.Errorf("%s %s: %w", a.Name, a.Version, err)
	}
	if err := c.accept(a, p); err != nil {
		return pieces, err
	}
	c.progress("Downloaded %s %s in %.0f s", a.Name, a.Version, time.Since(started).Seconds())
	return pieces, nil
}

// attempts gives up when two in a row brought nothing. It tells whether any of them went on with what was there.
func (c *Client) attempts(ctx context.Context, a artifact, p partial) (pieces bool, err error) {
	for fruitless := 0; ; {
		before := p.size()
		pieces = pieces || before > 0
		err := c.attempt(ctx, a, p)
		if !errors.Is(err, errHost) || ctx.Err() != nil {
			return pieces, err
		}
		fruitless++
		if p.size() > before {
			fruitless = 0
		}
		if fruitless == 2 {
			return pieces, err
		}
		c.progress("%s %s: %v; trying again", a.Name, a.Version, err)
		select {
		case <-ctx.Done():
			return pieces, ctx.Err()
		case <-time.After(c.limits.Pause):
		}
	}
}

// attempt continues a file where it was cut off, if the server still has the same one.
func (c *Client) attempt(ctx context.Context, a artifact, p partial) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stalled := fmt.Errorf("nothing came for %s: %w", c.limits.Stall, errHost)
	watchdog := time.AfterFunc(c.limits.Stall, func() { cancel(stalled) })
	defer watchdog.Stop()

	request, err := c.request(ctx, a)
	if err != nil {
		return err
	}
	offset := p.resume(request)
	response, err := c.http.Do(request)
	if err != nil {
		return broken(ctx, err)
	}
	defer func() { _ = response.Body.Close() }()
	if err := judge(response, offset); err != nil {
		if errors.Is(err, errChanged) {
			err = errors.Join(err, p.remove())
		}
		return err
	}
	file, err := p.open(response)
	if err != nil {
		return here(err)
	}
	body := &meter{Reader: response.Body, beat: func() { watchdog.Reset(c.limits.Stall) }, report: c.report(a, p), every: c.limits.Report, last: time.Now()}
	// A server that sends more than there is would otherwise fill the disk, also piece by piece.
	most := 2 * a.mib << 20
	_, err = io.Copy(file, io.LimitReader(body, most-p.size()))
	if closed := file.Close(); closed != nil {
		return here(closed)
	}
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return here(err) // of the file, and not of the connection
	}
	if err != nil {
		return broken(ctx, err)
	}
	if p.size() >= most {
		return nil // which its checksum will tell
	}
	return p.whole(response)
}

// broken is what ends an attempt but need not end the next.
func broken(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return fmt.Errorf("%w: %w", err, errHost)
}

// judge says whether a response has the file from the offset on, or all of it.
func judge(response *http.Response, offset int64) error {
	switch code := response.StatusCode; {
	case code == http.StatusOK:
		return nil
	case code == http.StatusPartialContent && offset > 0 && strings.HasPrefix(response.Header.Get("Content-Range"), fmt.Sprintf("bytes %d-", offset)):
		return nil
	case code == http.StatusPartialContent, code == http.StatusRequestedRangeNotSatisfiable:
		return fmt.Errorf("%s: %w: %w", response.Status, errChanged, errHost)
	case code >= http.StatusInternalServerError || code == http.StatusTooManyRequests:
		return fmt.Errorf("%s: %s: %w", response.Request.URL.Redacted(), response.Status, errHost)
	}
	return fmt.Errorf("%s: %s", response.Request.URL.Redacted(), response.Status)
}

func (c *Client) report(a artifact, p partial) func() {
	return func() { c.progress("Downloading %s: %d of %d MiB", a.Name, p.size()>>20, a.mib) }
}

// A meter tells that bytes come, and now and then how many there are.
type meter struct {
	io.Reader
	beat, report func()
	every        time.Duration
	last         time.Time
}

func (m *meter) Read(b []byte) (int, error) {
	n, err := m.Reader.Read(b)
	if n > 0 {
		m.beat()
	}
	if now := time.Now(); now.Sub(m.last) >= m.every {
		m.last = now
		m.report()
	}
	return n, err
}

// A partial is what there is of a file: its content, and beside it what the server named this
// version of it, without which it cannot be continued.
type partial struct{ content, validator string }

func (c *Client) partial(a artifact) partial {
	path := filepath.Join(c.store, "."+a.stored())
	return partial{content: path + ".partial", validator: path + ".validator"}
}

func (p partial) size() int64 {
	info, err := os.Stat(p.content)
	if err != nil {
		return 0
	}
	return info.Size()
}

// resume makes a request go on at the end of what there is.
func (p partial) resume(request *http.Request) (offset int64) {
	validator, err := os.ReadFile(p.validator)
	offset = p.size()
	if err != nil || len(validator) == 0 || offset == 0 {
		return 0
	}
	request.Header.Set("Range", fmt.Sprintf("bytes=%d-", offset))
	request.Header.Set("If-Range", string(validator))
	return offset
}

// whole says whether a response was all that was left to come. Those that have the whole file tell it by their end.
func (p partial) whole(response *http.Response) error {
	if response.StatusCode != http.StatusPartialContent {
		return nil
	}
	_, length, _ := strings.Cut(response.Header.Get("Content-Range"), "/")
	if total, err := strconv.ParseInt(length, 10, 64); err == nil && p.size() < total {
		return fmt.Errorf("%w: %w", errShort, errHost)
	}
	return nil
}

// open begins the file, unless the response continues it.
func (p partial) open(response *http.Response) (*os.File, error) {
	if response.StatusCode == http.StatusPartialContent {
		return os.OpenFile(p.content, os.O_WRONLY|os.O_APPEND, 0o644)
	}
	if err := p.remove(); err != nil {
		return nil, err
	}
	if err := os.WriteFile(p.validator, []byte(validator(response.Header)), 0o644); err != nil {
		return nil, err
	}
	return os.OpenFile(p.content, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
}

// validator of a response; a weak entity tag says nothing about bytes.
func validator(header http.Header) string {
	if tag := header.Get("ETag"); tag != "" && !strings.HasPrefix(tag, "W/") {
		return tag
	}
	return header.Get("Last-Modified")
}

func (p partial) remove() error {
	return errors.Join(os.RemoveAll(p.content), os.RemoveAll(p.validator))
}
