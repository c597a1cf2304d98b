// Package crd keeps the operator from losing data where the CustomResourceDefinitions of the cluster are older than the
// operator: after "helm upgrade" with crds.install=false, after "helm rollback", or with definitions that GitOps pins.
// An API server drops fields that a definition does not have, without an error, unless it is asked for strict
// validation.
package crd

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// RefuseUnknown returns a client whose writes fail where the API server would drop a field. Nothing of such a write is
// stored. Server-side apply is strict in any case.
func RefuseUnknown(c client.Client) client.Client {
	return client.WithFieldValidation(c, client.FieldValidation(metav1.FieldValidationStrict))
}

// strictError begins what the API server answers to a write with unknown fields (apimachinery,
// runtime.strictDecodingError).
const strictError = "strict decoding error: "

// Explain adds the cause and the remedy to the error of a write that the API server refused for an unknown field. It
// returns other errors as they are.
func Explain(err error) error {
	if err == nil || !strings.Contains(err.Error(), strictError) {
		return err
	}
	return fmt.Errorf("%w (%s)", err, older)
}

// older is the cause and the remedy.
const older = "the CustomResourceDefinition is older than this operator; apply those of config/crd, " +
	"or upgrade the chart with crds.install=true"
