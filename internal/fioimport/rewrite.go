package fioimport

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/storagebench/storagebench/internal/fio"
)

// rewriter writes what a job file says in ways that only fio on the user's machine understands, so that it says the same here.
type rewriter struct {
	*report
	Options

	// lines is how many options were included.
	lines int
}

// rewrite returns the sections of a job file in which other files are included, variables have their values, and sections the names of
// their jobs.
func (w *rewriter) rewrite(sections fio.Sections) fio.Sections {
	var rewritten fio.Sections
	for _, section := range sections {
		options := w.included(section.Options)
		for i := range options {
			options[i] = w.plain(w.expanded(options[i]))
		}
		rewritten = append(rewritten, fio.Section{Name: section.Name, Options: w.joined(options)})
	}
	w.nameSections(rewritten)
	if w.Group {
		return grouped(rewritten)
	}
	return rewritten
}

// maxLines bounds how many options are included, since a file can include itself.
const maxLines = 1024

// included returns options with those of included files in the place of the lines that include them. What is beyond the bound
// stays, and is refused.
func (w *rewriter) included(options []fio.Option) []fio.Option {
	var all []fio.Option
	for _, o := range options {
		name := includedFile(o)
		if name == "" || w.Include == nil || w.lines >= maxLines {
			all = append(all, o)
			continue
		}
		more, err := w.read(name)
		if err != nil {
			w.problem("%s: %s", show(o.String()), showUpTo(maxShownError, err.Error()))
			continue
		}
		w.lines += len(more)
		all = append(all, w.included(more)...)
	}
	return all
}

// includedFile returns the name of the file that a line includes; "" if it includes none.
func includedFile(o fio.Option) string {
	name, includes := strings.CutPrefix(o.String(), "include")
	if !includes || name == "" || !strings.ContainsRune(" \t=", rune(name[0])) {
		return ""
	}
	return strings.TrimSpace(name[1:])
}

// read returns the options of an included file, which has no sections.
func (w *rewriter) read(name string) ([]fio.Option, error) {
	text, err := w.Include(name)
	if err != nil {
		return nil, err
	}
	file, err := fio.Parse("[included]\n" + text)
	if err != nil {
		return nil, err
	}
	sections := file.Sections()
	if len(sections) > 1 {
		return nil, errSections
	}
	options := sections[0].Options
	for i := range options {
		options[i].Line = 0 // which is another file's
	}
	w.note("the options of %s stand in the workload itself", show(name))
	return options, nil
}

// expanded returns an option with the values of environment variables, as fio puts them in.
func (w *rewriter) expanded(o fio.Option) fio.Option {
	if w.Variable == nil {
		return o
	}
	o.Value = variable.ReplaceAllStringFunc(o.Value, func(text string) string {
		value, isSet := w.Variable(text[2 : len(text)-1])
		if !isSet || !isPrintable(value) {
			return text // refused as what it is
		}
		w.note("%s is %s, as in the environment of this command", show(text), show(value))
		return value
	})
	return o
}

var variable = regexp.MustCompile(`\$\{[^{}]+\}`)

// plain returns an option by the name or value that is best known of those that mean the same.
func (w *rewriter) plain(o fio.Option) fio.Option {
	said := o.String()
	switch {
	case o.Name == "ioengine" && (o.Value == "aio" || o.Value == "linuxaio"):
		o.Value = "libaio"
	case o.Name == "buffered" && o.Value == "0":
		o.Name, o.Value = "direct", "1"
	case o.Name == "buffered" && o.Value == "1":
		o.Name, o.Value = "direct", "0"
	default:
		return o
	}
	w.note("%s is written as %s, which is the same", said, o)
	return o
}

// joined returns options with one filename that has the files of all, since fio uses all.
func (w *rewriter) joined(options []fio.Option) []fio.Option {
	var all []fio.Option
	first := -1
	for _, o := range options {
		if o.Name != "filename" {
			all = append(all, o)
			continue
		}
		if first < 0 {
			first = len(all)
			all = append(all, o)
			continue
		}
		all[first].Value += ":" + o.Value
		w.note("fio uses the files of each filename in a section: they are one list, with colons")
	}
	return all
}

// groupHint returns what grouped would make of a job file that is refused for the number of its results; "" if it is not.
func groupHint(f *fio.JobFile, problem string) string {
	if len(f.Groups()) <= fio.MaxGroups || !strings.Contains(problem, "group_reporting") {
		return ""
	}
	if n := len(grouped(f.Sections()).File().Groups()); n <= fio.MaxGroups {
		return fmt.Sprintf("; --group does that, and leaves %d", n)
	}
	return "; --group is not enough, as too many run one after the other"
}

// grouped returns the sections of a job file in which the jobs that run at the same time give one result.
func grouped(sections fio.Sections) fio.Sections {
	together := fio.Sections{{Name: globalName, Options: []fio.Option{{Name: "group_reporting"}}}}
	for _, section := range sections {
		kept := fio.Section{Name: section.Name}
		for _, o := range section.Options {
			if o.Name != "group_reporting" && o.Name != "new_group" {
				kept.Options = append(kept.Options, o)
			}
		}
		together = append(together, kept)
	}
	return together
}
