package await

import "flag"

// sideBySide is how many tests of a package run at the same time that wait most of theirs.
const sideBySide = "8"

// SideBySide has more of a package's parallel tests run at the same time than there are processors, unless -test.parallel says how many. It is for
// tests that mostly wait, and is called by TestMain before the tests are run.
func SideBySide() error {
	flag.Parse()
	if parallel := flag.Lookup("test.parallel"); parallel.Value.String() == parallel.DefValue {
		return flag.Set(parallel.Name, sideBySide)
	}
	return nil
}
