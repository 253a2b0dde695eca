package main

import (
	"fmt"

	"github.com/chromedp/chromedp"
)

// home opens home in new profiles, which have nothing of it yet.
func (b *browser) home(h *hub) error {
	var took, bytes []float64
	for range 10 {
		tab, err := b.signIn(h)
		if err != nil {
			return err
		}
		// The end of loading, not counting what the way there from the link took.
		figures, err := eval[[]float64](tab, `(async () => {
			while (!performance.getEntriesByType("navigation")[0].loadEventEnd) await new Promise(r => setTimeout(r, 10));
			const n = performance.getEntriesByType("navigation")[0], all = performance.getEntriesByType("resource").filter(r => r.startTime < n.loadEventEnd);
			return [n.loadEventEnd - n.redirectEnd, all.reduce((sum, r) => sum + r.transferSize, n.transferSize)] })()`)
		if err != nil {
			return err
		}
		took, bytes = append(took, figures[0]), append(bytes, figures[1]/1000)
		if err := chromedp.Cancel(tab); err != nil {
			return err
		}
	}
	fmt.Printf("first view of home: %s; %.0f KB\n", figures(took), bytes[0])
	return nil
}
