package signin

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"parley"
)

// Every kind of error has its status. Kinds that signing in never meets are faults of the
// hub, and logged.
func TestEveryKindOfErrorHasItsStatus(t *testing.T) {
	const fault = http.StatusInternalServerError
	want := map[parley.Kind]int{
		parley.Invalid: http.StatusBadRequest, parley.Unauthentic: http.StatusUnauthorized, parley.Denied: http.StatusForbidden,
		parley.Limited: http.StatusTooManyRequests, parley.Unavailable: http.StatusServiceUnavailable,
		parley.NotFound: fault, parley.Conflict: fault, parley.Timeout: fault, parley.Failed: fault, parley.Internal: fault,
	}
	var log strings.Builder
	d := &Door{Log: slog.New(slog.NewTextHandler(&log, nil))}
	for _, kind := range parley.Kinds() {
		log.Reset()
		w := httptest.NewRecorder()
		d.refuse(w, httptest.NewRequest(http.MethodPost, Path, nil), View{}, parley.Errorf(kind, "It went wrong."))
		if w.Code != want[kind] || (log.Len() > 0) != (w.Code == fault) || !strings.Contains(w.Body.String(), "It went wrong.") {
			t.Errorf("%v: %d, logged %q\n%s", kind, w.Code, log.String(), w.Body)
		}
	}
}
