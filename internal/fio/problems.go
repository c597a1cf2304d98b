package fio

import (
	"fmt"
	"slices"
	"strings"
)

// problem is why a job must not have an option as it is, and what to do instead. Without a job it is about the file.
type problem struct {
	job    *job
	option string
	why    string
	// isRequired reports whether the job needs the option, where it does not have it.
	isRequired bool
}

func (j *job) problem(option, format string, args ...any) problem {
	return problem{job: j, option: option, why: fmt.Sprintf(format, args...)}
}

func fileProblem(format string, args ...any) problem {
	return problem{why: fmt.Sprintf(format, args...)}
}

// rule refuses an option of jobs.
type rule struct {
	option string
	// jobs are those that the rule is for; nil: all.
	jobs func(j *job) bool
	// refuses reports of a job with the option whether its value cannot work; nil if every value that switches the
	// option on cannot.
	refuses func(j *job) bool
	// why says why it cannot work, and what to do instead.
	why string
}

func (r rule) applies(j *job) bool {
	switch {
	case !j.has(r.option), r.jobs != nil && !r.jobs(j):
		return false
	case r.refuses == nil:
		return j.on(r.option)
	default:
		return r.refuses(j)
	}
}

// broken returns what rules refuse of a job.
func broken(rules []rule, j *job) (problems []problem) {
	for _, r := range rules {
		if r.applies(j) {
			problems = append(problems, problem{job: j, option: r.option, why: r.why})
		}
	}
	return problems
}

// off returns whether a job has an option and switches it off.
func off(name string) func(*job) bool { return func(j *job) bool { return j.has(name) && !j.on(name) } }

// positive returns whether a job gives an option more than 0: a number, a size or a time.
func positive(name string) func(*job) bool {
	return func(j *job) bool { return strings.ContainsAny(j.text(name, ""), "123456789%") }
}

// picksAgain reports whether a job chooses its files in a way that fio does not keep from those that are complete.
func picksAgain(j *job) bool {
	kind, _, _ := strings.Cut(j.text("file_service_type", ""), ":")
	return !slices.Contains([]string{"random", "roundrobin", "sequential"}, kind)
}
