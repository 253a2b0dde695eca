package markup

// Plain is a text without what changes how other text is read. Unlike Line it keeps
// every space, so pieces of a text still fit together.
func Plain(text string) string { return clean(text) }
