package fio

import (
	"regexp"
	"slices"
	"strings"
)

// FilesRead returns patterns, in the form of filepath.Match, of the files that jobs with reads use, as names
// relative to the jobs' directory. It returns none for a raw block device. Where a job has several clones or
// files, its pattern matches any number of them: also what is left of a run with more.
func (f *JobFile) FilesRead() []string {
	var patterns []string
	for _, j := range f.jobs() {
		if j.reads() && !j.isMetadata() {
			patterns = append(patterns, j.filePatterns()...)
		}
	}
	slices.Sort(patterns)
	return slices.Compact(patterns)
}

// keyword matches what fio replaces in option filename_format.
var keyword = regexp.MustCompile(keywordForm)

// filePatterns returns patterns of the job's files. Unlike fileNames it keeps the case of their names.
func (j job) filePatterns() []string {
	if list := j.text("filename", ""); list != "" {
		if strings.HasPrefix(list, "/") {
			return nil // a raw block device, as On sets it
		}
		return strings.Split(escapePattern(list), ":")
	}
	format := escapePattern(j.text("filename_format", defaultFormat))
	return []string{keyword.ReplaceAllStringFunc(format, func(name string) string {
		switch strings.ToLower(name) {
		case "$jobname":
			return escapePattern(j.name)
		case "$jobnum":
			return numberPattern(j.clones())
		case "$filenum":
			return numberPattern(j.files())
		default: // $clientuid, which is empty without a fio server
			return ""
		}
	})}
}

// numberPattern returns a pattern of the numbers from 0 that are less than count.
func numberPattern(count int64) string {
	if count == 1 {
		return "0"
	}
	return "[0-9]*"
}

// escapePattern returns a pattern that matches the text itself only.
var escapePattern = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace
