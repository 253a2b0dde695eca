package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// shot is a way to look at the page: at a desk or on a phone, light or dark.
type shot struct {
	width, height int64
	scheme        string
}

var shots = []shot{{1440, 1000, "light"}, {1440, 1000, "dark"}, {390, 844, "light"}, {390, 844, "dark"}}

// camera is a browser that takes pictures.
type camera struct {
	ctx    context.Context
	quit   func()
	folder string
}

func newCamera(ctx context.Context, folder string) (*camera, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	allocator, end := chromedp.NewExecAllocator(ctx, append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox)...)
	tab, closeTab := chromedp.NewContext(allocator)
	c := &camera{ctx: tab, folder: folder, quit: func() { closeTab(); end() }}
	return c, chromedp.Do(tab)
}

// take pictures of one address in all sizes and schemes.
func (c *camera) take(url, name string) error {
	for _, s := range shots {
		if err := c.look(s); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := c.open(url); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := c.save(name, s); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// catch takes pictures of what is open, in all sizes and schemes, at once: it does not stay
// like this.
func (c *camera) catch(name string) error {
	for _, s := range shots {
		if err := c.look(s); err != nil {
			return err
		}
		if err := c.save(name, s); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// open shows an address and lets the page settle.
func (c *camera) open(url string) error {
	return chromedp.Do(c.ctx, chromedp.Navigate(url), chromedp.Sleep(400*time.Millisecond))
}

// look sets the size and the scheme.
func (c *camera) look(s shot) error {
	likes := chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: s.scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}}})
		return err
	})
	return chromedp.Do(c.ctx, chromedp.EmulateViewport(s.width, s.height), likes)
}

func (c *camera) save(name string, s shot) error {
	picture, err := chromedp.Run(c.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		return err
	}
	file := filepath.Join(c.folder, fmt.Sprintf("%s-%d-%s.png", name, s.width, s.scheme))
	fmt.Println(file)
	return os.WriteFile(file, picture, 0o644)
}
