// Package browser looks at pages in headless Chromium.
package browser

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// ErrNoChromium says that there is nothing to look with.
var ErrNoChromium = errors.New("no chromium: install it, on Debian with hack/debian-packages.sh chromium")

// names are what programs of Chromium are called.
var names = []string{"chromium", "chromium-browser", "google-chrome"}

// Start starts a browser that knows nothing and asks nobody: its profile is new, and what Chromium asks of its maker by
// itself is switched off. Contexts that chromedp.NewContext makes of the one that is returned are its tabs. The browser has
// ended when stop returns.
func Start(ctx context.Context) (browser context.Context, stop func(), err error) {
	program, err := find()
	if err != nil {
		return nil, nil, err
	}
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]),
		chromedp.ExecPath(program), chromedp.Flag("headless", "new"), chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
	)
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // Chromium's sandbox refuses to be root
	}
	browser, stop = chromedp.NewContext(ctx, chromedp.WithAllocatorOptions(options...))
	if err := chromedp.Do(browser); err != nil {
		stop()
		return nil, nil, fmt.Errorf("start %s: %w", program, err)
	}
	return browser, stop, nil
}

// find returns the path of Chromium.
func find() (string, error) {
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", ErrNoChromium
}

// Screen is what a page is looked at with.
type Screen struct {
	// Width and Height in CSS pixels.
	Width, Height int64
	// Dark says whether the reader prefers dark pages.
	Dark bool
	// Print shows the page as it is printed, but on one long sheet.
	Print bool
}

// Open returns the action that shows a file on a screen.
func Open(file string, screen Screen) chromedp.Action[chromedp.Void] {
	return func(ctx context.Context, tab *chromedp.Target) (chromedp.Void, error) {
		path, err := filepath.Abs(file)
		if err != nil {
			return chromedp.Void{}, err
		}
		scheme, medium := "light", "screen"
		if screen.Dark {
			scheme = "dark"
		}
		if screen.Print {
			medium = "print"
		}
		_, err = cdp.Call(ctx, tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Media: medium, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
		})
		if err != nil {
			return chromedp.Void{}, fmt.Errorf("emulate a %s %s: %w", scheme, medium, err)
		}
		return chromedp.Steps(chromedp.EmulateViewport(screen.Width, screen.Height), chromedp.Navigate("file://"+path))(ctx, tab)
	}
}

// DrawAll has a report draw all its charts, as it does before it is printed, and leaves it as it was otherwise.
func DrawAll() chromedp.Action[chromedp.Void] {
	return chromedp.Evaluate[chromedp.Void](`dispatchEvent(new Event("beforeprint")); dispatchEvent(new Event("afterprint"))`)
}
