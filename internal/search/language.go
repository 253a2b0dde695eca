package search

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/arabic"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/irish"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/tamil"
	"github.com/blevesearch/snowballstem/turkish"
	"golang.org/x/text/unicode/norm"
)

// A word is stemmed in one language. The script decides where only one language of
// it has a stemmer. A text in Latin letters has the language most of its function
// words and accents speak for, else English. That is a guess, so a query asks for the
// stems of its words in every language: a wrong guess costs nothing but a lookup.

// language is an index into languageTable.
type language uint8

// languageSet is a set of them.
type languageSet uint32

func (s languageSet) has(l language) bool { return s&(1<<l) != 0 }

const inEnglish language = 0

// Those with Latin letters come first.
const (
	latinLanguages = 15
	inRussian      = language(latinLanguages)
	inArabic       = language(latinLanguages + 1)
	inTamil        = language(latinLanguages + 2)
	languageCount  = latinLanguages + 3
)

var languageTable = [languageCount]struct {
	stem    func(*snowballstem.Env) bool
	words   string            // function words, which say what language a text has
	accents string            // letters that say so too
	endings map[string]string // that many write without their accents
}{
	{english.Stem, `the of and to is was are were be with for that this have has not you it we they from by at which will
		would can should what when why how where who does did been our your there because if an on in my`, "", nil},
	{german.Stem, `der die das und ist nicht ein eine einen einem einer wir ihr sie ich mit auf für von dem den des zu im sich
		auch es wird werden wurde bei nach über aus wie noch nur oder aber wenn kann haben hatte sind warum wo wer beim zum zur
		uns bitte dass`, "äöüß", nil},
	{french.Stem, `le la les des une est et dans pour pas que qui sur avec nous vous ils elle sont au aux ce cette du ne se il
		je mais ou donc par comme quand pourquoi été était`, "éèêàâçëîœ", nil},
	{spanish.Stem, `el la los las que de en un una es por para con se del al lo como más pero sus fue está este esto son cuando
		donde dónde cuándo porque muy hay ya sin sobre nos qué`, "ñáéíóú", map[string]string{"cion": "ción", "sion": "sión"}},
	{italian.Stem, `il lo la gli che di un una per con non del della dei delle nel nella sono questo questa come ma anche più
		dal dalla alla ai al quando perché dove`, "àèéìòù", nil},
	{portuguese.Stem, `os um uma que de da dos das em na nas por para com não se mais mas foi está isso este quando onde porque
		ao pelo pela`, "ãõçáéíóúâê", map[string]string{"cao": "ção", "coes": "ções"}},
	{dutch.Stem, `de het een en van ik te dat die niet op aan met voor zijn er maar dan zou wat dit door ze zich bij ook tot je
		uit naar heb hoe heeft nog wordt wij worden waarom wanneer`, "ë", nil},
	{swedish.Stem, `och det att som en på av för den till med de inte ett jag hon vi från men så när hur varför detta där`, "åäö", nil},
	{danish.Stem, `og det er en den til på som med de af ikke der var et om vi havde nu fra skal hvorfor hvornår hvordan dette
		blev`, "åæø", nil},
	{norwegian.Stem, `og det er en den til på som med de av ikke der et om vi jeg fra skal hvorfor når hvordan dette ble`, "åæø", nil},
	{finnish.Stem, `ja ei se että oli mutta kun niin ovat olen myös kanssa tämä ole joka kuin mikä miksi milloin missä sen`, "äö", nil},
	{hungarian.Stem, `az egy hogy nem van ezt ez azt csak meg mert volt kell mint vagy ami hol miért mikor`, "áéíóöőúüű", nil},
	{romanian.Stem, `și de la nu este un pe cu să din care pentru mai ce sunt acest această când unde fost`, "ăâîșțşţ", nil},
	{turkish.Stem, `ve bir bu da de için ile var yok çok mi daha gibi ama neden nasıl nerede değil olarak sonra`, "çğıöşü", nil},
	{irish.Stem, `agus na ar tá bhí leis seo sin níl raibh cad conas`, "áéíóú", nil},
	inRussian: {russian.Stem, `и в не на что с по как это но мы он она они к у же за бы из от о для до при так где когда почему кто
		или ли был была было были есть`, "", nil},
	inArabic: {arabic.Stem, "", "", nil},
	inTamil:  {tamil.Stem, "", "", nil},
}

// functionWords are the languages that a folded word is a function word of.
var functionWords = sync.OnceValue(func() map[string]languageSet {
	of := map[string]languageSet{}
	for i, l := range languageTable {
		for _, word := range strings.Fields(l.words) {
			of[fold(word)] |= 1 << i
		}
	}
	return of
})

// accentLanguages are the languages that a letter speaks for.
var accentLanguages = sync.OnceValue(func() map[rune]languageSet {
	of := map[rune]languageSet{}
	for i, l := range languageTable {
		for _, r := range l.accents {
			of[r] |= 1 << i
		}
	}
	return of
})

// detect returns the language of a text in Latin letters, by its words.
func detect(text string, list []token) language {
	var votes [languageCount]int
	vote := func(set languageSet) {
		for l := language(0); set != 0; l, set = l+1, set>>1 {
			votes[l] += int(set & 1)
		}
	}
	words, known := 0, functionWords()
	for i := range list {
		if t := &list[i]; !t.whole {
			words++
			vote(known[t.surface])
		}
	}
	if !ascii(text) {
		accents := accentLanguages()
		for _, r := range strings.ToLower(text) {
			if r >= 0x80 {
				vote(accents[r])
			}
		}
	}
	best := inEnglish
	for l := inEnglish + 1; l < latinLanguages; l++ {
		if votes[l] > votes[best] && 10*votes[l] >= words {
			best = l
		}
	}
	return best
}

// languageOf is the language in which a word is stemmed, in a text whose Latin words
// have the language latin.
func languageOf(surface string, latin language) language {
	if surface[0] < 0x80 {
		return latin
	}
	switch r, _ := utf8.DecodeRuneInString(surface); {
	case unicode.Is(unicode.Cyrillic, r):
		return inRussian
	case unicode.Is(unicode.Arabic, r):
		return inArabic
	case unicode.Is(unicode.Tamil, r):
		return inTamil
	}
	return latin
}

// stems caches the stems of words: a team uses few words, and stemming takes longer
// than everything else here. A full cache starts over.
var stems = struct {
	sync.RWMutex
	of [languageCount]map[string]string
}{}

const maxStems = 1 << 16

// stem is what the forms of a word have in common. word is in small letters, with
// its accents, because stemmers know them; the stem is folded.
func stem(word string, l language) string {
	if len(word) < 3 || !onlyLetters(word) {
		return fold(word)
	}
	stems.RLock()
	s, ok := stems.of[l][word]
	stems.RUnlock()
	if ok {
		return s
	}
	env := snowballstem.NewEnv(accented(word, l))
	languageTable[l].stem(env)
	if s = fold(env.Current()); s == "" {
		s = fold(word)
	}
	stems.Lock()
	if len(stems.of[l]) >= maxStems || stems.of[l] == nil {
		stems.of[l] = map[string]string{}
	}
	stems.of[l][strings.Clone(word)] = s
	stems.Unlock()
	return s
}

// accented puts back accents that many leave out and that stemmers look for.
func accented(word string, l language) string {
	for bare, ending := range languageTable[l].endings {
		if rest, ok := strings.CutSuffix(word, bare); ok {
			return rest + ending
		}
	}
	return word
}

func onlyLetters(s string) bool {
	for _, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsMark(r) {
			return false
		}
	}
	return true
}

// lower is a word in small letters with its accents, each a single character.
func lower(s string) string {
	if plain(s) {
		return s
	}
	s = withoutApostrophes(strings.ToLower(s))
	if ascii(s) {
		return s
	}
	return norm.NFC.String(s)
}
