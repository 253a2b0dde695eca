package mcpclient

import (
	"os"
	"regexp"
	"slices"
	"strings"

	"parley"
)

// expand fills in values from the hub's environment, and remembers them as secrets to
// hide.
func (s Server) expand() (Server, redactor, error) {
	e := expansion{}
	s.Command, s.URL, s.Dir = e.fill(s.Command), e.fill(s.URL), e.fill(s.Dir)
	s.Args = slices.Clone(s.Args)
	for i, arg := range s.Args {
		s.Args[i] = e.fill(arg)
	}
	s.Env, s.Headers = e.fillAll(s.Env), e.fillAll(s.Headers)
	if len(e.missing) > 0 {
		return s, redactor{}, parley.Errorf(parley.Invalid, "the environment variable %s is not set", strings.Join(e.missing, ", "))
	}
	return s, newRedactor(e.secrets), nil
}

// expansion collects what was found while filling in.
type expansion struct {
	missing []string
	secrets []string
}

// variable is ${NAME}, or ${NAME:-default}.
var variable = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)(:-([^}]*))?\}`)

func (e *expansion) fill(text string) string {
	return variable.ReplaceAllStringFunc(text, func(ref string) string {
		part := variable.FindStringSubmatch(ref)
		value, set := os.LookupEnv(part[1])
		switch {
		case set && value != "":
			e.secrets = append(e.secrets, value)
			return value
		case part[2] != "":
			return part[3]
		}
		e.missing = append(e.missing, part[1])
		return ""
	})
}

// fillAll fills in a map. Literal values are hidden too, since somebody may have put
// a key there.
func (e *expansion) fillAll(values map[string]string) map[string]string {
	filled := make(map[string]string, len(values))
	for name, value := range values {
		filled[name] = e.fill(value)
		e.secrets = append(e.secrets, filled[name])
	}
	return filled
}

// passedVariables are those of the hub's variables that a process needs to run at
// all. Keys of model providers are not among them.
var passedVariables = []string{"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "TEMP", "TMP",
	"SYSTEMROOT", "SYSTEMDRIVE", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "PROGRAMFILES", "PATHEXT", "COMSPEC"}

// certificates name the files with the certificates that a machine trusts. Servers that
// are downloaded first need them.
var certificates = []string{"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "PIP_CERT"}

// Certificates are the files and folders of certificates that the environment names.
func Certificates() (paths []string) {
	for _, name := range certificates {
		if path := os.Getenv(name); path != "" {
			paths = append(paths, path)
		}
	}
	return paths
}

// environment is what a server's process sees.
func (s Server) environment() []string {
	var env []string
	for _, name := range slices.Concat(passedVariables, certificates) {
		if value, set := os.LookupEnv(name); set {
			env = append(env, name+"="+value)
		}
	}
	env = append(env, s.box().Home()...)
	for name, value := range s.Env {
		env = append(env, name+"="+value) // the last one of a name counts
	}
	return env
}

// redactor hides values from the environment in what a server writes.
type redactor struct{ replacer *strings.Replacer }

// minSecret is the shortest value that is hidden. Hiding shorter ones would spoil
// every text.
const minSecret = 6

func newRedactor(secrets []string) redactor {
	var pairs []string
	for _, s := range secrets {
		if len(s) >= minSecret {
			pairs = append(pairs, s, "…")
		}
	}
	return redactor{strings.NewReplacer(pairs...)}
}

func (r redactor) hide(text string) string {
	if r.replacer == nil {
		return text
	}
	return r.replacer.Replace(text)
}
