package fioimport

import (
	"fmt"
	"path"
	"strings"

	"github.com/storagebench/storagebench/internal/fio"
	"github.com/storagebench/storagebench/internal/humanize"
)

// globalName is the section of what stands before the first name, which holds for all jobs.
const globalName = "global"

// commandLine collects what a command line says.
type commandLine struct {
	sections fio.Sections
	report   *report
}

// parseCommandLine reads the arguments of fio as fio does (getopt_long_only): options begin with one dash or two; a value follows
// behind = or as the next argument, which flags do not take; what stands before the first name holds for all jobs, and each name
// begins one, of which no other has the options. Unlike fio it does not know options by their first letters.
func parseCommandLine(args []string, r *report) fio.Sections {
	c := &commandLine{report: r}
	if len(args) > 0 && path.Base(args[0]) == "fio" {
		args = args[1:]
	}
	for len(args) > 0 {
		args = c.parse(args[0], args[1:])
	}
	return c.sections
}

// parse reads an argument and returns those after it that are not its value.
func (c *commandLine) parse(arg string, rest []string) []string {
	name, isOption := strings.CutPrefix(arg, "-")
	name = strings.TrimPrefix(name, "-")
	if !isOption || name == "" {
		c.report.problem("%s: fio takes it for the name of a job file: import that one with -f", show(arg))
		return rest
	}
	name, value, hasValue := strings.Cut(name, "=")
	takes := !fio.IsFlag(name)
	if own, isOwn := ownOptions[name]; isOwn {
		takes = own.takesValue
	}
	if takes && !hasValue && len(rest) > 0 && !strings.HasPrefix(rest[0], "--") {
		value, hasValue, rest = rest[0], true, rest[1:]
	}
	c.add(fio.Option{Name: name, Value: strings.TrimSpace(value), HasValue: hasValue})
	return rest
}

// add takes an option: of fio itself, a name that begins a section, or of the section that it stands in.
func (c *commandLine) add(o fio.Option) {
	if own, isOwn := ownOptions[o.Name]; isOwn {
		c.report.own(o, own)
		return
	}
	if !isPrintable(o.Name + o.Value) {
		c.report.problem("%s: it has a character that cannot be printed: remove it", show(o.String()))
		return
	}
	if o.Name == "name" {
		c.sections = append(c.sections, fio.Section{Name: o.Value})
		return
	}
	if len(c.sections) == 0 {
		c.sections = append(c.sections, fio.Section{Name: globalName})
	}
	c.checkOrder(o)
	section := &c.sections[len(c.sections)-1]
	section.Options = append(section.Options, o)
}

// checkOrder refuses a kb_base behind what it is about: fio reads a command line from the left, and a job file by importance.
func (c *commandLine) checkOrder(o fio.Option) {
	if o.Name != "kb_base" || o.Value == "1024" {
		return
	}
	for _, section := range c.sections {
		for _, before := range section.Options {
			if before.HasUnit() {
				c.report.problem("%s: fio has read %s before it, with k for 1,024: write kb_base first", o, before)
				return
			}
		}
	}
}

// ownOption is an option of fio itself, which is about no job.
type ownOption struct {
	takesValue bool
	// dropped is why the option is left out, refused what to do instead; one of them.
	dropped, refused string
}

const (
	aboutOutput   = "what fio prints is kept of each run anyway"
	aboutNothing  = "it measures nothing"
	aboutMachines = "set spec.clients to measure from several nodes"
)

// ownOptions are those of fio 3.40 (init.c, l_opts), which may be given as -name and --name.
var ownOptions = map[string]ownOption{
	"output":              {takesValue: true, dropped: aboutOutput},
	"output-format":       {takesValue: true, dropped: aboutOutput},
	"minimal":             {dropped: aboutOutput},
	"append-terse":        {dropped: aboutOutput},
	"terse-version":       {takesValue: true, dropped: aboutOutput},
	"eta":                 {takesValue: true, dropped: aboutOutput},
	"eta-interval":        {takesValue: true, dropped: aboutOutput},
	"eta-newline":         {takesValue: true, dropped: aboutOutput},
	"status-interval":     {takesValue: true, dropped: aboutOutput},
	"debug":               {takesValue: true, dropped: aboutOutput},
	"bandwidth-log":       {dropped: aboutOutput},
	"latency-log":         {takesValue: true, dropped: aboutOutput},
	"inflate-log":         {takesValue: true, dropped: aboutOutput},
	"idle-prof":           {takesValue: true, dropped: aboutOutput},
	"warnings-fatal":      {dropped: aboutOutput},
	"max-jobs":            {takesValue: true, dropped: "fio has room for as many jobs as a workload may have"},
	"alloc-size":          {takesValue: true, dropped: "fio's memory follows from the pod: spec.pod.resources"},
	"readonly":            {dropped: "rw alone says whether fio writes"},
	"client":              {takesValue: true, dropped: aboutMachines},
	"remote-config":       {takesValue: true, refused: "import that job file with -f"},
	"server":              {refused: aboutMachines},
	"daemonize":           {takesValue: true, refused: aboutMachines},
	"section":             {takesValue: true, refused: "remove the other sections from the job file"},
	"profile":             {takesValue: true, refused: "write out the options that the profile stands for"},
	"trigger":             {takesValue: true, refused: "it runs commands: remove it"},
	"trigger-file":        {takesValue: true, refused: "it runs commands: remove it"},
	"trigger-remote":      {takesValue: true, refused: "it runs commands: remove it"},
	"trigger-timeout":     {takesValue: true, refused: "it runs commands: remove it"},
	"aux-path":            {takesValue: true, refused: "it names files outside of the volume: remove it"},
	"merge-blktrace-only": {refused: aboutNothing + ": remove it"},
	"version":             {refused: aboutNothing + ": remove it"},
	"help":                {refused: aboutNothing + ": remove it"},
	"cmdhelp":             {refused: aboutNothing + ": remove it"},
	"enghelp":             {refused: aboutNothing + ": remove it"},
	"showcmd":             {refused: aboutNothing + ": remove it"},
	"parse-only":          {refused: aboutNothing + ": remove it"},
	"cpuclock-test":       {refused: aboutNothing + ": remove it"},
	"crctest":             {refused: aboutNothing + ": remove it"},
	"memcpytest":          {refused: aboutNothing + ": remove it"},
}

// own reports an option of fio itself.
func (r *report) own(o fio.Option, own ownOption) {
	if own.refused != "" {
		r.problem("--%s: %s", show(o.String()), own.refused)
		return
	}
	r.drop("--"+o.String(), own.dropped)
}

// show makes a user's text fit for a message: at most 64 bytes of it, with escapes where it could not be printed.
func show(text string) string {
	const most = 64
	return showUpTo(most, text)
}

// maxShownError is the most bytes that are shown of an error that names files.
const maxShownError = 512

func showUpTo(most int, text string) string {
	text = humanize.Cut(text, most, "...")
	if !isPrintable(text) {
		return fmt.Sprintf("%q", text)
	}
	return text
}
