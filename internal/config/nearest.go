package config

import "strings"

// nearest returns the known word that was probably meant, or "". Case,
// dashes and underscores do not count as differences: mcpServers is meant to
// be mcp_servers.
func nearest(word string, known []string) string {
	best, bestDistance := "", len([]rune(bare(word)))/3+1
	for _, k := range known {
		if d := distance(bare(word), bare(k)); d < bestDistance || d == bestDistance && best == "" {
			best, bestDistance = k, d
		}
	}
	return best
}

// suggest completes a message about an unknown word.
func suggest(word string, known []string) string {
	if k := nearest(word, known); k != "" {
		return "Did you mean " + k + "?"
	}
	return "Known are " + strings.Join(known, ", ") + "."
}

func bare(s string) string {
	return strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(s))
}

// distance is the Levenshtein distance: insertions, deletions, substitutions.
func distance(a, b string) int {
	from, to := []rune(a), []rune(b)
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
