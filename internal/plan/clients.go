package plan

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/fio"
	"github.com/storagebench/storagebench/internal/storage"
)

// maxAttachments is how many instances of one zone an EBS volume of type io2 can be attached to.
// https://docs.aws.amazon.com/ebs/latest/userguide/ebs-volumes-multi.html
const maxAttachments = 16

// validateAttachments refuses more clients than an EBS volume that they share can be attached to, one instance each.
func validateAttachments(path *field.Path, clients int32, places []place) *field.Error {
	for _, p := range places {
		if clients > maxAttachments && p.kind == storage.KindEBS && storage.IsShared(p.target) {
			return field.Invalid(path.Child("clients"), clients, fmt.Sprintf(
				"an EBS volume can be attached to at most %d instances: lower clients to that, or remove accessMode of "+
					"target %s, so that each client has a volume", maxAttachments, p.target.Name))
		}
	}
	return nil
}

// ofFio returns the part of a choice that is fio's.
func ofFio(choice []fio.Setting) []fio.Setting {
	return slices.DeleteFunc(slices.Clone(choice), func(s fio.Setting) bool { return s.Name == v1alpha1.ParameterClients })
}
