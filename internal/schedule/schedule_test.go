package schedule

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

func at(t *testing.T, text string) time.Time {
	t.Helper()
	if text == "" {
		return time.Time{}
	}
	parsed, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func read(t *testing.T, schedule, zone string) *Cron {
	t.Helper()
	spec := &v1alpha1.StorageBenchmarkScheduleSpec{Schedule: schedule}
	if zone != "" {
		spec.TimeZone = &zone
	}
	c, problem := Parse(spec, at(t, "2026-11-24T00:00:00Z"))
	if problem != nil {
		t.Fatal(problem)
	}
	return c
}

func TestParse(t *testing.T) {
	for name, test := range map[string]struct {
		schedule string
		zone     *string
		problem  string
	}{
		"five fields":                 {schedule: "0 3 * * *"},
		"names and steps":             {schedule: "*/15 0-6,22 1 JAN mon"},
		"a word":                      {schedule: "@daily"},
		"a duration":                  {schedule: "@every 36h"},
		"a time zone":                 {schedule: "0 3 * * *", zone: new("Asia/Tokyo")},
		"four fields":                 {schedule: "0 3 * *", problem: `spec.schedule: Invalid value: "0 3 * *": it cannot be read as a schedule`},
		"six fields":                  {schedule: "0 0 3 * * *", problem: "it cannot be read as a schedule"},
		"an hour that no day has":     {schedule: "0 24 * * *", problem: "it cannot be read as a schedule"},
		"a day that no year has":      {schedule: "0 0 30 2 *", problem: "there is no such day"},
		"a time zone in the schedule": {schedule: "TZ=Asia/Tokyo 0 3 * * *", problem: "set timeZone"},
		"what the parser takes ill":   {schedule: "TZ=", problem: "set timeZone"},
		"too short a duration":        {schedule: "@every 30s", problem: "at least 1m0s"},
		"no duration":                 {schedule: "@every soon", problem: "it cannot be read as a schedule"},
		"nobody's zone":               {schedule: "@daily", zone: new("Mars/Olympus"), problem: `spec.timeZone: Invalid value: "Mars/Olympus": there is no such time zone`},
		"a zone that is a path":       {schedule: "@daily", zone: new("../../etc/passwd"), problem: "there is no such time zone"},
		"the local zone":              {schedule: "@daily", zone: new("local"), problem: "the local time zone depends on the machine; name one of the tz database"},
	} {
		t.Run(name, func(t *testing.T) {
			_, problem := Parse(&v1alpha1.StorageBenchmarkScheduleSpec{Schedule: test.schedule, TimeZone: test.zone}, at(t, "2026-11-24T00:00:00Z"))
			switch {
			case problem == nil && test.problem != "":
				t.Errorf("no problem, want %q", test.problem)
			case problem != nil && (test.problem == "" || !strings.Contains(problem.Error(), test.problem)):
				t.Errorf("problem %q, want %q", problem, test.problem)
			}
		})
	}
}

const created = "2026-11-24T00:00:30Z"

func TestDecide(t *testing.T) {
	const daily, minutely = "0 3 * * *", "* * * * *"
	one := []Benchmark{{Name: "one"}}
	before := []Benchmark{{Name: Name("nightly", "uid", at(t, "2026-11-23T03:00:00Z"))}}
	byHand := []Benchmark{{Name: "nightly-now-x2b7k"}, {Name: Name("nightly", "another", at(t, "2026-11-23T03:00:00Z"))}, {Name: "nightly-" + hashOf("uid")}, {Name: "nightly-now-" + hashOf("uid")}}
	its := []Benchmark{{Name: "one"}, {Name: Name("nightly", "uid", at(t, "2026-11-24T03:00:00Z"))}}
	for name, test := range map[string]struct {
		schedule, zone, last, now string
		deadline                  time.Duration
		suspended                 bool
		policy                    v1alpha1.ConcurrencyPolicy
		benchmarks                []Benchmark

		due, next string
		missed    int
		replaces  []Benchmark
		waits     bool
		made      bool
	}{
		"not due yet":        {schedule: daily, now: "2026-11-24T02:59:59Z", next: "2026-11-24T03:00:00Z"},
		"due":                {schedule: daily, now: "2026-11-24T03:00:00Z", due: "2026-11-24T03:00:00Z", next: "2026-11-25T03:00:00Z"},
		"late":               {schedule: daily, now: "2026-11-24T09:00:00Z", due: "2026-11-24T03:00:00Z", next: "2026-11-25T03:00:00Z"},
		"made":               {schedule: daily, last: "2026-11-24T03:00:00Z", now: "2026-11-24T03:00:00Z", next: "2026-11-25T03:00:00Z"},
		"due as it was made": {schedule: "30 0 * * *", now: "2026-11-24T00:00:40Z", next: "2026-11-24T00:30:00Z"},

		// Of several starts that are due the last is made.
		"some missed":             {schedule: daily, last: "2026-11-24T03:00:00Z", now: "2026-11-27T04:00:00Z", due: "2026-11-27T03:00:00Z", missed: 2, next: "2026-11-28T03:00:00Z"},
		"a hundred missed":        {schedule: minutely, last: "2026-11-24T03:00:00Z", now: "2026-11-24T04:41:00Z", due: "2026-11-24T04:41:00Z", missed: 100, next: "2026-11-24T04:42:00Z"},
		"more than a hundred":     {schedule: minutely, last: "2026-11-24T03:00:00Z", now: "2026-11-24T12:00:00Z", due: "2026-11-24T12:00:00Z", missed: 101, next: "2026-11-24T12:01:00Z"},
		"three years of minutes":  {schedule: minutely, now: "2029-11-24T12:00:10Z", due: "2029-11-24T12:00:00Z", missed: 101, next: "2029-11-24T12:01:00Z"},
		"years of a day's starts": {schedule: "* * 1 1 *", now: "2028-12-24T12:00:10Z", due: "2028-01-01T23:59:00Z", missed: 101, next: "2029-01-01T00:00:00Z"},

		// startingDeadlineSeconds
		"late within the deadline":   {schedule: daily, deadline: time.Hour, now: "2026-11-24T04:00:00Z", due: "2026-11-24T03:00:00Z", next: "2026-11-25T03:00:00Z"},
		"late beyond the deadline":   {schedule: daily, deadline: time.Hour, now: "2026-11-24T04:00:01Z", next: "2026-11-25T03:00:00Z"},
		"missed beyond the deadline": {schedule: "0 * * * *", deadline: time.Minute, last: "2026-11-24T03:00:00Z", now: "2026-11-24T08:00:10Z", due: "2026-11-24T08:00:00Z", missed: 4, next: "2026-11-24T09:00:00Z"},

		// Long runs.
		"Allow beside another one":         {schedule: daily, now: "2026-11-24T03:00:00Z", benchmarks: one, due: "2026-11-24T03:00:00Z", next: "2026-11-25T03:00:00Z"},
		"Forbid beside another one":        {schedule: daily, policy: v1alpha1.ConcurrencyForbid, now: "2026-11-24T03:00:00Z", benchmarks: one, waits: true, next: "2026-11-25T03:00:00Z"},
		"Forbid after its end":             {schedule: daily, policy: v1alpha1.ConcurrencyForbid, now: "2026-11-24T05:00:00Z", benchmarks: []Benchmark{{Name: "one", State: Failed}}, due: "2026-11-24T03:00:00Z", next: "2026-11-25T03:00:00Z"},
		"Forbid after its end is too late": {schedule: daily, policy: v1alpha1.ConcurrencyForbid, deadline: time.Hour, now: "2026-11-24T05:00:00Z", next: "2026-11-25T03:00:00Z"},
		"Forbid beside one that is deleted": {schedule: daily, policy: v1alpha1.ConcurrencyForbid, now: "2026-11-24T03:00:00Z", benchmarks: []Benchmark{{Name: "one", Deleting: true}},
			waits: true, next: "2026-11-25T03:00:00Z"},
		"Forbid before it is due":                     {schedule: daily, policy: v1alpha1.ConcurrencyForbid, now: "2026-11-24T02:00:00Z", benchmarks: one, next: "2026-11-24T03:00:00Z"},
		"Replace another one":                         {schedule: daily, policy: v1alpha1.ConcurrencyReplace, now: "2026-11-24T03:00:00Z", benchmarks: before, due: "2026-11-24T03:00:00Z", replaces: before, next: "2026-11-25T03:00:00Z"},
		"Replace none that somebody has started":      {schedule: daily, policy: v1alpha1.ConcurrencyReplace, now: "2026-11-24T03:00:00Z", benchmarks: byHand, due: "2026-11-24T03:00:00Z", next: "2026-11-25T03:00:00Z"},
		"Forbid beside one that somebody has started": {schedule: daily, policy: v1alpha1.ConcurrencyForbid, now: "2026-11-24T03:00:00Z", benchmarks: byHand, waits: true, next: "2026-11-25T03:00:00Z"},
		"Replace one that is over":                    {schedule: daily, policy: v1alpha1.ConcurrencyReplace, now: "2026-11-24T03:00:00Z", benchmarks: []Benchmark{{Name: before[0].Name, State: Succeeded}}, due: "2026-11-24T03:00:00Z", next: "2026-11-25T03:00:00Z"},
		"Replace one that is going":                   {schedule: daily, policy: v1alpha1.ConcurrencyReplace, now: "2026-11-24T03:00:00Z", benchmarks: []Benchmark{{Name: before[0].Name, Deleting: true}}, due: "2026-11-24T03:00:00Z", next: "2026-11-25T03:00:00Z"},
		"Replace nothing before due":                  {schedule: daily, policy: v1alpha1.ConcurrencyReplace, now: "2026-11-24T02:00:00Z", benchmarks: before, next: "2026-11-24T03:00:00Z"},

		// A pass was ended before it had noted what it made.
		"made, and not noted":              {schedule: daily, last: "2026-11-22T03:00:00Z", now: "2026-11-24T03:00:01Z", benchmarks: its, due: "2026-11-24T03:00:00Z", made: true, missed: 1, next: "2026-11-25T03:00:00Z"},
		"Forbid made, and not noted":       {schedule: daily, policy: v1alpha1.ConcurrencyForbid, now: "2026-11-24T03:00:01Z", benchmarks: its, due: "2026-11-24T03:00:00Z", made: true, next: "2026-11-25T03:00:00Z"},
		"Replace does not replace its own": {schedule: daily, policy: v1alpha1.ConcurrencyReplace, now: "2026-11-24T03:00:01Z", benchmarks: its, due: "2026-11-24T03:00:00Z", made: true, next: "2026-11-25T03:00:00Z"},

		"suspended": {schedule: daily, suspended: true, now: "2026-11-24T05:00:00Z"},

		// Clocks that step.
		"the clock steps back a little": {schedule: minutely, last: "2026-11-24T03:00:00Z", now: "2026-11-24T02:58:00Z", next: "2026-11-24T03:01:00Z"},
		"the clock steps forward":       {schedule: daily, last: "2026-11-24T03:00:00Z", now: "2027-11-24T03:00:00Z", due: "2027-11-24T03:00:00Z", missed: 101, next: "2027-11-25T03:00:00Z"},
		"made by a clock that is ahead": {schedule: minutely, now: "2026-11-23T23:00:00Z", next: "2026-11-24T00:01:00Z"},

		// Time zones. Berlin's clocks go from 2:00 to 3:00 on 2027-03-28, and from 3:00 to 2:00 on 2026-10-25 and 2027-10-31.
		"a time zone":                       {schedule: daily, zone: "Asia/Tokyo", now: "2026-11-24T18:00:00Z", due: "2026-11-24T18:00:00Z", next: "2026-11-25T18:00:00Z"},
		"winter":                            {schedule: daily, zone: "Europe/Berlin", last: "2027-03-26T02:00:00Z", now: "2027-03-27T02:00:00Z", due: "2027-03-27T02:00:00Z", next: "2027-03-28T01:00:00Z"},
		"summer":                            {schedule: daily, zone: "Europe/Berlin", last: "2027-03-27T02:00:00Z", now: "2027-03-28T01:00:00Z", due: "2027-03-28T01:00:00Z", next: "2027-03-29T01:00:00Z"},
		"a time that the day does not have": {schedule: "30 2 * * *", zone: "Europe/Berlin", last: "2027-03-27T01:30:00Z", now: "2027-03-28T12:00:00Z", next: "2027-03-29T00:30:00Z"},
		"a time that the day has twice":     {schedule: "30 2 * * *", zone: "Europe/Berlin", last: "2027-10-31T00:30:00Z", now: "2027-10-31T12:00:00Z", due: "2027-10-31T01:30:00Z", next: "2027-11-01T01:30:00Z"},
		"each hour of a day that has twenty-five": {schedule: "0 * * * *", zone: "Europe/Berlin", last: "2027-10-31T00:00:00Z", now: "2027-10-31T01:00:00Z", due: "2027-10-31T01:00:00Z", next: "2027-10-31T02:00:00Z"},

		// @every counts from the start before.
		"every, not due":                  {schedule: "@every 90m", now: "2026-11-24T01:00:00Z", next: "2026-11-24T01:30:30Z"},
		"every, due":                      {schedule: "@every 90m", now: "2026-11-24T01:30:30Z", due: "2026-11-24T01:30:30Z", next: "2026-11-24T03:00:30Z"},
		"every, some missed":              {schedule: "@every 90m", last: "2026-11-24T01:30:30Z", now: "2026-11-24T06:15:00Z", due: "2026-11-24T06:00:30Z", missed: 2, next: "2026-11-24T07:30:30Z"},
		"every, late beyond the deadline": {schedule: "@every 90m", deadline: time.Minute, last: "2026-11-24T01:30:30Z", now: "2026-11-24T06:15:00Z", next: "2026-11-24T07:30:30Z"},
		"every, the clock steps back":     {schedule: "@every 90m", last: "2026-11-24T01:30:30Z", now: "2026-11-24T01:20:00Z", next: "2026-11-24T03:00:30Z"},
	} {
		t.Run(name, func(t *testing.T) {
			if test.policy == "" {
				test.policy = v1alpha1.ConcurrencyAllow
			}
			got := Decide(read(t, test.schedule, test.zone), &Facts{
				Name: "nightly", UID: "uid", Now: at(t, test.now), Created: at(t, created), Last: at(t, test.last), Deadline: test.deadline, Suspended: test.suspended, Policy: test.policy, Benchmarks: test.benchmarks,
			})
			want := Start{Due: at(t, test.due), Next: at(t, test.next), Missed: test.missed, Replaces: test.replaces, Waits: test.waits, Made: test.made}
			if len(got.Replaces) == 0 {
				got.Replaces = nil
			}
			if diff := cmp.Diff(want, got, cmp.Comparer(time.Time.Equal)); diff != "" {
				t.Errorf("decision (-want +got):\n%s", diff)
			}
		})
	}
}

// While too many StorageBenchmarks are there, whatever their state, none is made. One that is there already counts as made.
func TestCrowded(t *testing.T) {
	its := Benchmark{Name: Name("nightly", "uid", at(t, "2026-11-24T03:00:00Z"))}
	const due, notDue = "2026-11-24T03:00:00Z", "2026-11-24T02:00:00Z"
	for name, test := range map[string]struct {
		now        string
		policy     v1alpha1.ConcurrencyPolicy
		benchmarks []Benchmark
		limits     int
		suspended  bool

		isDue, crowded bool
	}{
		"one less":               {now: due, benchmarks: many(31, Active), isDue: true},
		"all of them measure":    {now: due, benchmarks: many(32, Active), crowded: true},
		"all of them have ended": {now: due, benchmarks: many(32, Succeeded), crowded: true},
		"before the start":       {now: notDue, benchmarks: many(32, Failed), crowded: true},
		"Forbid":                 {now: due, policy: v1alpha1.ConcurrencyForbid, benchmarks: many(32, Active), crowded: true},
		"Replace":                {now: due, policy: v1alpha1.ConcurrencyReplace, benchmarks: many(32, Active), crowded: true},
		"low history limits":     {now: due, benchmarks: many(32, Succeeded), limits: 16, crowded: true},
		"high history limits":    {now: due, benchmarks: many(64, Succeeded), limits: 64, isDue: true},
		"more than high limits":  {now: due, benchmarks: many(80, Succeeded), limits: 64, crowded: true},
		"suspended":              {now: due, benchmarks: many(99, Active), suspended: true},
		"made, and not noted":    {now: due, benchmarks: append(many(31, Active), its), isDue: true, crowded: true},
	} {
		got := Decide(read(t, "0 3 * * *", ""), &Facts{
			Name: "nightly", UID: "uid", Now: at(t, test.now), Created: at(t, created),
			Suspended: test.suspended, Policy: test.policy, Benchmarks: test.benchmarks, Limits: test.limits,
		})
		if !got.Due.IsZero() != test.isDue || got.Crowded != test.crowded || got.Waits || len(got.Replaces) > 0 {
			t.Errorf("%s: decision is %+v", name, got)
		}
	}
}

// many returns so many StorageBenchmarks in a state.
func many(n int, state State) []Benchmark {
	all := make([]Benchmark, n)
	for i := range all {
		all[i] = Benchmark{Name: fmt.Sprintf("nightly-now-%d", i), State: state}
	}
	return all
}

// A last start, or a creation, by a clock that was far ahead holds nothing back.
func TestIsAhead(t *testing.T) {
	for name, test := range map[string]struct {
		created, last, now string
		want               bool
	}{
		"just created":                  {created: "2026-11-24T03:00:00Z", now: "2026-11-24T03:00:00Z"},
		"the clock steps back a little": {created: "2026-01-01T00:00:00Z", last: "2026-11-24T03:00:00Z", now: "2026-11-24T02:01:00Z"},
		"the clock was years ahead":     {created: "2026-01-01T00:00:00Z", last: "2031-01-01T00:00:00Z", now: "2026-11-24T02:58:10Z", want: true},
		"created by such a clock":       {created: "2027-11-24T00:00:00Z", now: "2026-11-24T03:00:00Z", want: true},
		"and dealt with":                {created: "2027-11-24T00:00:00Z", last: "2026-11-24T03:00:00Z", now: "2026-11-24T03:00:00Z"},
	} {
		facts := &Facts{Created: at(t, test.created), Last: at(t, test.last), Now: at(t, test.now)}
		if got := facts.IsAhead(); got != test.want {
			t.Errorf("%s: ahead: %t", name, got)
		}
	}
}

func TestSurplus(t *testing.T) {
	ended := func(name string, state State, hour int, kept bool) Benchmark {
		return Benchmark{Name: name, State: state, Ended: time.Date(2026, 11, 24, hour, 0, 0, 0, time.UTC), Kept: kept}
	}
	going := ended("going", Succeeded, 0, true)
	going.Deleting = true
	for name, test := range map[string]struct {
		benchmarks        []Benchmark
		succeeded, failed int
		want              string
	}{
		"none":                         {},
		"as many as the limit":         {benchmarks: []Benchmark{ended("a", Succeeded, 1, true)}, succeeded: 1},
		"the oldest":                   {benchmarks: []Benchmark{ended("b", Succeeded, 2, true), ended("a", Succeeded, 1, true), ended("c", Succeeded, 3, true)}, succeeded: 1, want: "[a b]"},
		"each kind by its limit":       {benchmarks: []Benchmark{ended("a", Succeeded, 1, true), ended("b", Failed, 2, true), ended("c", Failed, 3, true)}, succeeded: 1, failed: 1, want: "[b]"},
		"all":                          {benchmarks: []Benchmark{ended("a", Succeeded, 1, true), ended("b", Failed, 2, true)}, want: "[a b]"},
		"none that is active":          {benchmarks: []Benchmark{{Name: "a", Kept: true}}},
		"none whose point is not kept": {benchmarks: []Benchmark{ended("a", Succeeded, 1, false), ended("b", Succeeded, 2, true)}, want: "[b]"},
		"none in place of it":          {benchmarks: []Benchmark{ended("a", Succeeded, 1, false), ended("b", Succeeded, 2, true)}, succeeded: 1},
		"none twice":                   {benchmarks: []Benchmark{going, ended("b", Succeeded, 2, true)}, succeeded: 1},
	} {
		t.Run(name, func(t *testing.T) {
			var names []string
			for _, b := range Surplus(test.benchmarks, test.succeeded, test.failed) {
				names = append(names, b.Name)
			}
			if got := fmt.Sprint(names); names != nil && got != test.want || names == nil && test.want != "" {
				t.Errorf("surplus are %s, want %s", got, test.want)
			}
		})
	}
}

// A template that the API server would refuse, were its CustomResourceDefinition of this version, forges none of the operator's labels.
func TestForgedTemplate(t *testing.T) {
	s := &v1alpha1.StorageBenchmarkSchedule{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "nightly", UID: "the-uid"}}
	s.Spec.Template.Metadata = v1alpha1.TemplateMetadata{
		Labels:      map[string]string{v1alpha1.LabelSchedule: "other", v1alpha1.LabelRole: v1alpha1.RoleRun, "team": "storage"},
		Annotations: map[string]string{v1alpha1.AnnotationRequested: "true", v1alpha1.AnnotationScheduledTime: "2000-01-01T00:00:00Z", "note": "x"},
	}
	due := time.Date(2026, 11, 24, 3, 0, 0, 0, time.UTC)
	sb := ForStart(s, due)
	if diff := cmp.Diff(map[string]string{v1alpha1.LabelSchedule: "nightly", "team": "storage"}, sb.Labels); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{v1alpha1.AnnotationScheduledTime: "2026-11-24T03:00:00Z", "note": "x"}, sb.Annotations); diff != "" {
		t.Errorf("annotations (-want +got):\n%s", diff)
	}
	if len(sb.OwnerReferences) != 1 || sb.OwnerReferences[0].UID != s.UID || len(sb.Finalizers) > 0 {
		t.Errorf("owners are %v, and finalizers %v", sb.OwnerReferences, sb.Finalizers)
	}
}

// Clocks and schedules at the ends of what they can be take no longer than others, and nothing is due that never comes.
func TestExtremes(t *testing.T) {
	at := func(year int) time.Time { return time.Date(year, 11, 24, 3, 0, 30, 0, time.UTC) }
	for name, test := range map[string]struct {
		schedule string
		zone     *string
		last     time.Time
		now      time.Time
		due      bool
	}{
		"away since the year 1, each minute": {"* * * * *", nil, at(1), at(2026), true},
		"away since the year 1, @every":      {"@every 1m", nil, at(1), at(2026), true},
		"in the year 9999":                   {"* * * * *", nil, at(9998), at(9999), true},
		"in the year 9999, @every":           {"@every 1m", nil, at(9998), at(9999), true},
		"once in four years":                 {"0 0 29 2 *", nil, at(1970), at(2026), true},
		"the longest @every":                 {"@every 2562047h", nil, at(2026), at(2027), false},
		"a zone of another day":              {"0 3 * * *", new("Pacific/Kiritimati"), at(2026), at(2026).Add(time.Hour), false},
		"all minutes, one by one":            {"0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15 * * * *", nil, at(1990), at(2026), true},
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			cron, problem := Parse(&v1alpha1.StorageBenchmarkScheduleSpec{Schedule: test.schedule, TimeZone: test.zone}, test.now)
			if problem != nil {
				t.Fatal(problem)
			}
			start := Decide(cron, &Facts{Name: "nightly", UID: "uid", Now: test.now, Created: test.last, Last: test.last})
			if start.Due.IsZero() == test.due || start.Due.After(test.now) || start.Missed > MostMissed+1 {
				t.Errorf("due %s, missed %d", start.Due, start.Missed)
			}
			if took := time.Since(began); took > time.Second {
				t.Errorf("it took %s", took)
			}
		})
	}
}

// Whoever makes the benchmark of a start gives it the same name, another schedule's has another one, and it can be a label's value.
func TestName(t *testing.T) {
	due := time.Date(2026, 11, 24, 3, 0, 0, 0, time.UTC)
	name := Name("nightly", "uid", due)
	for what, other := range map[string]string{
		"another operator's in another time zone": Name("nightly", "uid", due.In(time.FixedZone("", 3600))),
	} {
		if other != name {
			t.Errorf("%s is %s, want %s", what, other, name)
		}
	}
	for what, other := range map[string]string{
		"a minute later":               Name("nightly", "uid", due.Add(time.Minute)),
		"a schedule that is made anew": Name("nightly", "another", due),
		"a schedule with another name": Name("weekly", "uid", due),
	} {
		if other == name {
			t.Errorf("%s has the same name", what)
		}
	}
	if longest := Name(strings.Repeat("a", 48), "uid", time.Date(2150, 1, 1, 0, 0, 0, 0, time.UTC)); len(longest) > 63 {
		t.Errorf("%s has %d characters", longest, len(longest))
	}
}
