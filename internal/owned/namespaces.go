package owned

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/storage"
)

// Namespaces are the namespaces that an operator is confined to. If there are none it works in the whole cluster. A
// confined operator has only Roles. It can neither make nor read nodes, PersistentVolumes, StorageClasses, CSIDrivers and
// VolumeAttributesClasses, and does not ask for them: the same error would be repeated for ever.
type Namespaces []string

// AreSet reports whether the operator is confined to some namespaces.
func (n Namespaces) AreSet() bool { return len(n) > 0 }

// Words tell users why something is not done or not known: "this operator is confined to namespace a".
func (n Namespaces) Words() string {
	noun := "namespace "
	if len(n) > 1 {
		noun = "namespaces "
	}
	return "this operator is confined to " + noun + strings.Join(n, ", ")
}

// BeyondReach returns an error for each target whose storage takes objects without a namespace, which a namespaced operator
// cannot make.
func (n Namespaces) BeyondReach(targets []v1alpha1.Target) field.ErrorList {
	var problems field.ErrorList
	for i := range targets {
		driver := storage.Driver(&targets[i])
		if !n.AreSet() || driver == "" {
			continue
		}
		problems = append(problems, field.Forbidden(field.NewPath("spec", "targets").Index(i).Child(storage.AddOnOf(driver).Field),
			n.Words()+", and has no right to make the StorageClass or PersistentVolume that this needs; name an existing StorageClass in "+
				"storageClassName, or an existing claim in claimName; nothing was provisioned"))
	}
	return problems
}

// UnknownLimits returns what results will lack because a confined operator cannot look it up.
func (n Namespaces) UnknownLimits() string {
	if !n.AreSet() {
		return ""
	}
	return fmt.Sprintf("; %s, so the limits of StorageClasses and nodes are not known: results are judged by spec.targets[].limits and clientLimits only", n.Words())
}

// LearnDrivers notes which driver makes the volumes of StorageClasses, which a namespaced operator cannot look up: the
// claims tell when their volumes are to be made. Whether test files stay depends on it.
func (n Namespaces) LearnDrivers(targets []v1alpha1.TargetStatus, claims Claims) {
	if !n.AreSet() {
		return
	}
	for i := range targets {
		target := &targets[i]
		for i := range target.Claims {
			if claim := claims[target.Claims[i].Name]; claim != nil && target.Driver == "" {
				target.Driver = storage.DriverOf(claim.Annotations[ProvisionerAnnotation])
			}
		}
	}
}
