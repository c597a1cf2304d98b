package controllers

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func TestNewestPod(t *testing.T) {
	pod := func(age time.Duration) *corev1.Pod {
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{CreationTimestamp: metav1.NewTime(noon.Add(-age))}}
	}
	young := pod(time.Second)
	if got := newest([]*corev1.Pod{pod(time.Hour), young, pod(time.Minute)}); got != young {
		t.Errorf("newest is %v", got)
	}
	if got := newest(nil); got != nil {
		t.Errorf("newest of none is %v", got)
	}
}

func TestTruncate(t *testing.T) {
	for _, test := range []struct {
		text string
		n    int
		want string
	}{
		{"", 5, ""}, {"abcde", 5, "abcde"}, {"abcdef", 5, "ab…"}, {"äöüß", 7, "äö…"}, {"äöüß", 6, "ä…"}, {"aäöü", 6, "aä…"},
		{"a\nb", 5, "a\nb"}, {"\x1b[2Ja\r\u202e\x00", 9, " [2Ja   "}, {"\xff\xfea", 5, "?a"}, {"\x80\x80\x80", 2, "?"},
	} {
		if got := truncate(test.text, test.n); got != test.want || len(got) > test.n || !utf8.ValidString(got) {
			t.Errorf("truncate(%q, %d) is %q, want %q", test.text, test.n, got, test.want)
		}
	}
	if note := limitNote(strings.Repeat("ä", 1000)); len(note) > 1024 || !strings.HasSuffix(note, "…") {
		t.Errorf("note of %d bytes", len(note))
	}
	if note := limitNote("short"); note != "short" {
		t.Errorf("note %q", note)
	}
}

func TestHandle(t *testing.T) {
	for want, source := range map[string]corev1.PersistentVolumeSource{
		"vol-0123":       {CSI: &corev1.CSIPersistentVolumeSource{VolumeHandle: "vol-0123"}},
		"/mnt/disk":      {Local: &corev1.LocalVolumeSource{Path: "/mnt/disk"}},
		"/var/x":         {HostPath: &corev1.HostPathVolumeSource{Path: "/var/x"}},
		"server:/export": {NFS: &corev1.NFSVolumeSource{Server: "server", Path: "/export"}},
		"pv":             {ISCSI: &corev1.ISCSIPersistentVolumeSource{}},
	} {
		pv := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "pv"}, Spec: corev1.PersistentVolumeSpec{PersistentVolumeSource: source}}
		if got := handle(pv); got != want {
			t.Errorf("handle is %q, want %q", got, want)
		}
	}
}

func TestEventTime(t *testing.T) {
	at := func(minutes int) metav1.Time { return metav1.NewTime(noon.Add(time.Duration(minutes) * time.Minute)) }
	created := metav1.ObjectMeta{CreationTimestamp: at(1)}
	for name, test := range map[string]struct {
		event corev1.Event
		want  metav1.Time
	}{
		"created":       {corev1.Event{ObjectMeta: created}, at(1)},
		"events.k8s.io": {corev1.Event{ObjectMeta: created, EventTime: metav1.NewMicroTime(at(2).Time)}, at(2)},
		"core":          {corev1.Event{ObjectMeta: created, LastTimestamp: at(3), EventTime: metav1.NewMicroTime(at(2).Time)}, at(3)},
		"series":        {corev1.Event{ObjectMeta: created, EventTime: metav1.NewMicroTime(at(2).Time), Series: &corev1.EventSeries{LastObservedTime: metav1.NewMicroTime(at(4).Time)}}, at(4)},
	} {
		if got := eventTime(&test.event); !got.Equal(test.want.Time) {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
}
