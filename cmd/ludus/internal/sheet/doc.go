// Package sheet checks a rule sheet whenever its file is saved, for ludus games --watch.
//
// A [Watcher] looks at the file a few times a second and checks it once it has stopped changing. A [Check] says what is
// wrong and where, or which game the sheet makes. If random moves lead to a position in which a law of games is broken,
// the check has that position. Package web shows checks to browsers.
package sheet
