// Package kif reads rule sheets of the Game Description Language (GDL), which are written in the Knowledge Interchange
// Format: nested lists in brackets, with ; before a comment.
//
// [Read] returns lists and atoms as they stand, which is what messages of a match consist of. [Rules] makes rules of
// them. Upper case is read as lower case. Both tolerate what real sheets contain: (<= head) without a body, and (p) for
// p. What the rules mean is checked elsewhere.
package kif
