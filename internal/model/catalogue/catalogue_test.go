package catalogue_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/model"
	"parley/internal/model/catalogue"
)

// The prices are those that the providers publish; the list has them under
// names that mislead.
func TestPricesOfCachedTokens(t *testing.T) {
	c := catalogue.Builtin()
	for _, w := range []struct {
		provider, name string
		want           catalogue.Price
	}{
		{"anthropic", "claude-sonnet-4-5", catalogue.Price{Input: 3, Output: 15, CacheRead: 0.3, CacheWrite: 3.75}},
		{"anthropic", "claude-opus-4-1", catalogue.Price{Input: 15, Output: 75, CacheRead: 1.5, CacheWrite: 18.75}},
		{"openai", "gpt-5", catalogue.Price{Input: 1.25, Output: 10, CacheRead: 0.125, CacheWrite: 1.25}},
		{"openai", "gpt-4o", catalogue.Price{Input: 2.5, Output: 10, CacheRead: 1.25, CacheWrite: 2.5}},
		{"gemini", "gemini-2.5-pro", catalogue.Price{Input: 1.25, Output: 10, CacheRead: 0.125, CacheWrite: 1.25}},
		{"gemini", "gemini-3.1-flash-lite", catalogue.Price{Input: 0.25, Output: 1.5, CacheRead: 0.025, CacheWrite: 0.25}},
	} {
		e, ok := c.Find(w.provider, w.name)
		if !ok {
			t.Errorf("%s/%s is not in the list", w.provider, w.name)
			continue
		}
		if diff := cmp.Diff(&w.want, e.Price); diff != "" {
			t.Errorf("%s (-want +got):\n%s", e.ID(), diff)
		}
	}
}

// Whatever the list says, nothing that was cached costs more to read than what
// was not, and nothing costs less than nothing.
func TestEveryPriceIsPlausible(t *testing.T) {
	list := catalogue.Builtin().List("")
	if len(list) < 1000 {
		t.Errorf("the list has only %d models", len(list))
	}
	for _, e := range list {
		p := e.Price
		if p == nil {
			continue
		}
		if p.Input < 0 || p.Output < 0 || p.CacheRead < 0 || p.CacheRead > p.Input || p.CacheWrite < p.Input {
			t.Errorf("%s: %+v", e.ID(), *p)
		}
	}
}

func TestCost(t *testing.T) {
	p := &catalogue.Price{Input: 3, Output: 15, CacheRead: 0.3, CacheWrite: 3.75}
	for _, c := range []struct {
		price *catalogue.Price
		usage model.Usage
		want  int64
	}{
		{p, model.Usage{}, 0},
		{p, model.Usage{Input: 1000, Output: 100}, 4500},
		{p, model.Usage{Input: 1000, Output: 100, CacheRead: 10_000, CacheWrite: 1000}, 11_250},
		{p, model.Usage{CacheRead: 1}, 1}, // a third of a millionth is not nothing
		{&catalogue.Price{Input: 0.1}, model.Usage{Input: 30}, 3},
		{nil, model.Usage{Input: 1000}, 0},
	} {
		if got := c.price.Cost(c.usage); got != c.want {
			t.Errorf("%+v at %+v: %d, want %d", c.usage, c.price, got, c.want)
		}
	}
}

func TestNewestOfAFamily(t *testing.T) {
	c := catalogue.New(
		catalogue.Entry{Provider: "anthropic", Name: "claude-opus-4-20250514"},
		catalogue.Entry{Provider: "anthropic", Name: "claude-opus-4-1-20250805"},
		catalogue.Entry{Provider: "anthropic", Name: "claude-opus-4-6"},
		catalogue.Entry{Provider: "anthropic", Name: "claude-opus-4-10-fast"},
		catalogue.Entry{Provider: "anthropic", Name: "claude-haiku-4-5-20251001"},
		catalogue.Entry{Provider: "anthropic", Name: "claude-sonnet-latest"},
		catalogue.Entry{Provider: "other", Name: "claude-opus-9"},
	)
	for family, want := range map[string]string{"opus": "claude-opus-4-6", "haiku": "claude-haiku-4-5-20251001", "sonnet": "", "poem": ""} {
		if e, ok := c.Newest("anthropic", family); e.Name != want || ok != (want != "") {
			t.Errorf("%s: %q, want %q", family, e.Name, want)
		}
	}
	for _, family := range []string{"sonnet", "opus", "haiku"} {
		if e, ok := catalogue.Builtin().Newest("anthropic", family); !ok || !strings.Contains(e.Name, family) {
			t.Errorf("%s: %+v", family, e)
		}
	}
}

func TestFindAndCorrect(t *testing.T) {
	c := catalogue.Builtin()
	if e, ok := c.Find("anthropic", "claude-haiku-4-5"); !ok || e.Name != "claude-haiku-4-5-20251001" {
		t.Errorf("without its date: %+v, %v", e, ok)
	}
	if _, ok := c.Find("anthropic", "claude-haiku"); ok {
		t.Error("half a name is found")
	}
	if near := c.Near("anthropic", "claude-sonet-4-5"); len(near) == 0 || near[0] != "anthropic/claude-sonnet-4-5" {
		t.Errorf("near: %v", near)
	}
	c.Put(catalogue.Entry{Provider: "lab", Name: "qwen", Window: 4096})
	c.Put(catalogue.Entry{Provider: "lab", Name: "qwen", Window: 8192})
	if list := c.List("LAB/"); len(list) != 1 || list[0].Window != 8192 {
		t.Errorf("after a correction: %+v", list)
	}
}
