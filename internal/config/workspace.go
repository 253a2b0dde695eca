package config

import (
	"os"
	"path/filepath"
	"strings"

	"parley/internal/yamlfile"
)

// Workspace is the folder that agents with the toolset workspace work in, and
// what their commands may do.
type Workspace struct {
	// Folder is absolute. It is the team's own if the file names none.
	Folder string
	// Unsandboxed lets commands run where there is no sandbox.
	Unsandboxed bool
	// Network lets commands reach it.
	Network bool
	// Readable are further folders that commands may read, absolute.
	Readable []string
	// Environment names variables of the hub that commands get.
	Environment []string
}

// workspaceInto accepts a folder, or a mapping.
func workspaceInto(dst *Workspace) yamlfile.Reader {
	return func(v yamlfile.Value) []yamlfile.Mistake {
		if s, found := v.Trimmed(); found == nil {
			dst.Folder = s
			return nil
		}
		_, found := v.Fields([]yamlfile.Key{
			{Name: "folder", Read: textInto(&dst.Folder)},
			{Name: "unsandboxed", Read: flagInto(&dst.Unsandboxed)},
			{Name: "network", Read: flagInto(&dst.Network)},
			{Name: "readable", Read: wordsInto(&dst.Readable)},
			{Name: "environment", Read: variablesInto(&dst.Environment)},
		})
		return found
	}
}

// variablesInto accepts names of variables, except the hub's own.
func variablesInto(dst *[]string) yamlfile.Reader {
	return func(v yamlfile.Value) []yamlfile.Mistake {
		found := wordsInto(dst)(v)
		for _, name := range *dst {
			if strings.HasPrefix(name, "PARLEY_") || strings.ContainsAny(name, "= ") {
				found = append(found, v.Wrong("%q cannot be given to commands.", name)...)
			}
		}
		return found
	}
}

func (w *Workspace) locate(t *Team) {
	w.Folder = t.within(w.Folder)
	for i, dir := range w.Readable {
		if rest, ok := strings.CutPrefix(dir, "~/"); ok {
			if home, err := os.UserHomeDir(); err == nil {
				dir = filepath.Join(home, rest)
			}
		}
		w.Readable[i] = t.within(dir)
	}
}
