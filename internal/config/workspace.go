package config

import (
	"os"
	"path/filepath"
	"strings"
)

// Workspace is the folder that agents with the toolset workspace work in, and
// what their commands may do.
type Workspace struct {
	// Folder is absolute; the team's own if the file names none.
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
func workspaceInto(dst *Workspace) func(value) []mistake {
	return func(v value) []mistake {
		if s, found := v.text(); found == nil {
			dst.Folder = s
			return nil
		}
		_, found := v.fields([]key{
			{name: "folder", read: textInto(&dst.Folder)},
			{name: "unsandboxed", read: flagInto(&dst.Unsandboxed)},
			{name: "network", read: flagInto(&dst.Network)},
			{name: "readable", read: wordsInto(&dst.Readable)},
			{name: "environment", read: variablesInto(&dst.Environment)},
		})
		return found
	}
}

// variablesInto accepts names of variables, but not of the hub's own.
func variablesInto(dst *[]string) func(value) []mistake {
	return func(v value) []mistake {
		found := wordsInto(dst)(v)
		for _, name := range *dst {
			if strings.HasPrefix(name, "PARLEY_") || strings.ContainsAny(name, "= ") {
				found = append(found, v.wrong("%q cannot be given to commands.", name)...)
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
