package steady

import (
	"fmt"
	"strings"
	"time"
)

// Metrics are those that can be steady, by fio's names.
const (
	IOPS      = "iops"
	Bandwidth = "bw"
)

const (
	// PauseSeconds is how long fio runs before it measures what is steady: between what ran before and this it was started anew, and storage with
	// credits had a moment to get some back.
	PauseSeconds = 2
	// TogetherPauseSeconds is how long several clients have to end what they do before, and to begin to measure together.
	TogetherPauseSeconds = 2
)

// Until is until when fio runs the same before it measures.
type Until struct {
	// Metric is what has to be steady: IOPS or Bandwidth.
	Metric string
	// WindowSeconds is for how long, SlopePercent and RangePercent within what.
	WindowSeconds, SlopePercent, RangePercent int32
	// MostSeconds is for how long fio runs before it measures, if that is not steady sooner.
	MostSeconds int32
	// Judged says that what is measured has to be steady as well: it is the window. Otherwise what is measured only begins warm.
	Judged bool
}

// Window returns how long the window is.
func (u *Until) Window() time.Duration { return time.Duration(u.WindowSeconds) * time.Second }

// Most returns for how long fio runs before it measures.
func (u *Until) Most() time.Duration { return time.Duration(u.MostSeconds) * time.Second }

// ExtraSeconds is what a run takes beside what it measures.
func (u *Until) ExtraSeconds() int64 {
	if u == nil {
		return 0
	}
	return int64(u.MostSeconds) + TogetherPauseSeconds
}

// untilFormat is how String writes it.
const untilFormat = "%d:%d:%d:%d:%t:%s"

// String returns it as an argument of the runner. Parse reads it.
func (u *Until) String() string {
	return fmt.Sprintf(untilFormat, u.WindowSeconds, u.SlopePercent, u.RangePercent, u.MostSeconds, u.Judged, u.Metric)
}

// Parse reads what String wrote.
func Parse(text string) (*Until, error) {
	u := &Until{}
	if _, err := fmt.Sscanf(text, untilFormat, &u.WindowSeconds, &u.SlopePercent, &u.RangePercent, &u.MostSeconds, &u.Judged, &u.Metric); err != nil {
		return nil, fmt.Errorf("%.64q is no steady state, such as 60:10:20:3600:true:iops: %w", text, err)
	}
	if u.WindowSeconds < Rounds || u.MostSeconds < 0 || strings.TrimSpace(u.Metric) == "" {
		return nil, fmt.Errorf("%.64q is no steady state that can be reached", text)
	}
	return u, nil
}
