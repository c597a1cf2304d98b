// Command monitoring prints the Grafana dashboard of the chart.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
	"github.com/grafana/grafana-foundation-sdk/go/stat"
	"github.com/grafana/grafana-foundation-sdk/go/timeseries"
)

func main() {
	if err := write(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "monitoring:", err)
		os.Exit(1)
	}
}

// write writes the dashboard as Grafana reads it.
func write(w io.Writer) error {
	built, err := build().Build()
	if err != nil {
		return fmt.Errorf("build the dashboard: %w", err)
	}
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	out.SetEscapeHTML(false)
	return out.Encode(built)
}

// datasource is the Prometheus that a user of the dashboard has chosen.
var datasource = common.DataSourceRef{Type: new("prometheus"), Uid: new("${datasource}")}

// build makes a dashboard of the kind that all Grafanas read: older ones know no other.
func build() *dashboard.DashboardBuilder { //nolint:staticcheck // as above
	d := dashboard.NewDashboardBuilder("Storage benchmarks") //nolint:staticcheck // as above
	d.Uid("storagebench").
		Description("What StorageBenchmarks have measured, whether it became worse, and how the operator is.").
		Tags([]string{"storagebench", "storage"}).
		Readonly().
		Refresh("1m").
		Time("now-7d", "now").
		Timezone(common.TimeZoneBrowser).
		WithVariable(dashboard.NewDatasourceVariableBuilder("datasource").Label("Data source").Type("prometheus")).
		WithVariable(variable("namespace", "Namespace", "label_values(storagebench_last_result_timestamp_seconds, namespace)")).
		WithVariable(variable("schedule", "Schedule", `label_values(storagebench_last_result_timestamp_seconds{namespace=~"$namespace"}, schedule)`))
	for _, row := range rows {
		d.WithRow(dashboard.NewRowBuilder(row.title))
		for i := range row.panels {
			d.WithPanel(row.panels[i].builder())
		}
	}
	return d
}

// variable is a choice of label values, by default of all. Also series without the label belong to all.
func variable(name, label, query string) *dashboard.QueryVariableBuilder {
	return dashboard.NewQueryVariableBuilder(name).
		Label(label).
		Datasource(datasource).
		Query(dashboard.StringOrMap{String: &query}).
		Refresh(dashboard.VariableRefreshOnTimeRangeChanged).
		Sort(dashboard.VariableSortAlphabeticalAsc).
		Multi(true).
		IncludeAll(true).
		AllValue(".*")
}

// builder returns what makes the panel.
func (p *panel) builder() cog.Builder[dashboard.Panel] {
	if p.isNumber {
		return p.number()
	}
	b := timeseries.NewPanelBuilder().
		Title(p.title).Description(p.description).Datasource(datasource).
		Unit(p.unit).Min(0).Span(p.width).Height(seriesHeight).
		ShowPoints(common.VisibilityModeAlways).
		Legend(common.NewVizLegendOptionsBuilder().ShowLegend(true).Placement(common.LegendPlacementBottom).DisplayMode(common.LegendDisplayModeList)).
		Tooltip(common.NewVizTooltipOptionsBuilder().Mode(common.TooltipDisplayModeMulti).Sort(common.SortOrderDescending))
	for i, q := range p.queries {
		b.WithTarget(q.target(i).Range())
	}
	return b
}

// number returns a panel with one figure, which is green at 0 and orange above it where that is bad.
func (p *panel) number() cog.Builder[dashboard.Panel] {
	b := stat.NewPanelBuilder().
		Title(p.title).Description(p.description).Datasource(datasource).
		Unit(p.unit).Decimals(0).Span(p.width).Height(numberHeight)
	steps := []dashboard.Threshold{{Color: "green"}}
	if p.isBad {
		steps = append(steps, dashboard.Threshold{Value: new(1.0), Color: "orange"})
	}
	b.Thresholds(dashboard.NewThresholdsConfigBuilder().Mode(dashboard.ThresholdsModeAbsolute).Steps(steps))
	for i, q := range p.queries {
		b.WithTarget(q.target(i).Instant())
	}
	return b
}

// target returns the query as Grafana has it.
func (q query) target(number int) *prometheus.DataqueryBuilder {
	return prometheus.NewDataqueryBuilder().RefId(string(rune('A' + number))).Datasource(datasource).Expr(q.expr).LegendFormat(q.legend)
}
