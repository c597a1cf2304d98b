package plan

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/fio"
	"github.com/storagebench/storagebench/internal/storage"
)

// giveClients is what to do about something that is no number of clients.
var giveClients = fmt.Sprintf("give a number of clients from 1 to %d, such as 4", v1alpha1.MaxClients)

// validateClients refuses a number of clients that the API server refuses too.
func validateClients(path *field.Path, clients *int32) field.ErrorList {
	if clients == nil || (*clients >= 1 && *clients <= v1alpha1.MaxClients) {
		return nil
	}
	return field.ErrorList{field.Invalid(path, *clients, giveClients)}
}

// maxAttachments is how many instances of one zone an EBS volume of type io2 can be attached to.
// https://docs.aws.amazon.com/ebs/latest/userguide/ebs-volumes-multi.html
const maxAttachments = 16

// validateAttachments refuses more clients than an EBS volume that they share can be attached to, one instance each.
func validateAttachments(path *field.Path, spec *v1alpha1.StorageBenchmarkSpec, volumes Volumes) *field.Error {
	clients := spec.MostClients()
	for i := range spec.Targets {
		target := &spec.Targets[i]
		if clients > maxAttachments && volumes.KindOf(target) == storage.KindEBS && storage.IsShared(target) {
			return field.Invalid(path.Child("clients"), clients, fmt.Sprintf(
				"an EBS volume can be attached to at most %d instances: lower clients to that, or remove accessMode of "+
					"target %s, so that each client has a volume", maxAttachments, target.Name))
		}
	}
	return nil
}

// validateWorkloadClients refuses what the API server refuses too.
func validateWorkloadClients(path *field.Path, clients []int32) field.ErrorList {
	var problems field.ErrorList
	for i, n := range clients {
		problems = append(problems, validateClients(path.Index(i), &n)...)
		if slices.Contains(clients[:i], n) {
			problems = append(problems, field.Duplicate(path.Index(i), n))
		}
	}
	return problems
}

// ofFio returns the part of a choice that is fio's.
func ofFio(choice []fio.Setting) []fio.Setting {
	return slices.DeleteFunc(slices.Clone(choice), func(s fio.Setting) bool { return s.Name == v1alpha1.ParameterClients })
}
