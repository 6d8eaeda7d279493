package model

import (
	"math"
	"slices"

	"ludus/env"
	"ludus/model/infer"
)

// reference is a plain float64 implementation of the network and its loss, the oracle of graph and gradients.
type reference struct {
	game    *env.Game
	config  infer.Config
	weights map[string][]float64
}

func newReference(tr *Trainer) *reference {
	r := &reference{tr.game, tr.params.weights.Config, make(map[string][]float64)}
	for _, t := range tr.params.tensors {
		for _, v := range t.Data {
			r.weights[t.Name] = append(r.weights[t.Name], float64(v))
		}
	}
	return r
}

// conv is relu(scale conv(x) + bias + residual) on x [H, W, in].
func (r *reference) conv(prefix, suffix string, x []float64, in int, residual []float64) []float64 {
	h, w, out := r.game.Tensor.H, r.game.Tensor.W, r.config.Channels
	weights := r.weights[prefix+"conv"+suffix]
	result := make([]float64, h*w*out)
	for y := range h {
		for x0 := range w {
			for o := range out {
				sum := 0.0
				for dy := -1; dy <= 1; dy++ {
					for dx := -1; dx <= 1; dx++ {
						if y+dy < 0 || y+dy >= h || x0+dx < 0 || x0+dx >= w {
							continue
						}
						for c := range in {
							sum += weights[((o*3+dy+1)*3+dx+1)*in+c] * x[((y+dy)*w+x0+dx)*in+c]
						}
					}
				}
				i := (y*w+x0)*out + o
				sum = sum*r.weights[prefix+"scale"+suffix][o] + r.weights[prefix+"bias"+suffix][o]
				if residual != nil {
					sum += residual[i]
				}
				result[i] = max(sum, 0)
			}
		}
	}
	return result
}

// linear applies a linear layer to each consecutive group of inputs in x.
func (r *reference) linear(name string, x []float64, rectify bool) []float64 {
	weights, bias := r.weights[name+".weight"], r.weights[name+".bias"]
	in := len(weights) / len(bias)
	var result []float64
	for ; len(x) > 0; x = x[in:] {
		for o, v := range bias {
			for i := range in {
				v += weights[o*in+i] * x[i]
			}
			if rectify {
				v = max(v, 0)
			}
			result = append(result, v)
		}
	}
	return result
}

// pool returns the values of x [cells, channels] by channel: the means, the means scaled by the board's size, the
// maxima.
func (r *reference) pool(x []float64, cells int) []float64 {
	channels := len(x) / cells
	y := make([]float64, 3*channels)
	for i, v := range x {
		c := i % channels
		y[c] += v / float64(cells)
		y[channels+c] += v / float64(cells) * (math.Sqrt(float64(cells)) - 14) / 10
		y[2*channels+c] = max(y[2*channels+c], v) // v is at least 0
	}
	return y
}

// figureLayer applies a figure layer to x [cells, channels] and changes figures [figures, channels].
func (r *reference) figureLayer(prefix string, x []float64, figures [][]float64) []float64 {
	n := r.config.Channels
	through, size, most := make([]int, len(x)/n), 0, 0
	for _, figure := range r.game.Figures {
		size = max(size, len(figure))
		for _, cell := range figure {
			through[cell]++
			most = max(most, through[cell])
		}
	}
	weights, sums := r.weights[prefix+"figures.weight"], make([]float64, len(x)) // sums over the figures through each cell
	for f, figure := range r.game.Figures {
		for o := range n {
			for _, cell := range figure {
				for i := range n {
					figures[f][o] += weights[o*n+i] * x[int(cell)*n+i]
				}
			}
			figures[f][o] = max(figures[f][o], 0)
			for _, cell := range figure {
				sums[int(cell)*n+o] += figures[f][o] / math.Sqrt(float64(size)*float64(most))
			}
		}
	}
	weights = r.weights[prefix+"cells.weight"]
	y := slices.Clone(x)
	for i := range y {
		for j := range n {
			y[i] += weights[i%n*n+j] * sums[i/n*n+j]
		}
		y[i] = max(y[i], 0)
	}
	return y
}

// forward returns the logits of policy and reply in the order of actions, the outcome logits and the goals for one
// tensor [C, H, W].
func (r *reference) forward(tensor []float32) (policy, reply, outcome, goals []float64) {
	shape := r.game.Tensor
	cells := shape.Cells()
	x := make([]float64, shape.Size())
	for i, v := range tensor {
		x[i%cells*shape.C+i/cells] = float64(v)
	}
	x = r.conv("stem.", "", x, shape.C, nil)
	var figures [][]float64
	for range r.game.Figures {
		figures = append(figures, make([]float64, r.config.Channels))
	}
	for i := range r.config.Blocks {
		prefix := "blocks." + string(rune('0'+i)) + "."
		if figures == nil {
			x = r.conv(prefix, "2", r.conv(prefix, "1", x, r.config.Channels, nil), r.config.Channels, x)
			continue
		}
		x = r.conv(prefix, "", x, r.config.Channels, x)
		for layer := range infer.FigureLayers {
			x = r.figureLayer(infer.FigureLayerPrefix(i, layer), x, figures)
		}
	}
	policyHidden := r.linear("policy.hidden", x, true)
	outcome = r.linear("outcome.cells", x, true)
	if r.config.Pooled {
		outcome = r.pool(outcome, cells)
	}
	hidden := r.linear("outcome.hidden", outcome, true)
	head := func(name string) (logits []float64) {
		planes := r.linear(name+".planes", policyHidden, false)
		for p := range r.game.PolicyPlanes {
			for cell := range cells {
				logits = append(logits, planes[cell*r.game.PolicyPlanes+p])
			}
		}
		if r.game.PolicyExtras > 0 {
			logits = append(logits, r.linear(name+".extras", hidden, false)...)
		}
		return logits
	}
	if r.game.GoalHead {
		goals = r.linear("goals", hidden, false)
	}
	return head("policy"), head("reply"), r.linear("outcome.classes", hidden, false), goals
}

// losses returns the losses of a batch.
func (r *reference) losses(b *Batch, config Config) Losses {
	var l Losses
	actions, k := r.game.NumActions(), len(r.game.Classes)
	for i := range b.Size {
		policy, reply, outcome, goals := r.forward(b.Inputs[i*r.game.Tensor.Size() : (i+1)*r.game.Tensor.Size()])
		row := func(x []float32) []float32 { return x[i*actions : (i+1)*actions] }
		l.Policy += float64(b.PolicyWeight[i]) * referenceCrossEntropy(policy, row(b.Policy), row(b.LegalMask))
		l.Reply += float64(b.ReplyWeight[i]) * referenceCrossEntropy(reply, row(b.Reply), row(b.ReplyMask))
		l.Outcome += referenceCrossEntropy(outcome, b.Outcome[i*k:(i+1)*k], nil)
		for j, g := range goals {
			l.Goals += (g - float64(b.Goals[2*i+j])) * (g - float64(b.Goals[2*i+j]))
		}
	}
	l.Policy /= float64(b.Size)
	l.Reply /= float64(b.Size)
	l.Outcome /= float64(b.Size)
	l.Goals /= float64(b.Size)
	l.Total = l.Policy + config.ReplyWeight*l.Reply + l.Outcome + config.GoalWeight*l.Goals
	return l
}

func referenceCrossEntropy(logits []float64, target, legal []float32) float64 {
	sum, loss := 0.0, 0.0
	for i, v := range logits {
		if legal == nil || legal[i] != 0 {
			sum += math.Exp(v)
		}
	}
	for i, t := range target {
		if t > 0 {
			loss -= float64(t) * math.Log(math.Exp(logits[i])/sum)
		}
	}
	return loss
}
