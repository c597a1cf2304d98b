package monitoring

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers"
	"github.com/storagebench/storagebench/controllers/failing"
	"github.com/storagebench/storagebench/controllers/resultmetrics"
	"github.com/storagebench/storagebench/controllers/servertime"
)

// recorder takes down which metrics are registered.
type recorder struct {
	prometheus.Registerer
	names sets.Set[string]
}

// describedName finds a metric's name in what its Desc prints: it has no method for that.
var describedName = regexp.MustCompile(`fqName: "([^"]+)"`)

func (r recorder) MustRegister(collectors ...prometheus.Collector) {
	descs := make(chan *prometheus.Desc)
	go func() {
		defer close(descs)
		for _, c := range collectors {
			c.Describe(descs)
		}
	}()
	for desc := range descs {
		r.names.Insert(describedName.FindStringSubmatch(desc.String())[1])
	}
}

// What the dashboard and the alerts ask for is served, also where a query gives 0 if nothing is there. The page has all that is served.
func TestNames(t *testing.T) {
	served := recorder{names: sets.New[string]()}
	controllers.NewMetrics(served)
	served.MustRegister(&resultmetrics.Store{}, controllers.NewActiveBenchmarks(nil), &failing.Objects{}, servertime.New(nil))
	for _, path := range []string{filepath.Join(chart, "files", "dashboard.json"), filepath.Join(chart, "files", "alerts.yaml"), "../../docs/monitoring.md"} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		named := sets.New(regexp.MustCompile(`\bstoragebench_\w+`).FindAllString(string(text), -1)...)
		if unknown := named.Difference(served.names); named.Len() < 5 || unknown.Len() > 0 {
			t.Errorf("%s has %d names, and no metric is called %v", path, named.Len(), sets.List(unknown))
		}
		if missing := served.names.Difference(named); filepath.Ext(path) == ".md" && missing.Len() > 0 {
			t.Errorf("%s does not have %v", path, sets.List(missing))
		}
	}
}

// askedControllers finds which controllers a query is of, in JSON and in YAML.
var askedControllers = regexp.MustCompile(`\bcontroller=~\\?"([^"\\]+)`)

// What asks for controllers asks for all, by the names that controller-runtime gives them: those of their kinds in small letters.
func TestControllers(t *testing.T) {
	var want []string
	for _, object := range []any{v1alpha1.StorageBenchmark{}, v1alpha1.StorageBenchmarkSchedule{}} {
		want = append(want, strings.ToLower(reflect.TypeOf(object).Name()))
	}
	for _, name := range []string{"dashboard.json", "alerts.yaml"} {
		text, err := os.ReadFile(filepath.Join(chart, "files", name))
		if err != nil {
			t.Fatal(err)
		}
		found := askedControllers.FindAllStringSubmatch(string(text), -1)
		if len(found) == 0 {
			t.Errorf("%s asks for no controller", name)
		}
		for _, asked := range found {
			if !slices.Equal(strings.Split(asked[1], "|"), want) {
				t.Errorf("%s asks for %s, want %v", name, asked[1], want)
			}
		}
	}
}
