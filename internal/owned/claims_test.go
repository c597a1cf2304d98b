package owned

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Of several claims the UID is of a bounded length, and another one if one of them is replaced.
func TestUID(t *testing.T) {
	claims := Claims{}
	for _, name := range []string{"a", "b"} {
		claims[name] = &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("uid-of-" + name)}}
	}
	both := claims.UID([]string{"a", "b"})
	if got := claims.UID([]string{"a"}); got != "uid-of-a" {
		t.Errorf("of one claim it is %q", got)
	}
	if got := claims.UID([]string{"a", "c"}); got != "" {
		t.Errorf("with a claim that is not there it is %q", got)
	}
	claims["b"].UID = "another"
	if got := claims.UID([]string{"a", "b"}); got == both || len(got) != len(both) || len(got) > 36 {
		t.Errorf("of two it is %q, and was %q", got, both)
	}
}
