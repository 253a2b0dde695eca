package join

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Claude Code reads the servers of a project from .mcp.json, which its team may
// share, and what only this user wants from settings.local.json.
func claude() Client {
	c := Client{Name: "claude", Title: "Claude Code", Events: claudeEvents(), ProjectVariable: "CLAUDE_PROJECT_DIR"}
	c.Files = func(s Setup) []File {
		settings := File{Path: filepath.Join(s.Folder, ".claude", "settings.local.json"), Hooks: !s.NoHooks,
			edit: func(old []byte, s Setup, _ bool) ([]byte, error) {
				e := editJSON(old)
				e.addWord(EntryName, "enabledMcpjsonServers")
				if s.Allow {
					e.addWord("mcp__"+EntryName, "permissions", "allow")
				}
				e.addHooks(c, s, 5)
				return e.text, e.err
			}}
		server := jsonFile(filepath.Join(s.Folder, ".mcp.json"), []string{"mcpServers", EntryName}, func(s Setup) object {
			if s.HTTP {
				return object{{"type", "http"}, {"url", s.URL}, {"headers", bearer("${" + TokenVariable + "}")}}
			}
			return object{{"command", s.Program}, {"args", s.bridge()}}
		})
		return []File{server, settings}
	}
	c.Command = func(s Setup) []string {
		if s.HTTP {
			return []string{"claude", "mcp", "add", "--scope", "project", "--transport", "http", EntryName, s.URL, "--header", "Authorization: Bearer ${" + TokenVariable + "}"}
		}
		return append([]string{"claude", "mcp", "add", "--scope", "project", EntryName, "--", s.Program}, s.bridge()...)
	}
	c.Notes = func(s Setup) []string { return tokenNote(s, c.Title) }
	return c
}

func claudeEvents() map[string]string {
	return map[string]string{Start: "SessionStart", Prompt: "UserPromptSubmit", Stop: "Stop"}
}

// Codex keeps its servers in config.toml and its hooks in hooks.json beside it.
func codex() Client {
	c := Client{Name: "codex", Title: "Codex", Events: claudeEvents()}
	c.Files = func(s Setup) []File {
		home := s.folder("CODEX_HOME", ".codex")
		files := []File{tomlFile(filepath.Join(home, "config.toml"), []string{"mcp_servers", EntryName})}
		if !s.NoHooks {
			files = append(files, File{Path: filepath.Join(home, "hooks.json"), Hooks: true, edit: func(old []byte, s Setup, _ bool) ([]byte, error) {
				e := editJSON(old)
				e.addHooks(c, s, 5)
				return e.text, e.err
			}})
		}
		return files
	}
	c.Command = func(s Setup) []string {
		if s.HTTP {
			return []string{"codex", "mcp", "add", EntryName, "--url", s.URL, "--bearer-token-env-var", TokenVariable}
		}
		return append([]string{"codex", "mcp", "add", EntryName, "--", s.Program}, s.bridge()...)
	}
	c.Notes = func(s Setup) []string {
		notes := tokenNote(s, c.Title)
		if !s.NoHooks {
			notes = append(notes, "Codex runs a new hook only after you trust it: enter /hooks in Codex once.")
		}
		return notes
	}
	return c
}

// Gemini CLI has everything in one file. Its times are in milliseconds.
func gemini() Client {
	c := Client{Name: "gemini", Title: "Gemini CLI", ProjectVariable: "GEMINI_PROJECT_DIR",
		Events: map[string]string{Start: "SessionStart", Prompt: "BeforeAgent", Stop: "AfterAgent"}}
	c.Files = func(s Setup) []File {
		file := jsonFile(filepath.Join(s.Folder, ".gemini", "settings.json"), []string{"mcpServers", EntryName}, func(s Setup) object {
			entry := object{{"command", s.Program}, {"args", s.bridge()}}
			if s.HTTP {
				entry = object{{"httpUrl", s.URL}, {"headers", bearer("$" + TokenVariable)}}
			}
			entry = append(entry, object{{"timeout", longestCall * 1000}}...)
			if s.Allow {
				entry = append(entry, object{{"trust", true}}...)
			}
			return entry
		})
		file.Hooks = !s.NoHooks
		server := file.edit
		file.edit = func(old []byte, s Setup, force bool) ([]byte, error) {
			text, err := server(old, s, force)
			if err != nil {
				return nil, err
			}
			e := editJSON(text)
			e.addHooks(c, s, 5000)
			return e.text, e.err
		}
		return []File{file}
	}
	c.Command = func(s Setup) []string {
		if s.HTTP {
			return []string{"gemini", "mcp", "add", "--transport", "http", "--header", "Authorization: Bearer $" + TokenVariable, EntryName, s.URL}
		}
		return append([]string{"gemini", "mcp", "add", EntryName, s.Program}, s.bridge()...)
	}
	c.Notes = func(s Setup) []string { return tokenNote(s, c.Title) }
	return c
}

// opencode can read the token from its file.
func opencode() Client {
	c := Client{Name: "opencode", Title: "opencode"}
	c.Files = func(s Setup) []File {
		path := filepath.Join(s.Folder, "opencode.json")
		if _, err := os.Stat(path + "c"); err == nil {
			path += "c"
		}
		return []File{jsonFile(path, []string{"mcp", EntryName}, func(s Setup) object {
			entry := object{{"type", "local"}, {"command", append([]string{s.Program}, s.bridge()...)}}
			if s.HTTP {
				entry = object{{"type", "remote"}, {"url", s.URL}, {"headers", bearer("{file:" + s.TokenFile + "}")}, {"oauth", false}}
			}
			return append(entry, object{{"enabled", true}, {"timeout", longestCall * 1000}}...)
		})}
	}
	return c
}

// Cursor and most others have the same key as Claude Code.
func cursor() Client {
	c := Client{Name: "cursor", Title: "Cursor"}
	c.Files = func(s Setup) []File {
		return []File{jsonFile(filepath.Join(s.Folder, ".cursor", "mcp.json"), []string{"mcpServers", EntryName}, func(s Setup) object {
			if s.HTTP {
				return object{{"url", s.URL}, {"headers", bearer("${env:" + TokenVariable + "}")}}
			}
			return object{{"command", s.Program}, {"args", s.bridge()}}
		})}
	}
	c.Notes = func(s Setup) []string { return tokenNote(s, c.Title) }
	return c
}

// tokenInput is the name under which VS Code keeps the token.
const tokenInput = "parley-token"

// VS Code asks for the token once and keeps it itself.
func vscode() Client {
	c := Client{Name: "vscode", Title: "VS Code"}
	c.Files = func(s Setup) []File {
		file := jsonFile(filepath.Join(s.Folder, ".vscode", "mcp.json"), []string{"servers", EntryName}, func(s Setup) object {
			if s.HTTP {
				return object{{"type", "http"}, {"url", s.URL}, {"headers", bearer("${input:" + tokenInput + "}")}}
			}
			return object{{"type", "stdio"}, {"command", s.Program}, {"args", s.bridge()}}
		})
		server := file.edit
		file.edit = func(old []byte, s Setup, force bool) ([]byte, error) {
			text, err := server(old, s, force)
			if err != nil || !s.HTTP {
				return text, err
			}
			e := editJSON(text)
			e.add(object{{"type", "promptString"}, {"id", tokenInput}, {"description", "The token of " + s.Agent + " in parley"}, {"password", true}},
				func(item any) bool { return textAt(item, "id") == tokenInput }, "inputs")
			return e.text, e.err
		}
		return []File{file}
	}
	c.Command = func(s Setup) []string {
		if s.HTTP {
			return nil
		}
		return []string{"code", "--add-mcp", encodeJSON(object{{"name", EntryName}, {"command", s.Program}, {"args", s.bridge()}})}
	}
	c.Notes = func(s Setup) []string {
		if s.HTTP {
			return []string{"VS Code asks for the token once and keeps it. It is in " + s.TokenFile + "."}
		}
		return nil
	}
	return c
}

// goose has the files of a user only.
func goose() Client {
	c := Client{Name: "goose", Title: "goose"}
	c.Files = func(s Setup) []File {
		return []File{{Path: filepath.Join(s.folder("XDG_CONFIG_HOME", ".config"), "goose", "config.yaml"), Server: true,
			edit: func(old []byte, s Setup, force bool) ([]byte, error) {
				found, err := gooseServer(old)
				if err == nil {
					err = s.mayReplace(found, force)
				}
				if err != nil {
					return nil, err
				}
				text, err := setExtension(string(old), "extensions", EntryName, gooseLines(s))
				return []byte(text), err
			}, read: gooseServer}}
	}
	c.Notes = func(s Setup) []string { return tokenNote(s, c.Title) }
	return c
}

// gooseLines writes texts as JSON does, which is YAML too.
func gooseLines(s Setup) []string {
	lines := []string{"enabled: true", "type: stdio", "name: " + EntryName, "description: " + encodeJSON("The team of "+s.Agent),
		"cmd: " + encodeJSON(s.Program), "args: " + encodeList(s.bridge()), "envs: {}", "env_keys: []"}
	if s.HTTP {
		lines = []string{"enabled: true", "type: streamable_http", "name: " + EntryName, "description: " + encodeJSON("The team of "+s.Agent),
			"uri: " + encodeJSON(s.URL), "headers:", "  Authorization: " + encodeJSON("Bearer ${"+TokenVariable+"}"), "envs: {}", "env_keys: [" + TokenVariable + "]"}
	}
	return append(lines, fmt.Sprintf("timeout: %d", longestCall))
}

func gooseServer(text []byte) (*Server, error) {
	values, err := readYAML(string(text))
	if err != nil {
		return nil, err
	}
	extensions, _ := values["extensions"].(map[string]any)
	return serverOf(extensions[EntryName]), nil
}

// anyClient is for programs that take the settings in the form that most do.
func anyClient() Client {
	c := Client{Name: "mcp", Title: "a program that speaks MCP"}
	c.Files = func(s Setup) []File {
		return []File{jsonFile(filepath.Join(s.Folder, "mcp.json"), []string{"mcpServers", EntryName}, func(s Setup) object {
			if s.HTTP {
				return object{{"type", "http"}, {"url", s.URL}, {"headers", bearer("${" + TokenVariable + "}")}}
			}
			return object{{"command", s.Program}, {"args", s.bridge()}}
		})}
	}
	c.Notes = func(s Setup) []string {
		return []string{"Without starting parley, a program reaches the team at " + s.URL + ", with the header Authorization: Bearer and the token in " + s.TokenFile + "."}
	}
	return c
}

func tokenNote(s Setup, title string) []string {
	if !s.HTTP {
		return nil
	}
	return []string{s.export(title)}
}

func bearer(token string) object { return object{{"Authorization", "Bearer " + token}} }

// jsonFile is a JSON file with the entry at a path.
func jsonFile(path string, at []string, entry func(Setup) object) File {
	read := func(text []byte) (*Server, error) {
		e := editJSON(text)
		return serverOf(e.get(at...)), e.err
	}
	return File{Path: path, Server: true, read: read, edit: func(old []byte, s Setup, force bool) ([]byte, error) {
		found, err := read(old)
		if err == nil {
			err = s.mayReplace(found, force)
		}
		if err != nil {
			return nil, err
		}
		e := editJSON(old)
		e.set(entry(s), at...)
		return e.text, e.err
	}}
}

func tomlFile(path string, table []string) File {
	read := func(text []byte) (*Server, error) {
		values, err := tableValues(string(text), table)
		if err != nil || values == nil {
			return nil, err
		}
		return serverOf(values), nil
	}
	return File{Path: path, Server: true, read: read, edit: func(old []byte, s Setup, force bool) ([]byte, error) {
		found, err := read(old)
		if err == nil {
			err = s.mayReplace(found, force)
		}
		if err != nil {
			return nil, err
		}
		lines := []string{"command = " + encodeJSON(s.Program), "args = " + encodeList(s.bridge())}
		if s.HTTP {
			lines = []string{"url = " + encodeJSON(s.URL), "bearer_token_env_var = " + encodeJSON(TokenVariable)}
		}
		lines = append(lines, fmt.Sprintf("tool_timeout_sec = %d", longestCall))
		if s.Allow {
			lines = append(lines, `default_tools_approval_mode = "approve"`)
		}
		text, err := setTable(string(old), table, lines)
		return []byte(text), err
	}}
}

// serverOf reads an entry in the words of any client; nil if there is none.
func serverOf(v any) *Server {
	m, ok := v.(map[string]any)
	if !ok {
		if v == nil {
			return nil
		}
		return &Server{Command: encodeJSON(v)}
	}
	s := &Server{TokenVariable: textAt(m, "bearer_token_env_var")}
	for _, key := range []string{"command", "cmd"} {
		if words := wordsAt(m, key); len(words) > 0 {
			s.Command, s.Args = words[0], words[1:]
		}
	}
	s.Args = append(slices.Clone(s.Args), wordsAt(m, "args")...)
	for _, key := range []string{"url", "httpUrl", "uri"} {
		if s.URL == "" {
			s.URL = textAt(m, key)
		}
	}
	headers, _ := m["headers"].(map[string]any)
	for name := range headers {
		if s.Headers == nil {
			s.Headers = map[string]string{}
		}
		s.Headers[name] = textAt(headers, name)
	}
	return s
}

func textAt(v any, key string) string {
	m, _ := v.(map[string]any)
	text, _ := m[key].(string)
	return text
}

// wordsAt is a text, or a list of texts.
func wordsAt(m map[string]any, key string) []string {
	switch v := m[key].(type) {
	case string:
		return []string{v}
	case []any:
		var words []string
		for _, w := range v {
			text, _ := w.(string)
			words = append(words, text)
		}
		return words
	}
	return nil
}

func (e *jsonEdit) addWord(word string, path ...string) {
	e.add(word, func(item any) bool { return item == word }, path...)
}

// addHooks puts one command for each event, in the form that all clients with hooks
// share. The limit is in the client's own unit; parley itself ends earlier.
func (e *jsonEdit) addHooks(c Client, s Setup, limit int) {
	if s.NoHooks {
		return
	}
	commands := c.HookCommands(s)
	for _, event := range Events() {
		hook := object{{"type", "command"}, {"command", commands[event]}, {"timeout", limit}}
		ours := func(item any) bool { return isHookOf(c.Name, item) }
		e.add(object{{"hooks", []any{hook}}}, ours, "hooks", c.Events[event])
	}
}

// isHookOf reports whether a group of hooks holds ours and nothing else.
func isHookOf(client string, group any) bool {
	m, _ := group.(map[string]any)
	hooks, _ := m["hooks"].([]any)
	return len(hooks) == 1 && strings.Contains(textAt(hooks[0], "command"), " hook --client "+client+" ")
}

// HookIn reports whether a file has a command among its hooks of an event.
func HookIn(path, event, command string) (bool, error) {
	text, err := readFile(path)
	if err != nil {
		return false, err
	}
	e := editJSON(text)
	if e.err != nil {
		return false, fmt.Errorf("%s cannot be read: %w", path, e.err)
	}
	all, err := json.Marshal(e.get("hooks", event))
	return strings.Contains(string(all), string(mustJSON(command))), err
}

func mustJSON(s string) []byte {
	b, _ := json.Marshal(s)
	return b
}
