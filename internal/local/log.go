package local

import (
	"bytes"
	"io"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/childmeta"
	"github.com/storagebench/storagebench/internal/series"
	"github.com/storagebench/storagebench/internal/sizelimit"
)

const (
	// maxLog is the most bytes of a run's log that are kept in memory. fio's output for the most sections that a job file
	// may have is about half of it.
	maxLog = 16 << 20
	// maxKeptLog is the most bytes of a log in the file, gzipped, as in a cluster.
	maxKeptLog = 256 << 10
	// longestLine is the most bytes of a line that are looked at.
	longestLine = 4096
)

// runLog is the log of a run. The runner writes one line after the other.
type runLog struct {
	// line gets each line.
	line func(string)

	text bytes.Buffer
	rest []byte
}

// Write implements io.Writer. What is more than maxLog is dropped, and the runner goes on.
func (l *runLog) Write(text []byte) (int, error) {
	l.text.Write(text[:min(len(text), max(maxLog-l.text.Len(), 0))])
	for part := range bytes.Lines(text) {
		l.rest = append(l.rest, part[:min(len(part), longestLine-min(len(l.rest), longestLine))]...)
		if bytes.HasSuffix(part, []byte("\n")) {
			l.line(string(bytes.TrimRight(l.rest, "\n")))
			l.rest = l.rest[:0]
		}
	}
	return len(text), nil
}

// series returns what the run did over its time, and the same as it is kept; nil if the log has none.
func (l *runLog) series() (*series.Series, []byte) {
	end := l.text.Bytes()
	end = end[max(len(end)-series.MessageBytes, 0):]
	data, err := series.ReadMessage(bytes.NewReader(end))
	if err != nil {
		return nil, nil
	}
	over, err := series.Decode(data)
	if err != nil {
		return nil, nil
	}
	return over, data
}

// keep has the file hold the log of a run, and what the run did over its time, as a cluster keeps them.
func (s *Session) keep(run *v1alpha1.Run, l left) {
	if l.log == nil {
		return
	}
	data := map[string][]byte{}
	zipped, err := sizelimit.Zip(maxKeptLog, func(w io.Writer) error {
		return series.CopyWithout(w, bytes.NewReader(l.log.text.Bytes()))
	})
	if err == nil { // a log that is larger is not kept
		data[childmeta.LogKey(0)] = zipped
	}
	if _, kept := l.log.series(); kept != nil {
		data[series.Key] = kept
	}
	if len(data) == 0 {
		return
	}
	run.LogConfigMap = childmeta.Name(s.sb, run.Name, "log")
	s.file.Keep(&corev1.ConfigMap{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{
			Name:        run.LogConfigMap,
			Labels:      childmeta.Labels(s.sb, v1alpha1.LabelTarget, run.Target),
			Annotations: map[string]string{v1alpha1.AnnotationRun: run.Name},
		},
		BinaryData: data,
	})
}
