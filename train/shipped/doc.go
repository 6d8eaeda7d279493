// Package shipped loads the agents that are shipped with the program, spec zoo: the networks and cards of package
// checkpoints/zoo, resized where a game's own size has none, with their strength dials.
//
// [Loader] joins them with the networks in files, which its caller loads.
package shipped
