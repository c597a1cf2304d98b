package pki

import (
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/storagebench/storagebench/test/localcluster/internal/state"
)

const contextName = "storagebench-local"

// Kubeconfig writes a kubeconfig with the certificate of the request in it, so
// that the file can be moved.
func (a *Authority) Kubeconfig(path, server string, r Request) error {
	certFile, keyFile, err := a.Certificate(r)
	if err != nil {
		return err
	}
	caFile, _ := a.files("ca")
	config := clientcmdapi.NewConfig()
	config.Clusters[contextName] = &clientcmdapi.Cluster{Server: server, CertificateAuthority: caFile}
	config.AuthInfos[contextName] = &clientcmdapi.AuthInfo{ClientCertificate: certFile, ClientKey: keyFile}
	config.Contexts[contextName] = &clientcmdapi.Context{Cluster: contextName, AuthInfo: contextName}
	config.CurrentContext = contextName
	if err := clientcmdapi.FlattenConfig(config); err != nil {
		return err
	}
	out, err := clientcmd.Write(*config)
	if err != nil {
		return err
	}
	return state.WriteFile(path, out, 0o600)
}
