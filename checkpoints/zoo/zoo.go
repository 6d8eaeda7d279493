package zoo

import (
	"embed"
	"encoding/json"
	"fmt"
	"strings"
)

//go:embed *.safetensors *.json
var files embed.FS

// File name extensions of an agent's weights and card.
const (
	WeightsExtension = ".safetensors"
	CardExtension    = ".json"
)

// MaxBytes is the largest size of a weights file.
const MaxBytes = 1_000_000

// Games returns the names of the games that have a shipped agent, ascending.
func Games() (names []string) {
	entries, err := files.ReadDir(".") // sorted
	if err != nil {
		panic("zoo: " + err.Error())
	}
	for _, e := range entries {
		if game, ok := strings.CutSuffix(e.Name(), WeightsExtension); ok {
			names = append(names, game)
		}
	}
	return names
}

// Weights returns a copy of the weights file of a game's agent; nil if none is shipped. game is the canonical name.
func Weights(game string) []byte {
	data, err := files.ReadFile(game + WeightsExtension)
	if err != nil {
		return nil
	}
	return data
}

// CardOf returns the card of a game's agent; nil if none is shipped. game is the canonical name.
func CardOf(game string) *Card {
	data, err := files.ReadFile(game + CardExtension)
	if err != nil {
		return nil
	}
	card := new(Card)
	if err := json.Unmarshal(data, card); err != nil {
		panic(fmt.Sprintf("zoo: %s%s: %v", game, CardExtension, err))
	}
	return card
}
