package envtest

import (
	"fmt"

	"ludus/env"
)

// Board returns a game without rules: only shapes and outcome classes, enough to build a network. Its tensor is [c, h,
// w], its policy has the given planes and extra entries.
func Board(c, h, w, planes, extras, classes int, goalHead bool) *env.Game {
	g := &env.Game{
		Name:   fmt.Sprintf("board-%dx%dx%d", c, h, w),
		Tensor: env.Shape{C: c, H: h, W: w}, Planes: make([]string, c),
		PolicyPlanes: planes, PolicyExtras: extras, PolicyNames: make([]string, planes+extras),
		ActionTexts: make([]string, planes*h*w+extras),
		Classes:     make([]env.Class, classes),
		GoalHead:    goalHead,
	}
	return g.Finish(nil)
}
