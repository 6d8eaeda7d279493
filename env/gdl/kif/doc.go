// Package kif reads rule sheets of the Game Description Language (GDL), which are written in the Knowledge Interchange
// Format: nested lists in brackets, with ; before a comment.
//
// [Read] returns the nested lists of a text, as in a sheet or in a message of a match. The text is in UTF-8; Read refuses
// other bytes, and names with characters that people cannot see. [Rules] turns the lists into rules. [Case] tells whether
// upper and lower case differ in a sheet. All tolerate what real sheets contain: (<= head) without a body, and (p) for p.
// Packages ground and gdl check what the rules mean.
package kif
