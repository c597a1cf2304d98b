package host

import (
	"maps"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// ownNetwork gives a test a network namespace of its own. Its thread ends with it.
func ownNetwork(t *testing.T) {
	t.Helper()
	runtime.LockOSThread()
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		t.Skip("a network of its own needs root: ", err)
	}
}

func loopbackAddresses(t *testing.T) (found []string) {
	t.Helper()
	lo, err := netlink.LinkByName("lo")
	if err != nil {
		t.Fatal(err)
	}
	present, err := netlink.AddrList(lo, netlink.FAMILY_V4)
	if err != nil {
		t.Fatal(err)
	}
	for _, addr := range present {
		found = append(found, addr.IPNet.String())
	}
	return found
}

// What others gave lo stays there.
func TestAddresses(t *testing.T) {
	ownNetwork(t)
	j := &Journal{path: filepath.Join(t.TempDir(), "journal")}
	const theirs, ours = "10.88.0.1/32", "10.88.0.2/32"
	lo, addr, err := loopbackAddress(theirs)
	if err != nil {
		t.Fatal(err)
	}
	if err := netlink.AddrAdd(lo, addr); err != nil {
		t.Fatal(err)
	}
	for _, cidr := range []string{theirs, ours, ours} {
		if err := j.EnsureAddress(cidr); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{theirs, ours}, loopbackAddresses(t)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	// As after a crash: of what is written down, nothing else is known.
	kept, err := LoadJournal(j.path)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := kept.RemoveAddresses(); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{theirs}, loopbackAddresses(t)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestServiceTables(t *testing.T) {
	ownNetwork(t)
	ctx := t.Context()
	add := func(table string) {
		t.Helper()
		if _, err := nft(ctx, "add table "+table); err != nil {
			t.Fatal(err)
		}
	}
	add("ip others")
	j := &Journal{path: filepath.Join(t.TempDir(), "journal")}
	if err := j.ClaimServiceTables(ctx); err != nil {
		t.Fatal(err)
	}
	add("ip kube-proxy")
	if err := (&Journal{}).ClaimServiceTables(ctx); err == nil {
		t.Error("the tables of another are claimed")
	}
	if err := (&Journal{}).RemoveServiceTables(ctx); err != nil {
		t.Fatal(err)
	}
	if there, err := presentTables(ctx); err != nil || !cmp.Equal(there, serviceTables[:1]) {
		t.Errorf("there are %v, %v", there, err)
	}
	for range 2 {
		if err := j.RemoveServiceTables(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if left, err := nft(ctx, "list tables"); err != nil || left != "table ip others\n" {
		t.Errorf("left is %q, %v", left, err)
	}
}

func TestSysctls(t *testing.T) {
	ownNetwork(t)
	read := func() map[string]string {
		t.Helper()
		all, err := readSysctls()
		if err != nil {
			t.Fatal(err)
		}
		// Others are of the whole machine, or of the network it was first.
		maps.DeleteFunc(all, func(name, _ string) bool {
			return filepath.Dir(filepath.Dir(name)) != "net/ipv4/conf" && name != "net/ipv4/ip_forward"
		})
		return all
	}
	set := func(name, value string) {
		t.Helper()
		if err := writeSysctl(name, value); err != nil {
			t.Fatal(err)
		}
	}
	// The first one changes the others.
	set("net/ipv4/ip_forward", "0")
	set("net/ipv4/conf/all/accept_redirects", "0")
	set("net/ipv4/conf/default/forwarding", "1")
	before := read()
	for range 20 { // the order is another each time
		set("net/ipv4/ip_forward", "1")
		if err := (&Journal{Sysctls: before}).RestoreSysctls(); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(before, read()); diff != "" {
			t.Fatalf("-before +after:\n%s", diff)
		}
	}
}
