package reading

import (
	"strings"

	"parley"
	"parley/internal/search"
	"parley/internal/store"
)

// Said is the kind of search that finds messages as they were said, not what keepers
// hold.
const Said = search.Messages

// Message is the message that was found; zero if the match is in a keeper.
func (f Found) Message() parley.Message {
	m, _ := f.Source.(store.FoundMessage)
	return m.Message
}

// Extract is the piece of the text that fits best, on one line.
func (f Found) Extract() (best string) {
	most := -1
	for _, piece := range parley.Pieces(f.Text) {
		n := 0
		for _, span := range f.Spans {
			if strings.Contains(piece, f.Text[span.From:span.To]) {
				n++
			}
		}
		if n > most {
			best, most = piece, n
		}
	}
	return best
}
