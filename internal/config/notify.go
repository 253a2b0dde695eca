package config

import (
	"net/url"
	"strings"

	"parley/internal/yamlfile"
)

// Notify is a command, or an address, through which people are told what waits for
// them.
type Notify struct {
	// Command is a program and its arguments.
	Command []string
	// URL is where it is posted. SecretEnv names the environment variable with the
	// secret that signs it; the secret itself is never in a file.
	URL       string
	SecretEnv string
	// Private allows addresses of private networks, and http.
	Private bool
	// For is what is told, and People who is told; empty is all.
	For, People []string
}

// notifyKinds are what people may be told of.
var notifyKinds = []string{"approvals", "questions", "mail"}

// notifyInto accepts a list of commands and addresses.
func notifyInto(dst *[]Notify) yamlfile.Reader {
	return func(v yamlfile.Value) []yamlfile.Mistake {
		items, found := v.Items()
		for _, item := range items {
			n, wrongs := readNotify(item)
			found = append(found, wrongs...)
			*dst = append(*dst, n)
		}
		return found
	}
}

// notifyCommandInto accepts the short form: one command for everything.
func notifyCommandInto(dst *[]Notify) yamlfile.Reader {
	return func(v yamlfile.Value) []yamlfile.Mistake {
		var n Notify
		found := commandInto(&n.Command)(v)
		*dst = append(*dst, n)
		return found
	}
}

func readNotify(v yamlfile.Value) (n Notify, found []yamlfile.Mistake) {
	fields, found := v.Fields(append([]yamlfile.Key{
		{Name: "command", Read: commandInto(&n.Command), Explicit: true},
		{Name: "url", Read: hookInto(&n.URL), Explicit: true},
		{Name: "secret_env", Read: variableInto(&n.SecretEnv), Explicit: true},
		{Name: "private", Read: flagInto(&n.Private)},
		{Name: "for", Read: choicesInto(&n.For, notifyKinds)},
		{Name: "people", Read: namesInto(&n.People)},
	}, noSecrets()...))
	if found != nil {
		return n, found
	}
	switch command := fields.Has("command"); {
	case command == fields.Has("url"):
		found = v.Wrong("Each entry of notify has either a command or a url.")
	case command && (fields.Has("secret_env") || fields.Has("private")):
		found = v.Wrong("secret_env and private are for a url.")
	case !command && n.SecretEnv == "":
		found = v.Wrong("A url needs secret_env: the name of the environment variable with the secret that signs what is sent.")
	case !command && strings.HasPrefix(n.URL, "http:") && !n.Private:
		found = v.Wrong("What is sent over http can be read on the way. Use https, or private: true for a receiver in a network of your own.")
	}
	return n, found
}

// commandInto accepts a program with its arguments as a list, or a program alone.
func commandInto(dst *[]string) yamlfile.Reader {
	return func(v yamlfile.Value) []yamlfile.Mistake {
		if s, found := v.Trimmed(); found == nil {
			if strings.ContainsAny(s, " \t\n") || s == "" {
				return v.Wrong("Expected a program, or a list of a program and its arguments like [notify-send, --urgent]. There is no shell.")
			}
			*dst = []string{s}
			return nil
		}
		found := textsInto(dst)(v)
		if found == nil && (len(*dst) == 0 || (*dst)[0] == "") {
			found = v.Wrong("Expected a program and its arguments, like [notify-send, --urgent].")
		}
		return found
	}
}

// hookInto accepts an address without a name and a password. It does not repeat what it
// refuses, which may hold a secret.
func hookInto(dst *string) yamlfile.Reader {
	return func(v yamlfile.Value) []yamlfile.Mistake {
		s, found := v.Trimmed()
		if found != nil {
			return found
		}
		u, err := url.Parse(s)
		switch {
		case err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "":
			return v.Wrong("Expected an address like https://example.org/hook.")
		case u.User != nil:
			return v.Wrong("An address may not hold a name or a password. The receiver knows the hub by the signature; see secret_env.")
		}
		*dst = s
		return nil
	}
}

// choicesInto accepts a list of given words.
func choicesInto(dst *[]string, words []string) yamlfile.Reader {
	return func(v yamlfile.Value) []yamlfile.Mistake {
		items, found := v.Items()
		for _, item := range items {
			var s string
			found = append(found, yamlfile.Choice(&s, words...)(item)...)
			*dst = append(*dst, s)
		}
		if found == nil && len(items) == 0 {
			found = v.Wrong("Expected one or more of %s.", strings.Join(words, ", "))
		}
		return found
	}
}
