package agent

import (
	"strconv"
	"strings"
)

// Reference names a network: a weights file, a checkpoint, a run and one of its checkpoints, or the shipped network.
type Reference struct {
	Path string // or [Zoo]
	At   string // checkpoint of a run: "" is the newest, "best" the best one, a number its generation
}

// CheckpointOf names the checkpoint of a generation of a run.
func CheckpointOf(run string, generation int) Reference {
	return Reference{Operand(run), strconv.Itoa(generation)}
}

// ParseReference reads PATH[@GENERATION|@best]; any other @ belongs to the path.
func ParseReference(text string) Reference {
	if i := strings.LastIndexByte(text, '@'); i > 0 {
		if n, err := strconv.Atoi(text[i+1:]); text[i+1:] == "best" || err == nil && n >= 0 {
			return Reference{text[:i], text[i+1:]}
		}
	}
	return Reference{Path: text}
}

// String returns PATH[@GENERATION|@best].
func (r Reference) String() string {
	if r.At == "" {
		return r.Path
	}
	return r.Path + "@" + r.At
}

// Zoo stands for the network that is shipped with the program for a game, in the place of a path: net:zoo, policy:zoo,
// and in short zoo. A folder of this name is ./zoo.
const Zoo = "zoo"

// Shipped reports whether the reference names the game's shipped network.
func (r Reference) Shipped() bool { return r.Path == Zoo }

// Operand returns the path of a file or folder as a command takes it: ./zoo if its name is [Zoo], and ./-PATH if it looks
// like a flag.
func Operand(path string) string {
	if path == Zoo || strings.HasPrefix(path, "-") {
		return "./" + path
	}
	return path
}
