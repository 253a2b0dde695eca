package rules

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"
)

func TestSeeds(t *testing.T) {
	dir := t.TempDir()
	for i, f := range faults {
		n, list := 0, ""
		for s := 1; s <= 40; s++ {
			start := time.Now()
			if find(t, filepath.Join(dir, fmt.Sprint(i, "-", s)), f, s) != "" {
				n++
				list += fmt.Sprintf(" %d(%dms)", s, time.Since(start).Milliseconds())
			}
		}
		fmt.Println(f.name, n, list)
	}
}
