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
	// Limits bound what a command uses.
	Limits CommandLimits
	// Environment names variables of the hub that commands get.
	Environment []string
	// Hidden are further files and folders that no agent sees. The files of a team do
	// not name them; its hub does.
	Hidden []string
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
			{Name: "limits", Read: dst.Limits.into},
			{Name: "readable", Read: wordsInto(&dst.Readable)},
			{Name: "environment", Read: variablesInto(&dst.Environment)},
		})
		return found
	}
}

// CommandLimits bound what a command uses. Each is nil where the file says nothing; 0 is
// no bound.
type CommandLimits struct{ Memory, FileSize, Processes, OpenFiles *int64 }

func (l *CommandLimits) into(v yamlfile.Value) []yamlfile.Mistake {
	_, found := v.Fields([]yamlfile.Key{
		// Less than that is not enough to start a program that begins another.
		{Name: "memory", Read: boundInto(&l.Memory, "256MiB", "1024GiB")},
		{Name: "file_size", Read: boundInto(&l.FileSize, "1KiB", "1024GiB")},
		{Name: "processes", Read: boundInto(&l.Processes, "8", "1000000")},
		{Name: "open_files", Read: boundInto(&l.OpenFiles, "64", "1000000")},
	})
	return found
}

// boundInto accepts a number or a size within bounds, or none.
func boundInto(dst **int64, lowest, highest string) yamlfile.Reader {
	return func(v yamlfile.Value) []yamlfile.Mistake {
		s, found := v.Trimmed()
		if found != nil {
			return found
		}
		least, _ := parseBound(lowest)
		most, _ := parseBound(highest)
		n, ok := parseBound(s)
		if s == "none" {
			n, ok, least = 0, true, 0
		}
		if !ok || n < least || n > most {
			return v.Wrong("Expected none, or from %s to %s, not %q.", lowest, highest, s)
		}
		bound := int64(n)
		*dst = &bound
		return nil
	}
}

// parseBound reads what parseSize does, and 4GiB.
func parseBound(s string) (int, bool) {
	gibibytes, found := strings.CutSuffix(s, "GiB")
	if !found {
		return parseSize(s)
	}
	n, ok := parseSize(strings.TrimSpace(gibibytes) + "MiB")
	return n << 10, ok && n >= 0 && n<<10>>10 == n
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
