package sqlite

import (
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"parley"
	"parley/internal/store"
	"parley/internal/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestConformance(t *testing.T) {
	storetest.Run(t, func(t testing.TB) storetest.Open {
		path := filepath.Join(t.TempDir(), "data", "parley.db")
		return func(clock parley.Clock) (store.Store, error) { return Open(path, Options{Clock: clock}) }
	})
}
