package browser

import (
	"testing"
)

// TestFits: on a laptop's screen tables need no scrolling, and no label of a chart is cut off.
func TestFits(t *testing.T) {
	for _, report := range []string{"gp3-vs-efs", "gp2-vs-gp3", "efs-operations", "credits", "highest-load", "one-choice", "failed", "index"} {
		t.Run(report, func(t *testing.T) {
			page := open(t, report, Screen{Width: 1280, Height: 900})
			do(page, t, DrawAll())
			if wide := evaluate[[]string](page, t, scrolled); len(wide) > 0 {
				t.Errorf("tables that have to be scrolled: %q", wide)
			}
			if cut := evaluate[[]string](page, t, clipped); len(cut) > 0 {
				t.Errorf("labels that are cut off: %q", cut)
			}
		})
	}
}

// scrolled finds tables that are wider than their place, folded ones included.
const scrolled = `(() => {
	document.querySelectorAll("details").forEach(d => d.open = true);
	return [...document.querySelectorAll(".scroll:has(table)")].filter(e => e.scrollWidth > e.clientWidth)
		.map(e => e.getAttribute("aria-label") + ": " + e.scrollWidth + " of " + e.clientWidth);
})()`

// clipped finds texts of charts that are not wholly within their picture.
const clipped = `[...document.querySelectorAll(".plot svg[role=img] text")].filter(text => {
	if (!text.textContent.trim()) return false;
	const own = text.getBoundingClientRect(), all = text.closest(".plot > svg, .plot > figure, .plot").getBoundingClientRect();
	return own.left < all.left - 1 || own.right > all.right + 1 || own.top < all.top - 1 || own.bottom > all.bottom + 1;
}).map(text => text.closest("figure[data-kind]").querySelector("figcaption").textContent + ": " + text.textContent)`
