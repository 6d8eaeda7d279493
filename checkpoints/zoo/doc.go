// Package zoo holds the agents that are shipped with the program, the best ones trained so far: for each game a weights
// file in half precision, GAME.safetensors, of at most [MaxBytes], and a [Card], GAME.json, that says how it was trained
// and how strong it is.
//
// The program cmd/ship replaces both files of a game by the network of a run and its measured strength:
//
//	go run ./cmd/ship -run runs/quad-5x5 -commit COMMIT
//
// The package's test plays each agent and fails if it is weaker than its card's [Floors] allow.
//
// Not here: reading the weights (model/infer) and playing with them (train/agent). The package knows bytes only.
package zoo
