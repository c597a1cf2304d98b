package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	certutil "k8s.io/client-go/util/cert"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlenvtest "sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/yaml"

	"github.com/storagebench/storagebench/test/envtest"
)

// Users of the API server, by which the audit log tells who called.
const (
	userOperator  = "storagebench-operator"
	userManager   = "kube-controller-manager"
	userScheduler = "kube-scheduler"
	userNodes     = "kwok"
)

// serverPatience is how long etcd and kube-apiserver may take to start, and to stop.
const serverPatience = 2 * time.Minute

// auditPolicy has all writes logged, and of the operator's calls also the reads. Watches are no calls of a pass.
const auditPolicy = `
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived, ResponseStarted]
rules:
- {level: None, verbs: [watch]}
- {level: Metadata, users: [` + userOperator + `]}
- {level: Metadata, verbs: [create, update, patch, delete, deletecollection]}
- {level: None}
`

// managerControllers are the controllers that act on what the operator makes.
const managerControllers = "job-controller,garbage-collector-controller,persistentvolume-binder-controller," +
	"persistentvolumeclaim-protection-controller,persistentvolume-protection-controller"

// mostStored is how many bytes etcd may have: the most that its authors recommend.
const mostStored = 8 << 30

// noLimit is more calls a second than any component makes here, so that no limit of its own holds it back.
const noLimit = "5000"

// controlPlane is a Kubernetes without machines: a real API server, controller manager and scheduler, and nodes that
// kwok plays. All listen on the loopback interface only.
type controlPlane struct {
	directory   string
	binaries    string
	root        string
	environment *ctrlenvtest.Environment
	client      client.WithWatch
	processes   []*process
	users       map[string]string // path of the kubeconfig, by user
	// fail is called when a component ends by itself.
	fail func(error)
}

// startControlPlane starts all of it. What has been started is to be stopped also if it fails.
func startControlPlane(ctx context.Context, o options, directory string, fail func(error)) (*controlPlane, error) {
	c := &controlPlane{directory: directory, binaries: o.binaries, root: o.root, users: map[string]string{}, fail: fail}
	for _, step := range []func(context.Context) error{c.startServer, c.addUsers, c.startManager, c.startScheduler} {
		if err := step(ctx); err != nil {
			return c, err
		}
	}
	return c, c.startNodes(o.kwok, o.fio)
}

func (c *controlPlane) auditLog() string { return filepath.Join(c.directory, "audit.log") }

func (c *controlPlane) startServer(context.Context) error {
	policy := filepath.Join(c.directory, "audit-policy.yaml")
	if err := os.WriteFile(policy, []byte(auditPolicy), 0o600); err != nil {
		return err
	}
	c.environment = &ctrlenvtest.Environment{
		BinaryAssetsDirectory: c.binaries,
		CRDDirectoryPaths:     []string{filepath.Join(c.root, "config", "crd", "bases")},
		ErrorIfCRDPathMissing: true,
		// Ten and twenty seconds are too few for a machine that does much else.
		ControlPlaneStartTimeout: serverPatience,
		ControlPlaneStopTimeout:  serverPatience,
		CRDInstallOptions:        ctrlenvtest.CRDInstallOptions{MaxTime: serverPatience},
	}
	c.environment.ControlPlane.GetAPIServer().Configure().
		Set("audit-policy-file", policy).
		Set("audit-log-path", c.auditLog()).
		Set("audit-log-maxsize", "4000").
		// Nobody would take this taint off new nodes again.
		Append("disable-admission-plugins", "TaintNodesByCondition").
		Set("kubelet-preferred-address-types", "InternalIP")
	// Largest statuses of a fleet take more than etcd's default of 2 GiB.
	c.environment.ControlPlane.Etcd = &ctrlenvtest.Etcd{}
	c.environment.ControlPlane.Etcd.Configure().Set("quota-backend-bytes", strconv.Itoa(mostStored))
	config, err := c.environment.Start()
	if err != nil {
		return fmt.Errorf("start etcd and kube-apiserver: %w", err)
	}
	config.QPS = -1
	c.client, err = client.NewWithWatch(config, client.Options{Scheme: envtest.Scheme()})
	return err
}

// addUsers makes a user for each component. The operator has the rights that it has in a cluster, and no others.
func (c *controlPlane) addUsers(ctx context.Context) error {
	for _, name := range []string{userOperator, userManager, userScheduler, userNodes} {
		user := ctrlenvtest.User{Name: name}
		if name != userOperator {
			user.Groups = []string{"system:masters"}
		}
		added, err := c.environment.AddUser(user, nil)
		if err != nil {
			return fmt.Errorf("add user %s: %w", name, err)
		}
		kubeconfig, err := added.KubeConfig()
		if err != nil {
			return err
		}
		c.users[name] = filepath.Join(c.directory, name+".kubeconfig")
		if err := os.WriteFile(c.users[name], kubeconfig, 0o600); err != nil {
			return err
		}
	}
	text, err := os.ReadFile(filepath.Join(c.root, "config", "rbac", "role.yaml"))
	if err != nil {
		return err
	}
	role := &rbacv1.ClusterRole{}
	if err := yaml.UnmarshalStrict(text, role); err != nil {
		return fmt.Errorf("the operator's role: %w", err)
	}
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: userOperator},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: userOperator}},
	}
	return errors.Join(c.client.Create(ctx, role), c.client.Create(ctx, binding))
}

func (c *controlPlane) startManager(context.Context) error {
	return c.start("kube-controller-manager", filepath.Join(c.binaries, "kube-controller-manager"),
		"--kubeconfig="+c.users[userManager], "--leader-elect=false", "--secure-port=0", "--controllers="+managerControllers,
		"--kube-api-qps="+noLimit, "--kube-api-burst="+noLimit, "--concurrent-job-syncs=20")
}

func (c *controlPlane) startScheduler(context.Context) error {
	path := filepath.Join(c.directory, "scheduler.yaml")
	text := fmt.Sprintf(`
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection: {leaderElect: false}
clientConnection: {kubeconfig: %s, qps: %s, burst: %s}
`, c.users[userScheduler], noLimit, noLimit)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return err
	}
	return c.start("kube-scheduler", filepath.Join(c.binaries, "kube-scheduler"), "--config="+path, "--secure-port=0")
}

// startNodes has kwok play the kubelets of all nodes that there will be, and the provisioner of their volumes.
func (c *controlPlane) startNodes(kwok string, fio time.Duration) error {
	port, err := freePort()
	if err != nil {
		return err
	}
	certificate, key, err := certutil.GenerateSelfSignedCertKey("127.0.0.1", nil, nil)
	if err != nil {
		return err
	}
	configuration, err := newNodeConfiguration(filepath.Join(c.directory, "fio.log"), fio)
	if err != nil {
		return err
	}
	files := map[string][]byte{"kwok.yaml": configuration, "fio.log": fioLog(), "kwok.crt": certificate, "kwok.key": key}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(c.directory, name), content, 0o600); err != nil {
			return err
		}
	}
	return c.start("kwok", kwok,
		"--kubeconfig="+c.users[userNodes], "--config="+filepath.Join(c.directory, "kwok.yaml"), "--manage-all-nodes",
		"--node-ip=127.0.0.1", "--node-port="+strconv.Itoa(port), "--server-address=127.0.0.1:"+strconv.Itoa(port),
		"--tls-cert-file="+filepath.Join(c.directory, "kwok.crt"), "--tls-private-key-file="+filepath.Join(c.directory, "kwok.key"),
		"--node-lease-duration-seconds=0")
}

func (c *controlPlane) start(name, path string, args ...string) error {
	p, err := startProcess(c.directory, name, path, nil, c.fail, args...)
	if err == nil {
		c.processes = append(c.processes, p)
	}
	return err
}

// stop ends everything, the API server last.
func (c *controlPlane) stop() error {
	var errs []error
	for _, p := range c.processes {
		errs = append(errs, p.stop())
	}
	if c.environment != nil {
		errs = append(errs, c.environment.Stop())
	}
	return errors.Join(errs...)
}

// freePort returns a port of the loopback interface that nobody listens on.
func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	address, ok := listener.Addr().(*net.TCPAddr)
	if !ok {
		return 0, fmt.Errorf("address %s has no port", listener.Addr())
	}
	return address.Port, nil
}

// startPatience is how long a program may take until it serves.
const startPatience = time.Minute
