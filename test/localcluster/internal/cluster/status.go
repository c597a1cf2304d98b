package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

const defaultClassAnnotation = "storageclass.kubernetes.io/is-default-class"

// ErrUnhealthy is returned for a cluster that does not run as it should.
var ErrUnhealthy = errors.New("the cluster is not healthy")

// Status prints what runs. It returns ErrUnhealthy unless all does.
func (c *Cluster) Status(ctx context.Context, out io.Writer) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	healthy, err := c.componentStatus(ctx, table)
	if err != nil {
		return err
	}
	if err := c.objectStatus(ctx, table); err != nil {
		fmt.Fprintf(table, "\nAPI\t%v\n", err)
		healthy = false
	}
	for _, a := range c.addons {
		if a.about != "" {
			fmt.Fprintf(table, "\n%s\n", a.about)
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if !healthy {
		return ErrUnhealthy
	}
	return nil
}

func (c *Cluster) componentStatus(ctx context.Context, out io.Writer) (healthy bool, err error) {
	healthy = true
	fmt.Fprintln(out, "COMPONENT\tPID\tSTATUS")
	for _, comp := range c.components() {
		record, err := c.record(comp.name)
		if err != nil {
			return false, err
		}
		err = errors.New("not running")
		if record.Alive() {
			err = askOnce(ctx, comp.ready)
		}
		text := "ok"
		if err != nil {
			text, healthy = err.Error(), false
		}
		fmt.Fprintf(out, "%s\t%d\t%s\n", comp.name, record.PID, text)
	}
	return healthy, nil
}

func (c *Cluster) objectStatus(ctx context.Context, out io.Writer) error {
	client, err := c.client()
	if err != nil {
		return err
	}
	nodeErr := c.nodeStatus(ctx, client, out)
	classes, err := client.StorageV1().StorageClasses().List(ctx, metav1.ListOptions{})
	if err != nil {
		return errors.Join(nodeErr, err)
	}
	fmt.Fprintln(out, "\nCLASS\tPROVISIONER\tDEFAULT\tPARAMETERS")
	for _, class := range classes.Items {
		fmt.Fprintf(out, "%s\t%s\t%t\t%v\n", class.Name, class.Provisioner,
			class.Annotations[defaultClassAnnotation] == "true", class.Parameters)
	}
	return nodeErr
}

func (c *Cluster) nodeStatus(ctx context.Context, client kubernetes.Interface, out io.Writer) error {
	var errs []error
	fmt.Fprintln(out, "\nNODE\tADDRESS\tSTATUS")
	for _, n := range c.nodes {
		text := "Ready"
		if err := nodeReady(ctx, client, n.name, c.drivers()); err != nil {
			text = "not ready"
			errs = append(errs, fmt.Errorf("node %s: %w", n.name, err))
		}
		fmt.Fprintf(out, "%s\t%s\t%s\n", n.name, n.ip, text)
	}
	return errors.Join(errs...)
}
