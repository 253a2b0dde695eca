package view

import (
	"testing"

	"parley/api"
)

func TestAmountsAreShort(t *testing.T) {
	for amount, want := range map[float64]string{
		0: "$0.00", 0.075489: "$0.076", 0.75: "$0.75", 0.751: "$0.76", 0.3: "$0.30", 12.3401: "$12.35", 0.000012: "$0.000012", 0.0000001: "$0.000001",
	} {
		if got := AtMost(amount); got != want {
			t.Errorf("at most %v is %s, want %s", amount, got, want)
		}
	}
	sp := api.Spending{}
	sp.Input, sp.Output, sp.Money = 1_155_000, 44, 1.5
	if got, want := (Screen{}).SpentToday(sp), "$1.50, 1155k tokens"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
