package httpapi

// CheckJSON is for tests that need no server.
var (
	CheckJSON = checkJSON
	ReadJSON  = strictJSON.Unmarshal
)
