package html

import (
	"math"
	"strconv"
)

// timeline is a run in a chart over time: figures of its points, as lists that have the same length. Lists take a fifth of what as many objects
// would.
type timeline struct {
	Target string `json:"target"`
	// Name says which run it is.
	Name string `json:"name"`
	// Faint is a run beside the one that is looked at first.
	Faint bool `json:"faint,omitempty"`
	// Step is how many seconds points are apart, the first of which is at 0. Y are figures in the unit of the axis.
	Step float64   `json:"step"`
	Y    []rounded `json:"y"`
	// Low and High are the ends of a band, Between what they are called.
	Low     []rounded  `json:"low,omitempty"`
	High    []rounded  `json:"high,omitempty"`
	Between *[2]string `json:"between,omitempty"`
}

// rule is a line across a chart: a limit, or a baseline.
type rule struct {
	Value float64 `json:"value"`
	Text  string  `json:"text"`
	// Below is where figures are above the line rather than below it, so that its label has more room there.
	Below bool `json:"below,omitempty"`
}

// fall is where a run became slower.
type fall struct {
	Target string  `json:"target"`
	X      float64 `json:"x"`
	Y      rounded `json:"y"`
	Text   string  `json:"text"`
}

// rounded is a figure that a chart needs four digits of. What is no number breaks a line.
type rounded float64

// MarshalJSON prints it.
func (r rounded) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(r)) || math.IsInf(float64(r), 0) {
		return []byte("null"), nil
	}
	short, err := strconv.ParseFloat(strconv.FormatFloat(float64(r), 'e', 3, 64), 64)
	return strconv.AppendFloat(nil, short, 'f', -1, 64), err
}

// UnmarshalJSON reads it.
func (r *rounded) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*r = rounded(math.NaN())
		return nil
	}
	f, err := strconv.ParseFloat(string(text), 64)
	*r = rounded(f)
	return err
}

// maxTicks is the most that an axis of time has.
const maxTicks = 8

// timeSteps are the seconds that ticks may be apart.
var timeSteps = []float64{1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 4 * 3600, 6 * 3600, 12 * 3600, 24 * 3600, 48 * 3600, 5 * 24 * 3600, 10 * 24 * 3600}

// timeAxis returns the ticks of an axis that reaches to a second, and its label with the unit. Where there is little room, each second
// one has no label.
func timeAxis(end float64) ([]tick, string) {
	step := timeSteps[len(timeSteps)-1]
	for i := len(timeSteps) - 1; i >= 0 && end/timeSteps[i] <= maxTicks; i-- {
		step = timeSteps[i]
	}
	size, unit := timeUnit(step)
	var ticks []tick
	for i := 0; float64(i)*step <= end && i <= 4*maxTicks; i++ {
		at := float64(i) * step
		ticks = append(ticks, tick{X: at, Label: strconv.FormatFloat(at/size, 'f', -1, 64), Minor: i%2 == 1})
	}
	return ticks, "time in " + unit
}

// timeUnit returns the unit for ticks that are so many seconds apart.
func timeUnit(step float64) (size float64, name string) {
	switch {
	case step < 60:
		return 1, "seconds"
	case step < 3600:
		return 60, "minutes"
	default:
		return 3600, "hours"
	}
}
