package bench

import (
	"context"
	"errors"
	"time"

	"ludus/cmd/ludus/internal/peers"
	"ludus/model/infer"
)

const (
	ratioBatch = 32 // of inference
	peerSlices = 20 // of time for a peer and us, at least
)

// peers are the comparisons with others, all of 64x5 on 7x7. A peer that fails leaves a warning rather than an error.
func (o *Options) peers(r *Report) []step {
	compare := func(peer string, ratio **float64, measure func(context.Context, subject) (float64, error)) step {
		return step{"peers", peer, func(ctx context.Context) error {
			x, err := measure(ctx, references()[0])
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case err == nil:
				*ratio = &x
			case !errors.Is(err, peers.ErrMissing):
				r.Warnings = append(r.Warnings, err)
			}
			return nil
		}}
	}
	return []step{
		compare("ONNX Runtime", &r.Ratios.ONNXRuntime, o.onnxRuntime),
		compare("PyTorch", &r.Ratios.Torch, o.torch),
	}
}

// onnxRuntime is our speed of inference over ONNX Runtime's, one thread each.
func (o *Options) onnxRuntime(ctx context.Context, s subject) (float64, error) {
	network, err := infer.NewNetwork(s.game, s.weights())
	if err != nil {
		return 0, err
	}
	peer, err := peers.ONNXRuntime(ctx, s.game, s.weights(), ratioBatch)
	if err != nil {
		return 0, err
	}
	return o.compare(ctx, evaluating(network, ratioBatch), peer)
}

// torch is our speed of training over PyTorch's.
func (o *Options) torch(ctx context.Context, s subject) (float64, error) {
	step, err := stepping(s, o.Threads)
	if err != nil {
		return 0, err
	}
	peer, err := peers.Torch(ctx, s.game, s.net.Config(s.game), trainBatch, o.Threads)
	if err != nil {
		return 0, err
	}
	return o.compare(ctx, repeating(step), peer)
}

// compare closes the peer.
func (o *Options) compare(ctx context.Context, ours work, peer *peers.Peer) (float64, error) {
	defer peer.Close()
	c, err := peers.Compare(ctx, peerSlices*o.Slice, func(d time.Duration) float64 { return ours(ctx, d) }, peer)
	return c.Ratio, err
}
