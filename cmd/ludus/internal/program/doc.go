// Package program runs outside programs as agents: [Start] makes an [agent.Outside] of a spec such as gtp:"gtp-rhino -l 5".
package program
