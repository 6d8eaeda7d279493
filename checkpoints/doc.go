// Package checkpoints stores a run's files safely. [Store] keeps checkpoints: named parts of bytes, written atomically,
// with checksums and a format version. The other functions write single files atomically, append lines, lock a
// directory and seal data with a checksum. The package knows bytes, not networks.
//
// # Layout
//
//	checkpoints/000012/             one directory per checkpoint, named by its number
//	checkpoints/000012/PART         one file per part
//	checkpoints/000012/manifest.json
//
// The manifest is JSON: the format version, the checkpoint's number, the caller's metadata, and each part's size and
// SHA-256. The last field is the SHA-256 of all bytes before its line. This seal is the same in every format version,
// so a reader can tell a damaged manifest from one of another version.
//
// # Conventions
//
// Every write goes to a temporary name, is synced and renamed; then the directory is synced. After a crash at any
// moment a checkpoint or file is the old one or the new one, never a mixture. The next Save or Prune removes temporary
// checkpoints that a crash left.
//
// The package never repairs damage. It returns an error that wraps [ErrDamaged] and names the file and the fault.
// Returned bytes belong to the caller.
//
// A directory has one writer at a time: [Lock] ensures this between processes, and within a process the caller does.
// Readers need no lock.
//
// Not here: checkpoints that share parts, encryption, and protection against deliberate changes of a file together with
// its checksum.
package checkpoints

import "errors"

// Errors of this package wrap one of these.
var (
	// ErrNoCheckpoint means that there is no intact checkpoint to load.
	ErrNoCheckpoint = errors.New("no intact checkpoint")
	// ErrDamaged means that a file is truncated, altered or missing.
	ErrDamaged = errors.New("damaged")
	// ErrVersion means that a file has a format version that this program does not read.
	ErrVersion = errors.New("written by another version of this program")
	// ErrLocked means that another writer holds the lock.
	ErrLocked = errors.New("in use by another process")
)
