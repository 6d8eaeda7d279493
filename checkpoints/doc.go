// Package checkpoints keeps a run's files whole: a store of named byte parts that is atomic, checksummed and versioned,
// and the smaller helpers that a run directory needs beside it. It knows bytes, not networks.
//
// # Layout
//
//	checkpoints/000012/             one directory a checkpoint
//	checkpoints/000012/PART         one file a part
//	checkpoints/000012/manifest.json
//
// The manifest is JSON: the format version, the number of the checkpoint, the caller's own data, and each part's size
// and SHA-256. Its last line is the SHA-256 of all bytes before that line; this much holds in every format version, so
// that a newer file and a damaged one can be told apart.
//
// # Conventions
//
// Everything is written under a temporary name, synced, renamed, and its directory synced. After a crash at any moment
// a checkpoint or file is the old one or the new one, never a mixture; what a crash leaves under temporary names is
// removed by the next Save or Thin, and overwritten by the next WriteFile.
//
// Damage is never repaired or guessed at: it comes back as an error that wraps [ErrDamaged] and names the file and what
// is wrong with it. Returned bytes belong to the caller.
//
// There is one writer at a time, which [Lock] guarantees between processes; within the process the caller calls one
// function at a time. Readers need no lock.
//
// What is left out: checkpoints that share parts, encryption, and protection against somebody who alters a file and its
// checksum together.
package checkpoints

import "errors"

// The faults that callers tell apart; errors wrap them.
var (
	// ErrNoCheckpoint means that there is no checkpoint, or no whole one, to load.
	ErrNoCheckpoint = errors.New("no whole checkpoint")
	// ErrDamaged means that a file is cut short, altered or missing.
	ErrDamaged = errors.New("damaged")
	// ErrVersion means that a file was written in a newer format than this program knows.
	ErrVersion = errors.New("written by a newer version of this program")
	// ErrLocked means that another writer holds the lock.
	ErrLocked = errors.New("in use by another process")
)
