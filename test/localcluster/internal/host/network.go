package host

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// serviceTables are the nft tables of kube-proxy, whose names are fixed.
var serviceTables = [][]string{{"ip", "kube-proxy"}, {"ip6", "kube-proxy"}}

const commandLimit = 10 * time.Second

// EnsureAddress gives lo an address.
func (j *Journal) EnsureAddress(cidr string) error {
	lo, addr, err := loopbackAddress(cidr)
	if err != nil {
		return err
	}
	present, err := netlink.AddrList(lo, netlink.FAMILY_V4)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(present, func(a netlink.Addr) bool { return a.Equal(*addr) }) {
		return nil
	}
	if !slices.Contains(j.Addresses, cidr) {
		j.Addresses = append(j.Addresses, cidr)
		if err := j.save(); err != nil {
			return err
		}
	}
	return netlink.AddrAdd(lo, addr)
}

// RemoveAddresses takes the added addresses from lo.
func (j *Journal) RemoveAddresses() error {
	var errs []error
	for _, cidr := range j.Addresses {
		lo, addr, err := loopbackAddress(cidr)
		if err == nil {
			err = netlink.AddrDel(lo, addr)
		}
		if !errors.Is(err, unix.EADDRNOTAVAIL) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func loopbackAddress(cidr string) (netlink.Link, *netlink.Addr, error) {
	lo, err := netlink.LinkByName("lo")
	if err != nil {
		return nil, nil, err
	}
	addr, err := netlink.ParseAddr(cidr)
	return lo, addr, err
}

// RemoveBridge removes a bridge and all links that are plugged into it.
func RemoveBridge(name string) error {
	bridge, err := netlink.LinkByName(name)
	if errors.As(err, &netlink.LinkNotFoundError{}) {
		return nil
	}
	if err != nil {
		return err
	}
	links, err := netlink.LinkList()
	if err != nil {
		return err
	}
	var errs []error
	for _, link := range links {
		if link.Attrs().MasterIndex == bridge.Attrs().Index {
			errs = append(errs, ignoreGone(netlink.LinkDel(link)))
		}
	}
	return errors.Join(append(errs, netlink.LinkDel(bridge))...)
}

// ignoreGone is for links that vanish on their own, with a network namespace.
func ignoreGone(err error) error {
	if errors.Is(err, unix.ENODEV) {
		return nil
	}
	return err
}

// ClaimServiceTables notes that kube-proxy's nft tables are the cluster's, and
// fails when somebody else's are there.
func (j *Journal) ClaimServiceTables(ctx context.Context) error {
	if j.ServiceTables {
		return nil
	}
	for _, table := range serviceTables {
		if exists, err := tableExists(ctx, table); err != nil {
			return err
		} else if exists {
			name := strings.Join(table, " ")
			return fmt.Errorf("nft table %s exists: another kube-proxy seems to run on this machine. If none does, remove it: nft delete table %s", name, name)
		}
	}
	j.ServiceTables = true
	return j.save()
}

// RemoveServiceTables removes what kube-proxy put into the kernel.
func (j *Journal) RemoveServiceTables(ctx context.Context) error {
	if !j.ServiceTables {
		return nil
	}
	var errs []error
	for _, table := range serviceTables {
		exists, err := tableExists(ctx, table)
		if err == nil && exists {
			_, err = nft(ctx, append([]string{"delete", "table"}, table...)...)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

func tableExists(ctx context.Context, table []string) (bool, error) {
	out, err := nft(ctx, "list", "tables")
	if err != nil {
		return false, err
	}
	want := "table " + strings.Join(table, " ")
	return slices.Contains(strings.Split(strings.TrimSpace(out), "\n"), want), nil
}

func nft(ctx context.Context, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, commandLimit)
	defer cancel()
	out, err := exec.CommandContext(ctx, "nft", args...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("nft %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(string(out)))
	}
	return string(out), nil
}
