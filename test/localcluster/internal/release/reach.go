package release

import (
	"context"
	"fmt"
	"net/http"
	"sync"
)

// reach asks each host for the first byte of one file, all at once, and returns what is wrong
// with those that do not give it. A firewall that drops packets costs the limit and no more.
func (c *Client) reach(ctx context.Context, missing []artifact) map[string]error {
	ctx, cancel := context.WithTimeoutCause(ctx, c.limits.Reach, fmt.Errorf("no answer within %s", c.limits.Reach))
	defer cancel()
	first := map[string]artifact{}
	for _, a := range missing {
		if _, ok := first[a.host()]; !ok {
			first[a.host()] = a
		}
	}
	failed := map[string]error{}
	var mutex sync.Mutex
	var group sync.WaitGroup
	for host, a := range first {
		group.Go(func() {
			err := c.probe(ctx, a)
			if err == nil {
				return
			}
			mutex.Lock()
			defer mutex.Unlock()
			failed[host] = fmt.Errorf("%s cannot be reached: %w", c.url(artifact{address: host}), err)
		})
	}
	group.Wait()
	return failed
}

// probe does not mind a file that is missing: the host has others. It is no HEAD, because
// some stores sign addresses for GET only.
func (c *Client) probe(ctx context.Context, a artifact) error {
	request, err := c.request(ctx, a)
	if err != nil {
		return err
	}
	request.Header.Set("Range", "bytes=0-0")
	response, err := c.http.Do(request)
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return err
	}
	_ = response.Body.Close()
	switch response.StatusCode {
	case http.StatusOK, http.StatusPartialContent, http.StatusNotFound:
		return nil
	}
	return fmt.Errorf("%s: %s", c.url(a), response.Status)
}
