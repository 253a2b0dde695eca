package step

// Lined and Looks are for the tests, which know the tools.
func Lined(tool string) bool { return lines[tool] != nil }
func Looks(tool string) bool { return looks(tool) }
