package plan

import (
	"fmt"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/fio"
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

// validateMatrixClients refuses values that are no number of clients, or one that is not written as itself: names of
// runs would tell 2 from 02.
func validateMatrixClients(path *field.Path, values []intstr.IntOrString) field.ErrorList {
	var problems field.ErrorList
	for i, value := range values {
		n, err := strconv.Atoi(value.String())
		if err != nil || n < 1 || n > v1alpha1.MaxClients || strconv.Itoa(n) != value.String() {
			problems = append(problems, field.Invalid(path.Index(i), value.String(), giveClients))
		}
	}
	return problems
}

// ofFio returns the part of a choice that is fio's.
func ofFio(choice []fio.Setting) []fio.Setting {
	return slices.DeleteFunc(slices.Clone(choice), func(s fio.Setting) bool { return s.Name == v1alpha1.MatrixClients })
}
