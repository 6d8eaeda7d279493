// Package shipped loads the agents that are shipped with the program (spec zoo). Networks, cards and strength dials come
// from package checkpoints/zoo; a game without a network of its own size gets one of another size, resized. [Loader] also
// passes references to files on to the caller's loader.
package shipped
