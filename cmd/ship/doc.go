// Ship makes the network of a run the shipped agent of its game: it writes the weights in half precision and the card with
// the measured strength into checkpoints/zoo. It takes minutes.
//
//	go run ./cmd/ship -run runs/quad-5x5@best -commit 1a2b3c4
//
// The command that trained the network is read from the run. Everything else is measured on the rounded weights, with the
// seed and the defaults of the commands that the card names, so these commands give the card's numbers again. Known
// weaknesses, sentences for people, are added to the card by hand.
//
// With -dial it only measures the strength dial of a game's shipped agent again. With -curve it adds the errors and
// losses of a run, which must be a plain training, to the card of its game's shipped agent: "ludus train --dry-run"
// shows the errors, "ludus doctor" compares a run with the losses.
//
//	go run ./cmd/ship -dial quad-5x5
//	go run ./cmd/ship -curve -run runs/quad-5x5 -commit 1a2b3c4
package main
