package config

import (
	"bytes"
	"os"
)

// TryFile is ChangeFile without writing: it returns the file as it is and as it would be,
// and the agent that would then be in force. It refuses what ChangeFile refuses.
func TryFile(team *Team, a *Agent, change func(file []byte) ([]byte, error)) (before, after []byte, tried *Agent, err error) {
	root, err := os.OpenRoot(team.Dir)
	if err != nil {
		return nil, nil, a, unusable(team.Dir, err)
	}
	defer root.Close()
	if before, _, err = readWhole(root, a.File); err != nil {
		return nil, nil, a, err
	}
	if after, err = change(before); err != nil {
		return nil, nil, a, err
	}
	if !bytes.Equal(before, after) {
		if err := checkChange(team, a.File, after); err != nil {
			return nil, nil, a, err
		}
	}
	if tried, err = ReadRules(a.File, after); err != nil {
		return nil, nil, a, err
	}
	tried.takeRole()
	return before, after, tried, nil
}
