// Package terminal plays games in lines of text: a person against an agent, at a keyboard or through a pipe, or two
// agents against each other. textView writes text for people, jsonView JSON for programs. Boards are drawn from
// env.Drawing, which every game has. Colour only repeats what a letter or a mark already shows.
package terminal
