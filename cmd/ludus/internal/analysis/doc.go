// Package analysis answers requests about positions, one JSON object per line, for other programs. Requests:
//
//	{"id":"a1","moves":["c3"],"simulations":64}
//
// id is a string or a number; moves lead from the start to the position (default: none), in any notation that package
// notation reads; simulations, 1 to 1,000,000, defaults to the agent's own. Each request gets one reply, in any order:
//
//	{"id":"a1","player":"o","value":-0.62,"goals":{"o":19,"x":81},"best":"b2","simulations":64,
//	 "moves":[{"move":"b2","visits":40,"value":-0.6,"prior":0.31,"line":["b2","d4","c2"]}]}
//
// on one line. line is the move and what is played after it: the most visited moves of a search's tree, or best play
// where the value is proven, of at most 12 moves; left out where the agent has not searched. goals (GDL's word) are the
// expected final scores, 0 to 100. See [Result] for the fields. A finished game, with its value for the first player,
// and an invalid line get
//
//	{"id":"a1","terminal":true,"value":1,"goals":{"o":0,"x":100}}
//	{"id":"a1","error":"move 2: c3 is not legal: x is on c3; moves look like b1"}
//
// An error's id is null if the line has no readable id.
package analysis
