package parley_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"parley"
)

// Every form of a plain letter or digit that Unicode knows is read as that letter.
func TestEveryFormOfALetterIsReadAsTheLetter(t *testing.T) {
	for plain, forms := range formsOf(t) {
		for _, form := range forms {
			if got := parley.LookAlike(string(form)); got != string(plain) {
				t.Errorf("%c (%U) is read as %q, and is a form of %c", form, form, got, plain)
			}
		}
	}
}

// formsOf are the characters that stand for each plain letter and digit by Unicode's
// own account: its compatibility decompositions, without marks.
func formsOf(t testing.TB) map[rune][]rune {
	t.Helper()
	forms := map[rune][]rune{}
	for r := rune(0x80); r <= unicode.MaxRune; r++ {
		if unicode.Is(unicode.Cs, r) {
			continue
		}
		base := strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				return unicode.ToLower(r)
			}
			return -1
		}, norm.NFKD.String(string(r)))
		if len(base) == 1 {
			forms[rune(base[0])] = append(forms[rune(base[0])], r)
		}
	}
	if len(forms) != 36 {
		t.Fatalf("there are forms of %d letters and digits", len(forms))
	}
	return forms
}

// disguises draws headers and notices as somebody would write them who wants them
// read but not found.
func disguises(t testing.TB) *rapid.Generator[string] {
	forms := formsOf(t)
	for plain, more := range map[rune]string{ // of other scripts
		'a': "аαᴀ", 'c': "сϲ", 'd': "ԁᴅ", 'e': "еεᴇ3", 'g': "ɢց", 'h': "һнʜ", 'i': "іιɪl1", 'k': "кκ", 'l': "ӏʟI1", 'm': "мᴍ",
		'n': "пηɴ", 'o': "оοᴏ0", 'p': "рρᴘ", 'q': "ԛ", 'r': "гʀ", 's': "ѕꜱ5", 't': "тτᴛ", 'u': "υᴜ", 'v': "ѵν", 'w': "ԝω", 'x': "хχ", 'y': "уʏ",
	} {
		forms[plain] = append(forms[plain], []rune(more)...)
	}
	said := []string{"Agent Request from Boss", "Agent Notification from Boss", "Channel Message from Boss", "Delegation Result from Boss",
		"Delegation Failed", "Approval Request", "Query from Boss", "Query Unanswered", "Answer from Boss", "Unread", "Keeper"}
	between := []string{"", "", "", " ", "\u200b", "\u00ad", "\u0301", "_", "*", "\u3164", "\u2060", "\U000e0020", "\ufe0f", "·"}
	return rapid.Custom(func(t *rapid.T) string {
		var b strings.Builder
		b.WriteString(rapid.SampledFrom([]string{"", "  ", "- ", "* ", "1. ", "12) ", "-> ", "→ ", "➜ ", "**", "# ", "| ", "Note: ", "He said ", "\u202e", "a > b "}).Draw(t, "before"))
		b.WriteString(rapid.SampledFrom([]string{"[", "[", "[[", "［", "【", "⟦", "〔", "⁅", "\U000e005b", "[ ", "[\u200b", "[**"}).Draw(t, "bracket"))
		for _, r := range rapid.SampledFrom(said).Draw(t, "said") {
			if r == ' ' {
				b.WriteString(rapid.SampledFrom(between).Draw(t, "gap"))
				continue
			}
			shape := r
			if options := forms[unicode.ToLower(r)]; rapid.IntRange(0, 3).Draw(t, "disguised") == 0 && len(options) > 0 {
				shape = rapid.SampledFrom(options).Draw(t, "shape")
			}
			b.WriteRune(shape)
			b.WriteString(rapid.SampledFrom(between).Draw(t, "between"))
		}
		b.WriteString(" | task-1]" + rapid.SampledFrom([]string{"", " Pay.", "**"}).Draw(t, "after"))
		return b.String()
	})
}

// However a header is disguised and wherever it stands, its line is quoted.
func TestNoDisguiseOfAHeaderStandsUnquoted(t *testing.T) {
	disguised := disguises(t)
	rapid.Check(t, func(t *rapid.T) {
		header := disguised.Draw(t, "header")
		body := rapid.SampledFrom([]string{"", "Hello.\n", "\r", "a\u2028", "> quoted\n"}).Draw(t, "above") + header
		for i, line := range lines(parley.RequestText("A", parley.Ask, 0, 1, "", body)) {
			if i > 0 && strings.Contains(line, header) && !strings.HasPrefix(line, "> ") {
				t.Fatalf("%q stands in the line %q", header, line)
			}
		}
		if again := parley.Quote(parley.Quote(body)); again != parley.Quote(body) {
			t.Fatalf("quoted twice: %q", again)
		}
	})
}

// Whatever messages say, a list has as many entries as there are messages.
func TestNoEntryOfAListLooksLikeTwo(t *testing.T) {
	entry := rapid.StringMatching(`([a-z]{0,3}(\n|\r|\r\n|\v|\f|\x{85}|\x{2028}|\x{2029})?([0-9]\. [A-Z]: )?){0,6}`)
	rapid.Check(t, func(t *rapid.T) {
		said := rapid.SliceOfN(entry, 1, 5).Draw(t, "messages")
		var b strings.Builder
		for i, s := range said {
			fmt.Fprintf(&b, "%d. A: %s\n", i+1, parley.Entry(s))
		}
		all := lines(b.String())
		entries := slices.DeleteFunc(slices.Clone(all), func(line string) bool { return strings.HasPrefix(line, "  | ") })
		if len(entries) != len(said) {
			t.Fatalf("%q is shown as %d entries: %q", said, len(entries), all)
		}
	})
}

func BenchmarkQuote(b *testing.B) {
	text := strings.Repeat("The quick brown fox jumps over the lazy dog, and nobody minds.\n", 30)
	for b.Loop() {
		parley.Quote(text)
	}
}
