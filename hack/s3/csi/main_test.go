package main

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

func TestRunTellsWhatIsMissing(t *testing.T) {
	for name, test := range map[string]struct {
		args  []string
		words string
	}{
		"no part":            {nil, "usage"},
		"an unknown part":    {[]string{"server"}, "usage"},
		"a missing flag":     {[]string{"node", "--node=x"}, "--kubeconfig is missing"},
		"an unknown flag":    {[]string{"controller", "--x=y"}, "unknown flag"},
		"the mounter's kind": {[]string{"node", "--node=x", "--kubeconfig=x", "--namespace=x", "--socket=x", "--registration-socket=x"}, "MOUNTER_KIND"},
	} {
		t.Run(name, func(t *testing.T) {
			if err := run(test.args); err == nil || !strings.Contains(err.Error(), test.words) {
				t.Errorf("got %v, want it to have %q", err, test.words)
			}
		})
	}
}

func TestParseTakesAWholeCommandLine(t *testing.T) {
	flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
	value := flags.String("a", "", "")
	if err := parse(flags, []string{"--a=b"}); err != nil || *value != "b" {
		t.Errorf("got %q, %v", *value, err)
	}
}
