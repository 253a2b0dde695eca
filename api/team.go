package api

// TeamList are teams of a hub.
type TeamList struct {
	Teams []HubTeam `json:"teams"`
}

// HubTeam is a team of a hub.
type HubTeam struct {
	Name   string   `json:"name"`
	Folder string   `json:"folder,omitempty" doc:"Where its files are, for people of the hub's own team."`
	Own    bool     `json:"own" doc:"The hub was started with this team."`
	Served bool     `json:"served" doc:"False if something is wrong with the whole team; problems says what."`
	Person string   `json:"person,omitempty" doc:"Who the command line acts as in this team."`
	Agents []string `json:"agents"`
	Paused bool     `json:"paused"`
	// Problems are mistakes in the files, Warnings are settings without effect.
	Problems []string `json:"problems"`
	Warnings []string `json:"warnings"`
}
