// Package terminal plays games in lines of text: a person against an agent, at a keyboard or through a pipe, or two agents
// against each other. Boards are drawn from env.Drawing, which every game has. No information is given by colour alone: a
// letter or a mark shows it, too.
package terminal
