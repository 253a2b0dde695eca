package parley

import (
	"slices"
	"strings"
	"sync"
	"unicode"
)

// Readers take many characters for a plain letter or digit. Two places have to know
// which: Quote, because a header in such letters is read as a header, and LooksLike,
// because a name in them is read as another name.

// lookAlikes lists what is read as a plain letter: first the letters of other scripts
// and of phonetics that have its shape, then the forms of the letter itself, with
// accents, raised, or as a sign. Each entry begins with what is read. Capitals are
// listed only where they look like another letter than their small ones. It is a
// choice: Unicode's own table has six thousand entries, most of them of scripts that
// nobody mistakes for Latin.
var lookAlikes = [...]string{
	"0⁰₀⓪🄀🄁🯰",
	"1¹₁⅟①⑴⒈🄂🯱",
	"2²₂②⑵⒉🄃🯲",
	"3³₃③⑶⒊🄄🯳",
	"4⁴₄④⑷⒋🄅🯴",
	"5⁵₅⑤⑸⒌🄆🯵",
	"6⁶₆⑥⑹⒍🄇🯶",
	"7⁷₇⑦⑺⒎🄈🯷",
	"8⁸₈⑧⑻⒏🄉🯸",
	"9⁹₉⑨⑼⒐🄊🯹",
	"aаɑαɐᴀΑΛΔꓮᎪⲁ∀ӑӓªàáâãäåāăąǎǟǡǻȁȃȧᴬᵃḁạảấầẩẫậắằẳẵặₐ",
	"bвВьъЬБʙΒβϐɓƀꓐᏴᏏⲃᴮᵇḃḅḇℬ",
	"cсϲϹᴄɔƈȼꓚᏟⲥↄçćĉċčᶜḉℂ℃ℭⅽꟲ🄫",
	"dԁᴅđɖɗðÐꓓᎠƌԀďᴰᵈḋḍḏḑḓⅅⅆⅾ",
	"eеёєҽεΕᴇɛɜəǝΣΞꓰᎬⲉɘэèéêëēĕėęěȅȇȩᴱᵉḕḗḙḛḝẹẻẽếềểễệₑℯℰⅇ",
	"fƒꜰϝϜғꓝꞙᶠḟ℉ℱꟳ",
	"gցɡɢԍǥɠꓖᏀᏻɣĝğġģǧǵᴳᵍḡℊ",
	"hһнНңҥӈʜΗħɦհꓧᎻⲏɥҺĥȟʰᴴḣḥḧḩḫẖₕℋℌℍℎ",
	"iіΙιɪɩıɨᎥꓲӀⲓᴉìíîïĩīĭįǐȉȋᴵᵢḭḯỉịⁱℐℑℹⅈⅰ",
	"jјϳᴊʝɉꓙᎫյĵǰʲᴶⅉⱼ",
	"kкқҝҟҡκΚᴋƙʞꓗᏦⲕķǩᴷᵏḱḳḵₖ",
	"lӏʟłɫɭƚꓡᏞⳑĺļľŀˡᴸḷḹḻḽₗℒℓⅼ",
	"mмМᴍΜɱɯꓟᎷⲙϺᴹᵐḿṁṃₘℳⅿ",
	"nпПиИηΝπΠɴŋɲɳƞոռꓠⲛᴎйñńņňǹᴺṅṇṉṋⁿₙℕ",
	"oоΟοσøɵᴏօӧѳθΘφΦΩꓳⲟჿⵔºòóôõöōŏőơǒǫǭȍȏȫȭȯȱᴼᵒṍṏṑṓọỏốồổỗộớờởỡợₒℴ",
	"pрРρΡᴘþÞϱƥᵽꓑᏢⲣᴾᵖṕṗₚℙ",
	"qԛզʠꞯɋգℚꟴ𐞥",
	"rгГяЯʀɹɾɽɍᴙꓣᎡᏒꭇⲅŕŗřȑȓʳᴿᵣṙṛṝṟℛℜℝ🄬",
	"sѕЅςʂꜱƽꓢᏚᏕśŝşšſșˢṡṣṥṧṩẛₛ🄪",
	"tтТτΤᴛʇŧʈƭꓔᎢⲧţťțᵀᵗṫṭṯṱẗₜ",
	"uυᴜʉսμꓴʊцմùúûüũūŭůűųưǔǖǘǚǜȕȗᵁᵘᵤṳṵṷṹṻụủứừửữự",
	"vѵνᴠʋʌꓦᏙⴸᵛᵥṽṿⅴⱽ",
	"wԝшщωᴡʍաꓪᎳᏔŵʷᵂẁẃẅẇẉẘ",
	"xхХχΧҳꓫⲭˣẋẍₓⅹ",
	"yуУүγΥʏʎɏƴꓬᎩᎽⲩყўýÿŷȳʸẏẙỳỵỷỹ",
	"zΖᴢƶʐȥꓜᏃⲍźżžᶻẑẓẕℤℨ",
	// Letters of other scripts with accents and breathings, raised or as a sign.
	"aΆάᵄᵅἀἁἂἃἄἅἆἇἈἉἊἋἌἍἎἏὰάᾀᾁᾂᾃᾄᾅᾆᾇᾈᾉᾊᾋᾌᾍᾎᾏᾰᾱᾲᾳᾴᾶᾷᾸᾹᾺΆᾼ𞀰𞁑",
	"bᵝᵦꚜꚝ𐞄𐞅𞀲𞁓𞁥",
	"cᵓ𞀿𞁞",
	"dᶞ𐞋𐞌",
	"eΈέϵЀѐӖӗӬӭᴲᵊᵋᵌᶟἐἑἒἓἔἕἘἙἚἛἜἝὲέῈΈₔℇ𐞎𞀵𞁈𞁖",
	"f𝟊𝟋",
	"gˠᶢ𐞒𐞓",
	"hʱΉᵸᶣἨἩἪἫἬἭἮἯᾘᾙᾚᾛᾜᾝᾞᾟῊΉῌℏꟸ𐞕𐞖",
	"iΊΐΪίϊЇїᶤᶥᶦἰἱἲἳἴἵἶἷἸἹἺἻἼἽἾἿὶίιῐῑῒΐῖῗῘῙῚΊ𝚤𞁌𞁨",
	"jᶨ𞁍",
	"kϰЌќ𞀹𞁚",
	"lᶩᶫꭞ𞁐",
	"mᵚᶬ𞀻",
	"nήϖЍѝӢӣӤӥᵑᶮᶯᶰἠἡἢἣἤἥἦἧὴήᾐᾑᾒᾓᾔᾕᾖᾗῂῃῄῆῇℼℿ𞀸𞀽𞁙𞁝",
	"oǾǿΌΏόϑϕᵠᵩᶱᶿὀὁὂὃὄὅὈὉὊὋὌὍὨὩὪὫὬὭὮὯὸόᾨᾩᾪᾫᾬᾭᾮᾯῸΌῺΏῼΩ𐞢𞀼𞁜",
	"pᵨῤῥῬ𞀾",
	"rʴЃѓ𐞨𐞩𐞪𞀳𞁔",
	"sᶳ𞁩",
	"t𐞯𞁀",
	"uµΰϋύᶶᶷᶸὐὑὒὓὔὕὖὗὺύῠῡῢΰῦῧ𞁄𞁢",
	"vѶѷᶹᶺ",
	"wώὠὡὢὣὤὥὦὧὼώᾠᾡᾢᾣᾤᾥᾦᾧῲῳῴῶῷꭩ𞁆𞁤",
	"xᵡᵪ𞁃𞁡",
	"yΎΫϒϓϔӮӯӰӱӲӳᵞᵧὙὛὝὟῨῩῪΎℽℾ𐞠𐞲𞁁𞁏𞁟",
	"zᶼ",
	// Several letters in one.
	"ac℀ aeæӕ am㏂㏟ as℁ au㍳ bar㍴ bq㏃ cal㎈ cc㏄ cd㏅🄭 ckg㏆ cm㎝ co℅㏇ cu℆ da㍲ db㏈ dj🆐 dl㎗ dm㍷ dzǆǳ",
	"erg㋍ ev㋎ fax℻ ffﬀ ffiﬃ fflﬄ fiﬁ flﬂ fm㎙ gal㏿ gb㎇ ghz㎓ gpa㎬ gy㏉ ha㏊ hg㋌ hp㏋ hpa㍱ hv🅊 hz㎐ iiⅱ",
	"iiiⅲ ijĳ in㏌ iu㍺ ivⅳ ixⅸ ka㎄ kb㎅ kg㎏ khz㎑ kk㏍ kl㎘ km㎞㏎ kpa㎪ kt㏏ kv㎸ kw㎾ ljǉ lm㏐ ln㏑ log㏒",
	"ltd㋏ lx㏓ ma㎃ mb㎆㏔ mc🅪 md🅫 mg㎎ mhz㎒ mil㏕ ml㎖ mm㎜ mol㏖ mpa㎫ mr🅬 ms㎧㎳ mv㎷㎹🅋 mw㎽㎿ na㎁ nf㎋ njǌ",
	"nm㎚ no№ ns㎱ nv㎵ nw㎻ oeœɶ ov㍵ pa㎀㎩ pc㍶ pf㎊ ph㏗ pm㏘ ppm㏙ ppv🅎 pr㏚ ps㎰ pte㉐ pv㎴ pw㎺ rad㎭ rs₨",
	"sd🅌 sm℠ sr㏛ ss🅍 stﬅﬆ sv㏜ tel℡ thᵺ thz㎔ tm™ tsʦ viⅵ viiⅶ vm㏞ wb㏝ wc🅏 wz🄮 xiⅺ xiiⅻ",
}

// alphabets are blocks that have the plain letters or digits in their order.
var alphabets = [...]struct {
	from, to rune
	plain    string // what stands there, again and again
}{
	{'Ａ', 'Ｚ', letters}, {'ａ', 'ｚ', letters}, {'０', '９', digits}, // of full width
	{'𝐀', '𝚣', letters}, {'𝟎', '𝟿', digits}, // mathematical
	{'⒜', '⒵', letters}, {'Ⓐ', 'Ⓩ', letters}, {'ⓐ', 'ⓩ', letters}, // in brackets and circles
	{'🄐', '🄩', letters}, {'🄰', '🅉', letters}, {'🅐', '🅩', letters}, {'🅰', '🆉', letters}, // in squares
	{'🇦', '🇿', letters}, // of flags
}

const (
	letters = "abcdefghijklmnopqrstuvwxyz"
	digits  = "0123456789"
)

// shapes finds what a character of the list is read as.
var shapes = sync.OnceValue(func() map[rune]string {
	m := map[rune]string{}
	for _, line := range lookAlikes {
		for _, entry := range strings.Fields(line) {
			rest := strings.TrimLeft(entry, letters+digits)
			plain := entry[:len(entry)-len(rest)]
			for _, r := range rest {
				m[r] = plain
			}
		}
	}
	return m
})

// readAs is what plain letters or digits a character is read as; empty if it is read
// as none, because it is another letter or none at all.
func readAs(r rune) string {
	if r < unicode.MaxASCII {
		return ascii(r)
	}
	if s, ok := shapes()[r]; ok {
		return s
	}
	for _, a := range alphabets {
		if r >= a.from && r <= a.to {
			n := int(r-a.from) % len(a.plain)
			return a.plain[n : n+1]
		}
	}
	if r >= '𝚨' && r <= '𝟉' { // mathematical Greek, of 58 characters each
		r = greek(int(r-'𝚨') % 58)
		if s, ok := shapes()[r]; ok {
			return s
		}
	}
	r = unicode.ToLower(r)
	if r < unicode.MaxASCII { // the sign for Kelvin
		return ascii(r)
	}
	return shapes()[r]
}

func ascii(r rune) string {
	switch {
	case r >= 'a' && r <= 'z':
		return letters[r-'a' : r-'a'+1]
	case r >= 'A' && r <= 'Z':
		return letters[r-'A' : r-'A'+1]
	case r >= '0' && r <= '9':
		return digits[r-'0' : r-'0'+1]
	}
	return ""
}

// greek is the letter at a place of a mathematical Greek alphabet.
func greek(n int) rune {
	return []rune("ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡϴΣΤΥΦΧΨΩ∇αβγδεζηθικλμνξοπρςστυφχψω∂ϵϑϰϕϱϖ")[n]
}

// LookAlike brings a name into a form that is the same for all names that a reader
// may take for each other: without case, accents or foreign letters of the same
// shape.
func LookAlike(name string) string {
	if plainName(name) {
		return FoldName(name)
	}
	var b strings.Builder
	for _, r := range strings.TrimSpace(name) {
		switch s := readAs(r); {
		case s != "":
			b.WriteString(s)
		case !unicode.Is(unicode.M, r) && !shapeless(r):
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

// plainName reports whether a name has only signs that look like themselves.
func plainName(name string) bool {
	for i := range len(name) {
		if c := name[i]; ascii(rune(c)) == "" && c != '-' && c != '_' && c != '.' {
			return false
		}
	}
	return true
}

// LooksLike reports whether a reader may take one name for another, which it is not:
// where they differ, one of them has a plain letter. Two letters of the same foreign
// script are not mistaken for each other.
func LooksLike(name, other string) bool {
	a, b := []rune(FoldName(name)), []rune(FoldName(other))
	if slices.Equal(a, b) || LookAlike(name) != LookAlike(other) {
		return false
	}
	if len(a) != len(b) {
		return true
	}
	for i := range a {
		if a[i] != b[i] && (a[i] < unicode.MaxASCII || b[i] < unicode.MaxASCII) {
			return true
		}
	}
	return false
}
