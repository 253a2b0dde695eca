package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/chromedp"

	"parley/api"
)

// long opens the long channel and scrolls it back.
func (b *browser) long(h *hub, count int) error {
	tab, err := b.signIn(h)
	if err != nil {
		return err
	}
	var opened, answered []float64
	for range 10 {
		if err := chromedp.Do(tab, chromedp.Navigate(h.url+"/you"), chromedp.Navigate(h.url+"/c/long"), chromedp.WaitVisible(chromedp.CSS(".msg"))); err != nil {
			return err
		}
		times, err := eval[[]float64](tab, `(async () => { await new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)));
			const n = performance.getEntriesByType("navigation")[0]; return [n.responseEnd, n.domContentLoadedEventEnd] })()`)
		if err != nil {
			return err
		}
		answered, opened = append(answered, times[0]), append(opened, times[1])
	}
	fmt.Printf("channel of %d messages: opened in %s (the answer of the hub in %s)\n", count, figures(opened), figures(answered))

	// Scrolls to the top again and again, and says how long each page took to come, and
	// the longest time between two frames.
	times, err := eval[[]float64](tab, `(async () => {
		const list = document.getElementById("msgs"), took = [];
		let last = performance.now(), longest = 0, running = true;
		const frame = (t) => { longest = Math.max(longest, t - last); last = t; if (running) requestAnimationFrame(frame) };
		requestAnimationFrame((t) => { last = t; requestAnimationFrame(frame) });
		for (let i = 0; i < 60; i++) {
			const first = list.querySelector(".msg").id, from = performance.now();
			scrollTo(0, 0);
			while (list.querySelector(".msg").id === first) await new Promise(requestAnimationFrame);
			took.push(performance.now() - from);
		}
		running = false;
		return [longest, document.querySelectorAll(".msg").length, ...took];
	})()`)
	if err != nil {
		return err
	}
	fmt.Printf("scrolled back 60 pages: each came in %s; the longest frame %.0f ms; %.0f messages in the page\n", figures(times[2:]), times[0], times[1])
	return nil
}

// busy writes 100 messages a second and measures when each appears in two browsers.
func (b *browser) busy(h *hub, seconds int) error {
	ctx, cancel := context.WithCancel(b.ctx)
	defer cancel()
	var tabs []context.Context
	for range 2 {
		tab, err := b.signIn(h)
		if err == nil {
			err = chromedp.Do(tab, chromedp.Navigate(h.url+"/c/busy"), chromedp.WaitVisible(chromedp.CSS("#msgs")))
		}
		if err == nil {
			_, err = eval[bool](tab, watchAppearance)
		}
		if err != nil {
			return err
		}
		tabs = append(tabs, tab)
	}
	cookie, err := sessionCookie(ctx, h)
	if err != nil {
		return err
	}
	for range 48 {
		if err := follow(ctx, h, cookie); err != nil {
			return err
		}
	}
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	n := 100 * seconds
	failed := make(chan error, n)
	for i := range n {
		<-tick.C
		go func() {
			_, err := h.Post(ctx, api.PostRequest{Channel: "busy", Message: fmt.Sprintf("Message %d of **many**.", i)})
			failed <- err
		}()
	}
	for range n {
		if err := <-failed; err != nil {
			return err
		}
	}
	for i, tab := range tabs {
		times, err := eval[[]float64](tab, fmt.Sprintf(`(async () => { for (let i = 0; i < 100 && seen.length < %d; i++) await new Promise(r => setTimeout(r, 100)); return seen })()`, n))
		if err != nil {
			return err
		}
		fmt.Printf("browser %d: %d of %d messages, at 100 a second with 2 browsers and 48 more streams: appeared after %s\n", i+1, len(times), n, figures(times))
	}
	return nil
}

// watchAppearance notes for each new message how old it is when it is in the page. The
// browser and the hub have the same clock.
const watchAppearance = `(() => { window.seen = []; new MutationObserver((all) => { for (const m of all) for (const e of m.addedNodes)
	if (e.classList?.contains("msg")) seen.push(Date.now() - Date.parse(e.querySelector("time").dateTime)) }).observe(document.getElementById("msgs"), {childList: true}); return true })()`

// sessionCookie signs in without a browser.
func sessionCookie(ctx context.Context, h *hub) (string, error) {
	link, err := h.CreateLink(ctx)
	if err != nil {
		return "", err
	}
	_, code, _ := strings.Cut(link.Path, "code=")
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, h.url+"/signin", strings.NewReader("code="+code+"&next=/"))
	if err != nil {
		return "", err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", h.url)
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return "", err
	}
	_ = answer.Body.Close()
	for _, c := range answer.Cookies() {
		if strings.Contains(c.Name, "session") {
			return c.Name + "=" + c.Value, nil
		}
	}
	return "", errors.New("nobody was signed in: " + answer.Status)
}

// follow opens a stream and reads it.
func follow(ctx context.Context, h *hub, cookie string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, h.url+"/stream?place=/c/busy", nil)
	if err != nil {
		return err
	}
	r.Header.Set("Cookie", cookie)
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		return errors.New("a stream: " + answer.Status)
	}
	go func() {
		_, _ = io.Copy(io.Discard, answer.Body) // until the end
		_ = answer.Body.Close()
	}()
	return nil
}

// figures are the middle, the 95th percentile and the largest of some times.
func figures(ms []float64) string {
	if len(ms) == 0 {
		return "no time at all"
	}
	ms = slices.Sorted(slices.Values(ms))
	return fmt.Sprintf("%.0f ms (p95 %.0f, at most %.0f)", ms[len(ms)/2], ms[len(ms)*95/100], ms[len(ms)-1])
}
