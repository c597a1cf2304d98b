package controllers

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/internal/childmeta"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/envtest"
)

// Of an error that is longer than anybody reads, the beginning is told, with the reason of its code. A short one stays
// as it is.
func TestShortenError(t *testing.T) {
	for name, test := range map[string]struct {
		text, want string // "": as it is
	}{
		"short":                    {"{}", ""},
		"as long as it may be":     {strings.Repeat("x", world.MaxErrorAnswer), ""},
		"longer":                   {"{" + strings.Repeat("x", world.MaxErrorAnswer), "{" + strings.Repeat("x", world.ToldOfError-1)},
		"longer, and not all text": {"k8s\x00a\x01b\xff" + strings.Repeat("x", world.MaxErrorAnswer), "k8s a b " + strings.Repeat("x", world.ToldOfError-8)},
	} {
		t.Run(name, func(t *testing.T) {
			response := &http.Response{
				StatusCode: http.StatusForbidden, Header: http.Header{"Content-Type": {runtime.ContentTypeProtobuf}}, Body: io.NopCloser(strings.NewReader(test.text)),
			}
			if err := world.ShortenError(&http.Request{Method: http.MethodPatch}, response); err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(response.Body)
			if err != nil {
				t.Fatal(err)
			}
			if test.want == "" {
				if string(got) != test.text || !world.IsOf(response, runtime.ContentTypeProtobuf) {
					t.Errorf("%s of %d bytes: %.200s", response.Header, len(got), got)
				}
				return
			}
			var status metav1.Status
			if err := json.Unmarshal(got, &status); err != nil || !world.IsOf(response, runtime.ContentTypeJSON) {
				t.Fatalf("%s: %.200s, error %v", response.Header, got, err)
			}
			want := "the API server's answer has more than 65536 bytes, and begins with " + test.want
			if status.Message != want || status.Reason != metav1.StatusReasonForbidden || status.Code != http.StatusForbidden || status.Status != metav1.StatusFailure {
				t.Errorf("the status is %.300s", got)
			}
		})
	}
}

// Who makes a Job by the name of one of ours does not have the operator read all that differs from ours, of which the
// API server tells.
func TestErrorsOfAnAPIServerAreShort(t *testing.T) {
	w := newWorldWithoutOperator(t)
	config := envtest.OperatorConfig(t)
	world.SlimAnswers(config)
	c, err := client.New(config, client.Options{Scheme: envtest.Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	sb := create(w, builder.OneRun(w.Namespace, "sb").Suspended().Build())
	create(w, &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: childmeta.RunName(sb, "randread.fast", 1, 0)},
		Spec: batchv1.JobSpec{Suspend: new(true), Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever,
			Containers:    []corev1.Container{{Name: "tenant", Image: "tenant"}},
			Affinity: &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
				RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: make([]corev1.NodeSelectorTerm, 10_000)},
			}},
		}}},
	})
	run := job.Run{Name: "randread.fast", Attempt: 1, Clients: 1, Volume: job.Volume{Target: "fast", Claim: "c", Mode: corev1.PersistentVolumeFilesystem}}
	err = c.Apply(t.Context(), job.ForRun(sb, job.Image{Name: "runner"}, run), world.ApplyOptions...)
	if !apierrors.IsInvalid(err) || len(err.Error()) > 2*world.ToldOfError || !strings.Contains(err.Error(), "field is immutable") && !strings.Contains(err.Error(), "is invalid") {
		t.Errorf("invalid: %t, %d bytes: %.300s", apierrors.IsInvalid(err), len(err.Error()), err)
	}
}
