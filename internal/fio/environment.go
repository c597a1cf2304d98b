package fio

// Job files are given to containers as variables of their environment. The kernel limits each variable to 128 KiB
// (MAX_ARG_STRLEN), and all of them with the arguments to a quarter of the limit of the stack, but never to less than 128 KiB:
// https://man7.org/linux/man-pages/man2/execve.2.html (Limits on size of arguments and environment).
// A container with more never starts. What is left of 128 KiB is for the other variables and the arguments.
const (
	// maxJobBytes bounds the text of the job file that a container is given.
	maxJobBytes = 60 << 10
	// maxLayoutBytes bounds the text of the one that LayoutFile or LayoutObjects makes.
	maxLayoutBytes = 64 << 10
)

// longestPrefix is as long as the longest prefix that WithNamePrefix is given: there are up to 128 clients.
const longestPrefix = "client-127."

// checkText refuses a job file that no container could be given.
func (g *guard) checkText(f *JobFile) {
	if n := len(f.String()); n > maxJobBytes {
		g.refuse("the job file takes %d bytes, and a container can be given %d: use fewer or shorter options", n, maxJobBytes)
	}
}

// checkObjectNames refuses lists of names that no container could be given: on an object store each name gets a prefix,
// which may be many times as long as the name.
func (g *guard) checkObjectNames(f *JobFile) {
	if len(g.errs) > 0 {
		return // names that cannot be are not looked at
	}
	const rule = "on an object store each name in filename gets a prefix, so that %s takes %d bytes, and a container can be given %d: use fewer names, or nrfiles instead of filename"
	if n := len(f.OnObjectStore().WithObjectNames("").WithNamePrefix(longestPrefix).String()); n > maxJobBytes {
		g.refuse(rule, "the job file", n, maxJobBytes)
	}
	if layout, _ := layoutOfObjects(f); layout != nil {
		if n := len(layout.WithNamePrefix(longestPrefix).String()); n > maxLayoutBytes {
			g.refuse(rule, "the one that lays out what is read", n, maxLayoutBytes)
		}
	}
}
