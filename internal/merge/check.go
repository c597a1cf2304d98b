package merge

import (
	"errors"
	"fmt"

	"github.com/storagebench/storagebench/internal/digest"
)

// checkAlike refuses reports that are not of the same run of the same fio.
func checkAlike(reports []*digest.Report) error {
	if len(reports) == 0 {
		return errors.New("no client left a report")
	}
	for client, r := range reports {
		if r == nil {
			return fmt.Errorf("client %d left no report", client)
		}
		if err := checkLike(reports[0], r); err != nil {
			return fmt.Errorf("client %d reports %w", client, err)
		}
	}
	return nil
}

// checkLike compares a report with the first client's. Its errors go on after "client N reports".
func checkLike(first, r *digest.Report) error {
	if r.FioVersion != first.FioVersion {
		return fmt.Errorf("%s, client 0 %s: both need the same image of the runner; name it by its digest", r.FioVersion, first.FioVersion)
	}
	if len(r.Groups) != len(first.Groups) {
		return fmt.Errorf("%d result groups, client 0 %d: all clients need the same job file", len(r.Groups), len(first.Groups))
	}
	for i := range r.Groups {
		if name, want := r.Groups[i].Name, first.Groups[i].Name; name != want {
			return fmt.Errorf("%q as result group %d, client 0 %q: all clients need the same job file", name, i, want)
		}
	}
	return nil
}
