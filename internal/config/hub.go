package config

import (
	"os"
	"slices"

	"parley/internal/yamlfile"
)

// hubKeys are the settings that are the hub's business, and not that of a team which a
// hub serves besides its own.
var hubKeys = []string{"store", "listen", "tls", "public_url", "proxies", "door", "workers", "memory", "lease", "client_lease", "grace"}

// HubSettings finds the settings of the hub in the files of a team that another hub
// serves. named says whether the files give the team a name. Files that cannot be read
// have none.
func HubSettings(dir string) (list []Problem, named bool) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, false
	}
	defer root.Close()
	text, _, err := readText(root, TeamFile)
	if err != nil {
		return nil, false
	}
	lines, _ := decode(text, append(teamKeys(&Team{}, &overlay{}), yamlfile.Key{Name: "mcp_servers", Read: serversInto(&serverDraft{}, false)}))
	for _, key := range hubKeys {
		if line := lines[key]; line > 0 {
			list = append(list, Problem{File: TeamFile, Line: line, Message: key + " is a setting of the hub. It has no effect for a team that was added to one."})
		}
	}
	return list, lines["team"] > 0
}

// WithoutHubSettings leaves out the settings that are the hub's business, and the name
// that a team has at its hub.
func WithoutHubSettings(names []string) []string {
	return slices.DeleteFunc(names, func(name string) bool { return name == "team" || slices.Contains(hubKeys, name) })
}
