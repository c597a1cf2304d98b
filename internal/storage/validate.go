package storage

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/aws"
)

// Validate refuses what AWS would refuse of a target, or its driver would silently change. path is the field of the
// target. The API server refuses most of it too; a plan can be made without one.
func Validate(path *field.Path, t *v1alpha1.Target) field.ErrorList {
	switch {
	case t.EBS != nil && t.VolumeAttributesClassName == nil:
		return problems(path, "ebs", t, ebsVolume(t).Problems())
	case t.EFS != nil:
		return problems(path, "efs", t, fileSystem(t.EFS).Problems())
	default:
		return nil
	}
}

// problems returns what was found as errors of the fields of a kind of storage; the capacity is the target's own.
func problems(path *field.Path, kind string, t *v1alpha1.Target, found []aws.Problem) field.ErrorList {
	var errs field.ErrorList
	for _, p := range found {
		switch at := path.Child(kind, p.Field); {
		case p.Field == aws.FieldCapacity:
			errs = append(errs, field.Invalid(path.Child(p.Field), new(Capacity(t)).String(), p.Message))
		case p.Value == "":
			errs = append(errs, field.Required(at, p.Message))
		default:
			errs = append(errs, field.Invalid(at, p.Value, p.Message))
		}
	}
	return errs
}
