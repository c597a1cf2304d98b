package plugin

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
)

func TestExplainResult(t *testing.T) {
	server := newServer(t, measured("ns", "first", "gp3", 100), measured("ns", "second", "gp3", 100))
	t.Setenv("KUBECONFIG", "/dev/null")
	const sure = "  How sure  One run does not show how much results vary by chance: set repetitions to 4 or more for a verdict, to 6 or more for a confidence interval.\n"
	const noFile = "Completion ended with directive: ShellCompDirectiveNoFileComp\n"
	for name, test := range map[string]struct {
		args []string
		want execution
	}{
		"all": {[]string{"explain-result", "first"}, execution{Out: "w on gp3\n" +
			"  Measured  Sequential reads in blocks of 4k by 1 job (psync), through the page cache, on storage.\n" +
			"  Result    100 reads and 100 B a second.\n" + sure}},
		"a run": {[]string{"explain-result", "first", "w.gp3"}, execution{Out: "w.gp3\n" +
			"  Measured  Sequential reads in blocks of 4k by 1 job (psync), through the page cache, on storage.\n" +
			"  Result    100 reads and 100 B a second.\n" + sure}},
		"an unknown run":        {[]string{"explain-result", "first", "x"}, execution{Err: "Error: run \"x\": first has w.gp3\n", Failed: true}},
		"missing":               {[]string{"explain-result", "third"}, execution{Err: "Error: not found\n", Failed: true}},
		"completion of names":   {[]string{cobra.ShellCompNoDescRequestCmd, "explain-result", ""}, execution{Out: "first\nsecond\n:4\n", Err: noFile}},
		"completion of runs":    {[]string{cobra.ShellCompNoDescRequestCmd, "explain-result", "first", ""}, execution{Out: "w.gp3\n:4\n", Err: noFile}},
		"runs of what is not":   {[]string{cobra.ShellCompNoDescRequestCmd, "explain-result", "third", ""}, execution{Out: ":4\n", Err: noFile}},
		"nothing behind a run":  {[]string{cobra.ShellCompNoDescRequestCmd, "explain-result", "first", "w.gp3", ""}, execution{Out: ":4\n", Err: noFile}},
		"completion of a flag":  {[]string{cobra.ShellCompNoDescRequestCmd, "explain-result", "--no-c"}, execution{Out: "--no-color\n:4\n", Err: noFile}},
		"too many arguments":    {[]string{"explain-result", "a", "b", "c"}, execution{Err: "Error: accepts between 1 and 2 arg(s), received 3\n", Failed: true}},
		"arguments are missing": {[]string{"explain-result"}, execution{Err: "Error: accepts between 1 and 2 arg(s), received 0\n", Failed: true}},
	} {
		t.Run(name, func(t *testing.T) {
			args := on(server, test.args...)
			if test.args[0] == cobra.ShellCompNoDescRequestCmd {
				// What is completed comes last.
				args = append(on(server, test.args[:2]...), test.args[2:]...)
			}
			if diff := cmp.Diff(test.want, execute(t, "", args...)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
