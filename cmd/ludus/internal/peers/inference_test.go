package peers

import (
	"context"
	_ "embed"
	"fmt"

	"ludus/env"
	"ludus/model/infer"
	"ludus/model/infer/onnx"
)

//go:embed inference.js
var onnxruntimeScript string

// ONNXRuntime starts ONNX Runtime on one thread. Its rows are positions, evaluated in batches of the given size.
func ONNXRuntime(ctx context.Context, game *env.Game, w *infer.Weights, batch int) (*Peer, error) {
	model, err := onnx.Marshal(game, w, "")
	if err != nil {
		return nil, fmt.Errorf("ONNX Runtime: %w", err)
	}
	request := struct {
		Model []byte `json:"model"`
		Input string `json:"input"`
		Shape []int  `json:"shape"`
		Batch int    `json:"batch"`
	}{model, onnx.Input, []int{game.Tensor.C, game.Tensor.H, game.Tensor.W}, batch}
	return start(ctx, "ONNX Runtime", []string{"node", "--eval", onnxruntimeScript}, request)
}

// evaluate runs a model on tensors [B, C, H, W] and returns its outputs by name.
func (p *Peer) evaluate(tensors []float32) (map[string][]float32, error) {
	request := struct {
		Tensors []float32 `json:"tensors"`
	}{tensors}
	var outputs map[string][]float32
	err := p.call(request, &outputs)
	return outputs, err
}
