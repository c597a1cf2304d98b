package cluster

import (
	"context"
	_ "embed"
	"fmt"
	"net"

	"github.com/storagebench/storagebench/test/localcluster/internal/s3programs"
)

const (
	// S3DriverName is the CSI driver of S3 volumes.
	S3DriverName = "s3.csi.aws.com"
	s3SocketName = "s3"
	// s3Bucket is there from the start. Its objects are files in the state directory.
	s3Bucket = "storagebench-local"
	s3Region = "us-east-1"
	// mountpointNamespace has the Mountpoint pods, like that of the real chart.
	mountpointNamespace = "mount-s3"
	attachmentsCRD      = "mountpoints3podattachments.s3.csi.aws.com"

	// The keys are no secret: they are good for this server alone, which listens on this
	// machine only.
	s3AccessKey = "storagebench"
	s3SecretKey = "storagebench-local"

	// Without these two, one reader would be as fast as eight. They were chosen so that
	// sequential reads have the shape of a published measurement of Mountpoint
	// (Classmethod, 2023-08): of 500 MiB 375 MiB/s by 1 job and 1267 by 8, here 390 and
	// 1012 on two idle cores; of 1 GiB 605 and 1341, here 801 and 1206 (2026-11-21).
	s3FirstByteMilliseconds = 25
	s3ConnectionMiBPerSec   = 90
)

//go:embed config/s3.yaml
var s3Manifest string

// newS3Addon gives S3 volumes: an S3 server, and the real CSI driver with the real
// Mountpoint.
func (c *Cluster) newS3Addon() (addon, error) {
	programs, err := s3programs.Open(c.root, c.progress.printf)
	s3 := s3Addon{cluster: c, programs: programs}
	return addon{
		name:       "s3",
		build:      programs.Build,
		manifest:   s3Manifest,
		prepare:    s3.prepare,
		components: func(*Cluster) []component { return s3.components() },
		drivers:    []string{S3DriverName},
		about:      s3.about(),
	}, err
}

type s3Addon struct {
	cluster  *Cluster
	programs *s3programs.Programs
}

// endpoint is on the first node's address, which pods reach and other machines do not.
func (a s3Addon) endpoint() string { return address(a.cluster.nodes[0].ip, s3Port) }

func (a s3Addon) about() string {
	return fmt.Sprintf("S3: bucket %s at http://%s, region %s, files in %s", s3Bucket, a.endpoint(), s3Region, a.cluster.state.Path("s3", s3Bucket))
}

// prepare does what must be done before the driver starts.
func (a s3Addon) prepare(ctx context.Context) error {
	// Its watch of a kind that is not served yet would end it.
	if err := a.cluster.kubectl(ctx, "wait", "--for=condition=Established", "--timeout=60s", "crd/"+attachmentsCRD); err != nil {
		return err
	}
	for _, n := range a.cluster.nodes {
		if n.hasImage(ctx, a.programs.Image()) == nil {
			continue
		}
		if err := n.load(ctx, a.programs.Tarball(), []string{a.programs.Image()}); err != nil {
			return fmt.Errorf("load the image of Mountpoint into %s: %w", n.name, err)
		}
	}
	return nil
}

func (a s3Addon) components() []component {
	all := []component{a.server(), a.controller()}
	for _, n := range a.cluster.nodes {
		all = append(all, a.driver(n))
	}
	return all
}

func (a s3Addon) server() component {
	return component{
		name: "s3-server",
		argv: []string{a.programs.Server(),
			"--listen=" + a.endpoint(),
			"--root=" + a.cluster.state.Path("s3"),
			"--bucket=" + s3Bucket,
			fmt.Sprintf("--first-byte-milliseconds=%d", s3FirstByteMilliseconds),
			fmt.Sprintf("--connection-mib-per-second=%d", s3ConnectionMiBPerSec),
		},
		env:     s3Credentials(),
		listens: []string{a.endpoint()},
		ready:   listening(a.endpoint()),
	}
}

// controller starts and ends the Mountpoint pods.
func (a s3Addon) controller() component {
	metrics := address(loopbackIP, s3ControllerPort)
	return component{
		name: "s3-csi-controller",
		argv: []string{a.programs.Driver(), "controller",
			"--kubeconfig=" + a.cluster.state.Kubeconfig(),
			"--namespace=" + mountpointNamespace,
			"--image=" + a.programs.Image(),
			"--mountpoint-version=local",
			"--metrics-address=" + metrics,
		},
		inputs:  []string{a.cluster.state.Kubeconfig()},
		listens: []string{metrics},
		ready:   httpOK("http://" + metrics + "/metrics"),
	}
}

// driver mounts buckets, one on each node.
func (a s3Addon) driver(n *node) component {
	sockets := n.sockets(s3SocketName)
	return component{
		name: n.component("s3-csi-node"),
		argv: []string{a.programs.Driver(), "node",
			"--kubeconfig=" + a.cluster.state.Kubeconfig(),
			"--node=" + n.name,
			"--namespace=" + mountpointNamespace,
			"--socket=" + sockets.CSI,
			"--registration-socket=" + sockets.Registration,
		},
		env: append(s3Credentials(),
			"MOUNTER_KIND=pod",
			"KUBELET_PATH="+n.path("kubelet"),
			"MOUNTPOINT_NAMESPACE="+mountpointNamespace,
			"AWS_REGION="+s3Region,
		),
		cgroup: n.cgroup,
		inputs: []string{a.cluster.state.Kubeconfig()},
		ready:  driverReady(sockets.CSI),
	}
}

// s3Credentials is an environment with nothing of an account that the user has.
func s3Credentials() []string {
	return []string{
		"AWS_ACCESS_KEY_ID=" + s3AccessKey,
		"AWS_SECRET_ACCESS_KEY=" + s3SecretKey,
		"AWS_SESSION_TOKEN=",
		"AWS_ROLE_ARN=",
		"AWS_WEB_IDENTITY_TOKEN_FILE=",
		"AWS_CONTAINER_CREDENTIALS_FULL_URI=",
	}
}

// listening says whether somebody takes connections at an address.
func listening(addr string) func(context.Context) error {
	return func(ctx context.Context) error {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", addr)
		if err != nil {
			return err
		}
		return conn.Close()
	}
}
