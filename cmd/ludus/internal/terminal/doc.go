// Package terminal plays games by lines of text: a person against an agent, at a keyboard or through a pipe, or agents
// against each other to be watched. Text is for people (textView), lines of JSON are for programs (jsonView). Boards are
// drawn from env.Drawing, so that every game has one; colour never says anything that a letter or a mark does not say, too.
package terminal
