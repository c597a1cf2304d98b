package direction

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// TestDirections: what this package yields, and what the API's types do, which cannot import it.
func TestDirections(t *testing.T) {
	read, write, trim := &v1alpha1.Figures{Count: 1}, &v1alpha1.Figures{Count: 2}, &v1alpha1.Figures{Count: 3}
	for name, test := range map[string]struct {
		result v1alpha1.Result
		want   []string
	}{
		"none":             {v1alpha1.Result{}, nil},
		"all":              {v1alpha1.Result{Figures: v1alpha1.ListOf(read.As(v1alpha1.OperationRead), write.As(v1alpha1.OperationWrite), trim.As(v1alpha1.OperationTrim))}, []string{"read 1", "write 2", "trim 3"}},
		"reads":            {v1alpha1.Result{Figures: v1alpha1.ListOf(read.As(v1alpha1.OperationRead))}, []string{"read 1"}},
		"writes and trims": {v1alpha1.Result{Figures: v1alpha1.ListOf(write.As(v1alpha1.OperationWrite), trim.As(v1alpha1.OperationTrim))}, []string{"write 2", "trim 3"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := &test.result
			var ours, theirs []string
			for name, d := range Present(r.Of(v1alpha1.OperationRead), r.Of(v1alpha1.OperationWrite), r.Of(v1alpha1.OperationTrim)) {
				ours = append(ours, fmt.Sprint(name, " ", d.Count))
				if d != r.Of(name) || d != Named(name, r.Of(v1alpha1.OperationRead), r.Of(v1alpha1.OperationWrite), r.Of(v1alpha1.OperationTrim)) {
					t.Errorf("%s is %+v and %+v, want %+v", name, r.Of(name), Named(name, r.Of(v1alpha1.OperationRead), r.Of(v1alpha1.OperationWrite), r.Of(v1alpha1.OperationTrim)), d)
				}
			}
			for name, d := range r.Directions() {
				theirs = append(theirs, fmt.Sprint(name, " ", d.Count))
			}
			if diff := cmp.Diff([][]string{test.want, test.want}, [][]string{ours, theirs}); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
	result, compared := &v1alpha1.Result{Figures: v1alpha1.ListOf(read.As(v1alpha1.OperationRead), write.As(v1alpha1.OperationWrite))}, &v1alpha1.TargetComparison{Figures: []v1alpha1.FiguresComparison{{Name: v1alpha1.OperationWrite}, {Name: v1alpha1.OperationTotal}}}
	for name := range result.Directions() {
		if name != Read {
			t.Errorf("%s is yielded after the loop has ended", name)
		}
		break
	}
	for name, d := range compared.Directions() {
		if name != Write || d != compared.Of(v1alpha1.OperationWrite) || d != compared.Of(name) {
			t.Errorf("%s is %+v", name, d)
		}
	}
	for _, name := range []string{Trim, ""} {
		if d, c := result.Of(name), compared.Of(name); d != nil || c != nil {
			t.Errorf("%q is %+v and %+v", name, d, c)
		}
	}
}

// TestMap: each of three is mapped to its own place, and what is not there becomes nothing.
func TestMap(t *testing.T) {
	one, three := 1, 3
	r, w, d := Map(&one, nil, &three, func(n *int) string { return fmt.Sprint("of ", *n) })
	if diff := cmp.Diff([]string{"of 1", "", "of 3"}, []string{r, w, d}); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestAll: a caller can change what it was given, and no other one sees that.
func TestAll(t *testing.T) {
	All()[0] = "changed"
	if diff := cmp.Diff([]string{v1alpha1.OperationRead, v1alpha1.OperationWrite, v1alpha1.OperationTrim}, All()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestSummed(t *testing.T) {
	one := new(int)
	for want, has := range map[string][3]*int{
		"":                                 {one, nil, nil},
		"reads and writes together":        {one, one, nil},
		"writes and trims together":        {nil, one, one},
		"reads, writes and trims together": {one, one, one},
	} {
		if got := Summed(has[0], has[1], has[2]); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
