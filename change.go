package parley

// ChangeID numbers what tasks changed in files, in the order in which it was recorded.
type ChangeID int64

// ChangeState says how far a change has come.
type ChangeState int

const (
	// ChangeBegun: it was about to be made. If the hub was killed then, the file itself
	// says whether it was.
	ChangeBegun  ChangeState = 1
	ChangeMade   ChangeState = 2
	ChangeUndone ChangeState = 3
)

// FileKind is what stands at a path.
type FileKind int

const (
	NoFile      FileKind = 0
	RegularFile FileKind = 1
	Folder      FileKind = 2
	Link        FileKind = 3 // its content is where it leads to
	OtherFile   FileKind = 4 // a pipe, a socket, a device
)

// FileState is a path at one moment. Two states are the same if Same says so; whether
// the content is kept does not matter for that.
type FileState struct {
	Kind FileKind
	// Mode are the permission bits, of files and folders.
	Mode uint32
	Size int64
	// Hash is the SHA-256 of the content as hex; empty for a folder, and for a file that
	// was too large to be read.
	Hash string
	// Kept says that the content is stored.
	Kept bool
	// Content is filled for a change that is about to be stored, and by a reader that
	// asked for it.
	Content []byte
}

// Same reports whether two states are certainly the same.
func (s FileState) Same(o FileState) bool {
	if s.Kind != o.Kind {
		return false
	}
	switch s.Kind {
	case NoFile:
		return true
	case Folder:
		return s.Mode == o.Mode
	case Link:
		return s.Hash == o.Hash
	case RegularFile:
		return s.Mode == o.Mode && s.Hash == o.Hash && s.Hash != ""
	}
	return false
}

// Change is what a call of a tool changed at one path.
type Change struct {
	ID    ChangeID
	Team  TeamID
	Task  TaskID
	Turn  int
	Call  string
	Agent AgentID
	At    Micros
	State ChangeState
	// Home is the machine and folder that Path is relative to.
	Home string
	// Place says which of the team's folders that is.
	Place ChangePlace
	// Path is as the system has it, with slashes; it need not be UTF-8. It is empty in the
	// record of a command, which says that one ran whose changes are not known.
	Path          string
	Before, After FileState
	// Command says that a command made it: it was seen by looking before and after.
	Command bool
	// Doubt says why nobody knows for certain what was changed; empty if it is known.
	Doubt string
	// UndoneBy took it back at UndoneAt.
	UndoneBy AgentID
	UndoneAt Micros
}

// ChangePlace is a folder in which agents change files.
type ChangePlace string

const (
	InWorkspace ChangePlace = "workspace"
	// InMemory is a MEMORY.md: in the team's folder, or in the data folder for an agent
	// that is a single file.
	InMemory ChangePlace = "memory"
	// Ignored is what git ignores in the workspace. That a command changed it is known, and
	// nothing else.
	Ignored ChangePlace = "ignored"
)
