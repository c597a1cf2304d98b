package attempt

import "testing"

// What may go on is ended before another attempt begins, and what it has told is saved before that.
func TestDecideEarlier(t *testing.T) {
	for _, test := range []struct {
		name    string
		earlier Earlier
		want    EarlierAction
	}{
		{"the first attempt", Earlier{Clients: 1, Saved: true}, LeaveJobs},
		{"the first attempt, with something to save", Earlier{Clients: 1}, LeaveJobs},
		{"of a run that was tried before", Earlier{Repeats: true, Clients: 1, Saved: true}, EndEarlier},
		{"while a pod measures", Earlier{Measures: true, Clients: 1, Saved: true}, EndEarlier},
		{"after a run that was given up", Earlier{CutShort: true, Clients: 1, Saved: true}, EndEarlier},
		{"of a run that was tried before, with something to save", Earlier{Repeats: true, Clients: 1}, SaveFirst},
		{"while a pod measures, with something to save", Earlier{Measures: true, Clients: 1}, SaveFirst},
		{"after a run that was given up, with something to save", Earlier{CutShort: true, Clients: 1}, SaveFirst},

		{"of several clients", Earlier{Clients: 2, Saved: true}, DropJobs},
		{"of several clients, with something to save", Earlier{Clients: 2}, SaveFirst},
		{"of several clients, tried before", Earlier{Repeats: true, Clients: 2, Saved: true}, EndEarlier},
		{"of several clients, while one measures", Earlier{Measures: true, Clients: 100, Saved: true}, EndEarlier},
		{"of several clients, tried before, with something to save", Earlier{Repeats: true, Clients: 2}, SaveFirst},
	} {
		if got := DecideEarlier(test.earlier); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// A Job that is missing is made once. One that was there has been deleted, or cannot be found any more: made again, it would measure twice.
func TestDecideJobs(t *testing.T) {
	for _, test := range []struct {
		name    string
		missing int
		seen    bool
		want    JobsAction
	}{
		{"none is there yet", 3, false, MakeJobs},
		{"one was not made", 1, false, MakeJobs},
		{"all are there, for the first time", 0, false, FollowJobs},
		{"all are there", 0, true, FollowJobs},
		{"one was there", 1, true, FindJob},
		{"all were there", 3, true, FindJob},
	} {
		if got := DecideJobs(test.missing, test.seen); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}
