package parley

import (
	"slices"
	"strings"
)

// Nearest finds the known words that somebody probably meant by an unknown one,
// at most so many and the likeliest first. Case, spaces, dashes and underscores
// make no difference: mcpServers means mcp_servers. A known word that begins
// with the given one counts as near; one that has little in common with it is
// left out.
func Nearest(word string, known []string, most int) []string {
	type candidate struct {
		word     string
		distance int
	}
	meant := bare(word)
	if len(meant) == 0 || len(meant) > 64 { // a long text is no misspelt word
		return nil
	}
	furthest := min(max(2, len(meant)/3), len(meant)-1)
	var list []candidate
	for _, k := range known {
		b := bare(k)
		d := distance(meant, b)
		if len(meant) < len(b) && slices.Equal(meant, b[:len(meant)]) {
			d = 1
		} else if d > furthest {
			continue
		}
		list = append(list, candidate{k, d})
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return a.distance - b.distance })
	var words []string
	for _, c := range list[:min(most, len(list))] {
		words = append(words, c.word)
	}
	return words
}

func bare(s string) []rune {
	return []rune(strings.Map(func(r rune) rune {
		if strings.ContainsRune("-_ ", r) {
			return -1
		}
		return r
	}, strings.ToLower(s)))
}

// distance is the Levenshtein distance: insertions, deletions, substitutions.
func distance(from, to []rune) int {
	row := make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for i := range from {
		diagonal := row[0]
		row[0] = i + 1
		for j := range to {
			cost := 1
			if from[i] == to[j] {
				cost = 0
			}
			next := min(row[j]+1, row[j+1]+1, diagonal+cost)
			diagonal, row[j+1] = row[j+1], next
		}
	}
	return row[len(to)]
}
