package parley

import (
	"strings"
	"testing"
	"time"
)

func TestParseBudget(t *testing.T) {
	for text, want := range map[string]Budget{
		"tokens=50000,money=1.5,tasks=10,time=30m": {Tokens: 50_000, Money: 1_500_000, Tasks: 10, Time: 30 * time.Minute},
		"tokens=200k":               {Tokens: 200_000},
		" tokens=2M , money=$0.01 ": {Tokens: 2_000_000, Money: 10_000},
		"money=0.000001":            {Money: 1},
		"2.50":                      {Money: 2_500_000},
		"$3":                        {Money: 3_000_000},
		"200k":                      {Tokens: 200_000},
		" 2M ":                      {Tokens: 2_000_000},
	} {
		got, err := ParseBudget(text)
		if err != nil || got != want {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
		if again, err := ParseBudget(got.String()); err != nil || again != want {
			t.Errorf("%q is spelled %q, which reads %+v, %v", text, got, again, err)
		}
	}
	for _, text := range []string{"", "5", "50000", "0.00", "0k", "$", "k", "1.5k", "tokens", "tokens=", "tokens=0", "tokens=-1", "tokens=1e9", "tokens=99999999999999999999", "money=-1", "money=1.0000001",
		"money=.5", "money=1,5", "tasks=0", "tasks=1.5", "time=5", "time=-5s", "euros=5", "tokens=5,", "tokens=5;money=1"} {
		if got, err := ParseBudget(text); err == nil || KindOf(err) != Invalid || !strings.Contains(err.Error(), "Write one like") {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
}

func TestMoneyIsSpelledWithItsCents(t *testing.T) {
	for m, want := range map[Money]string{0: "$0.00", 1: "$0.000001", 10_000: "$0.01", 15_000: "$0.015", 2_500_000: "$2.50", 20_000_000: "$20.00"} {
		if got := m.String(); got != want {
			t.Errorf("%d: %s, want %s", m, got, want)
		}
	}
}

func TestRaisingABudget(t *testing.T) {
	b := Budget{Tokens: 10, Money: 5}
	got, err := b.Raise(Budget{Tokens: 1, Money: 2})
	if want := (Budget{Tokens: 11, Money: 7}); err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
	for _, by := range []Budget{{Tasks: 1}, {Time: 1}, {Tokens: 1<<63 - 1}, {Money: maxMoney - 4}} {
		if got, err := b.Raise(by); KindOf(err) != Conflict || got != b {
			t.Errorf("raised by %+v: %+v, %v", by, got, err)
		}
	}
}

func TestADayEndsAtMidnight(t *testing.T) {
	noon := Micros(time.Date(2030, 1, 31, 12, 0, 0, 0, time.UTC).UnixMicro())
	if got := noon.NextDay().Time().UTC(); !got.Equal(time.Date(2030, 2, 1, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("the next day begins at %v", got)
	}
	if noon.NextDay().Day() != noon.Day()+1 || noon.NextDay().Add(-time.Microsecond).Day() != noon.Day() {
		t.Error("days overlap")
	}
}
