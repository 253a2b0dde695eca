package markup

import "strings"

// mostDepth is how many elements may be within each other: a browser cannot show more.
const mostDepth = 100

// tooDeep reports whether HTML of ours has elements too deeply within each other.
func tooDeep(html []byte) bool {
	depth := 0
	for i := 0; i+1 < len(html); i++ {
		if html[i] != '<' {
			continue
		}
		switch rest := html[i+1:]; {
		case rest[0] == '/':
			depth--
		case strings.HasPrefix(string(rest[:min(2, len(rest))]), "br"), strings.HasPrefix(string(rest[:min(2, len(rest))]), "hr"):
		default:
			if depth++; depth > mostDepth {
				return true
			}
		}
	}
	return false
}
