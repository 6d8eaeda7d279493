// Command ludus trains, evaluates and plays agents for two-player board games. Only this package and those below it
// print, prompt or exit.
package main
