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
var serviceTables = []string{"ip kube-proxy", "ip6 kube-proxy"}

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
		if link.Attrs().MasterIndex != bridge.Attrs().Index {
			continue
		}
		// Links vanish on their own, too, with a network namespace.
		if err := netlink.LinkDel(link); !errors.Is(err, unix.ENODEV) {
			errs = append(errs, err)
		}
	}
	return errors.Join(append(errs, netlink.LinkDel(bridge))...)
}

// ClaimServiceTables notes that kube-proxy's nft tables are the cluster's, and
// fails when somebody else's are there.
func (j *Journal) ClaimServiceTables(ctx context.Context) error {
	if j.ServiceTables {
		return nil
	}
	there, err := presentTables(ctx)
	if err != nil {
		return err
	}
	if len(there) > 0 {
		return fmt.Errorf("nft table %s exists: another kube-proxy seems to run on this machine. If none does, remove it: nft delete table %[1]s", there[0])
	}
	j.ServiceTables = true
	return j.save()
}

// RemoveServiceTables removes what kube-proxy put into the kernel.
func (j *Journal) RemoveServiceTables(ctx context.Context) error {
	if !j.ServiceTables {
		return nil
	}
	there, err := presentTables(ctx)
	errs := []error{err}
	for _, table := range there {
		_, err := nft(ctx, "delete table "+table)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// presentTables returns those of the serviceTables that there are.
func presentTables(ctx context.Context) ([]string, error) {
	out, err := nft(ctx, "list tables")
	lines := strings.Split(out, "\n")
	return slices.DeleteFunc(slices.Clone(serviceTables), func(table string) bool { return !slices.Contains(lines, "table "+table) }), err
}

func nft(ctx context.Context, command string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, commandLimit)
	defer cancel()
	out, err := exec.CommandContext(ctx, "nft", command).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("nft %s: %w: %s", command, err, strings.TrimSpace(string(out)))
	}
	return string(out), nil
}
