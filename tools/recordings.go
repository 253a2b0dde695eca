// Package tools keeps in its module what only tests need. The recordings of real
// providers come with charm.land/fantasy, below providertests/testdata; a test of
// internal/model/provider replays them. The import keeps the module in go.mod.
package tools

import _ "charm.land/fantasy"
