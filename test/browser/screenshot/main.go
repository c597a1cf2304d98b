// screenshot makes a picture of a report, or of any HTML file:
//
//	go run ./screenshot [flags] report.html picture.png
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/chromedp/chromedp"

	"github.com/storagebench/storagebench/test/browser"
)

func main() {
	var screen browser.Screen
	flag.Int64Var(&screen.Width, "width", 1280, "width of the screen in pixels")
	flag.Int64Var(&screen.Height, "height", 0, "height of the picture in pixels; 0: all of the page")
	flag.BoolVar(&screen.Dark, "dark", false, "dark, if the page can be")
	flag.BoolVar(&screen.Print, "print", false, "as it is printed")
	scroll := flag.String("at", "", "scroll to what this CSS selector names first")
	flag.Parse()
	if err := shoot(flag.Args(), screen, *scroll); err != nil {
		fmt.Fprintln(os.Stderr, "screenshot:", err)
		os.Exit(1)
	}
}

// shoot writes a picture of the file that is the first argument into the second.
func shoot(args []string, screen browser.Screen, selector string) error {
	if len(args) != 2 {
		return errors.New("want two arguments: the HTML file and the PNG file to write")
	}
	all := screen.Height == 0
	if all {
		screen.Height = 900
	}
	ctx, stop, err := browser.Start(context.Background())
	if err != nil {
		return err
	}
	defer stop()
	steps := []chromedp.Action[chromedp.Void]{browser.Open(args[0], screen), browser.DrawAll()}
	if selector != "" {
		steps = append(steps, chromedp.ScrollIntoView(chromedp.CSS(selector)))
	}
	if err := chromedp.Do(ctx, steps...); err != nil {
		return err
	}
	capture := chromedp.CaptureScreenshot()
	if all {
		capture = chromedp.FullScreenshot(100)
	}
	picture, err := chromedp.Run(ctx, capture)
	if err != nil {
		return err
	}
	return os.WriteFile(args[1], picture, 0o600)
}
