package envtest

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

const (
	// operator is the user that has the rights of the operator's ClusterRole and no others.
	operator = "storagebench-operator"
	// admin is the user who may do everything.
	admin = "admin"
)

// users are the tokens by which an API server knows who calls. It would verify a client's certificate, as envtest has them, anew for each request,
// and a user that somebody else acts for as well: that was a tenth of what it computed in tests.
type users struct{ token string }

func newUsers() users { return users{token: rand.Text()} }

// operatorToken is the operator's, by that of who may do everything.
func operatorToken(token string) string { return operator + "-" + token }

// register has an API server that will be started know them. The file goes with the directory.
func (u users) register(environment *envtest.Environment, directory string) error {
	path := filepath.Join(directory, "tokens.csv")
	lines := fmt.Sprintf("%s,%s,%s,system:masters\n%s,%s,%s\n", u.token, admin, admin, operatorToken(u.token), operator, operator)
	if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
		return err
	}
	environment.ControlPlane.GetAPIServer().Configure().Set("token-auth-file", path)
	return nil
}

// kubeconfig returns that of who may do everything, for the API server that the config leads to.
func (u users) kubeconfig(config *rest.Config) ([]byte, error) {
	return clientcmd.Write(clientcmdapi.Config{
		Clusters: map[string]*clientcmdapi.Cluster{
			admin: {Server: strings.TrimSuffix(config.Host, "/"), CertificateAuthorityData: config.CAData},
		},
		AuthInfos:      map[string]*clientcmdapi.AuthInfo{admin: {Token: u.token}},
		Contexts:       map[string]*clientcmdapi.Context{admin: {Cluster: admin, AuthInfo: admin}},
		CurrentContext: admin,
	})
}
