package await

import (
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	utilnet "k8s.io/apimachinery/pkg/util/net"
)

// IsTransient says whether an error of the API server is one that asking again may mend: somebody was faster, or it has too much to do. Nil is none.
func IsTransient(err error) bool {
	if err == nil {
		return false
	}
	for _, is := range []func(error) bool{
		apierrors.IsTimeout, apierrors.IsServerTimeout, apierrors.IsTooManyRequests, apierrors.IsConflict, apierrors.IsInternalError,
		utilnet.IsTimeout, utilnet.IsHTTP2ConnectionLost, utilnet.IsConnectionRefused, utilnet.IsConnectionReset, isSlowEtcd,
	} {
		if is(err) {
			return true
		}
	}
	return false
}

// isSlowEtcd says whether etcd did not answer in time, for which the API server has no reason of its own.
func isSlowEtcd(err error) bool {
	return strings.Contains(err.Error(), "etcdserver: request timed out")
}
