// Package program runs outside programs as agents: [Start] makes an [agent.Outside] of a spec such as gtp:"gtp-rhino -l
// 5".
//
// A program speaks GTP (any game; see engine.Convention for the names of moves), Gomocup's protocol (five in a row) or
// NBoard's (Othello 8x8). Each agent has one process, which it starts when it first needs it and uses for all its
// games. Moves are sent when the program is to move. A pass that is the only move is not asked for; by GTP it is not
// sent, either, unless the spec has a word for it.
//
// # Faults
//
// A program that does something wrong is killed, and its next game begins with a fresh process.
//
//	it dies                                        started again, and the moves of the game are sent anew; the second
//	                                               time in a game it loses
//	no move in time, or no reply                   loses; its limit is the shortest of time=, the match's clock or else
//	                                               agent.DefaultPatience, and agent.Margin more
//	a reply above 1 MiB, a line above 64 KiB, or   loses
//	1,024 lines that nobody asked for
//	no legal move in the answer, or an error       loses
//	an error in response to a legal move, by GTP   loses
//	it resigns, by GTP                             loses; its process is kept
//	its start fails                                the game is void; after three failures in a row it is not started again,
//	                                               so all its games are void. If it had died in the game, it loses
//	it was not shown the moves of the position     the game is void; that is the caller's mistake
//
// # Processes
//
// On Unix each program has a process group of its own, which is killed when the program ends: children end with it,
// unless they leave the group. [Main] lets this program start itself again as a guard, which kills these groups if this
// program is killed. On Linux, memory= limits the program's private memory. On other systems than Unix, only the
// program itself is killed.
//
// An agent starts three goroutines for each process; they end with it. Programs get this process's environment. Nothing
// in the program's output is taken for anything but moves and messages.
//
// Not here: pondering, and programs on other machines.
package program
