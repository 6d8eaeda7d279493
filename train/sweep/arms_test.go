package sweep

import (
	"slices"
	"strings"
	"testing"

	"ludus/env"
	"ludus/env/games"
	"ludus/train/rundir"
)

func newGame(t testing.TB) *env.Game {
	t.Helper()
	game, err := games.New("quad(size=4,quads=4,whites=1)")
	if err != nil {
		t.Fatal(err)
	}
	return game
}

func TestParseArms(t *testing.T) {
	game := newGame(t)
	for _, c := range []struct {
		sets, arms []string
		want       []string // name: settings that matter, first seed
	}{
		{nil, nil, []string{"defaults: keep_out=1 rating_share=0 1"}},
		{[]string{"simulations=16,32"}, nil, []string{
			"simulations=16: keep_out=1 rating_share=0 simulations=16 1", "simulations=32: keep_out=1 rating_share=0 simulations=32 1",
		}},
		{[]string{"channels=8", "simulations=4,8", "value_mix=0,1"}, nil, []string{
			"simulations=4 value_mix=0: channels=8 keep_out=1 rating_share=0 simulations=4 value_mix=0 1",
			"simulations=4 value_mix=1: channels=8 keep_out=1 rating_share=0 simulations=4 value_mix=1 1",
			"simulations=8 value_mix=0: channels=8 keep_out=1 rating_share=0 simulations=8 value_mix=0 1",
			"simulations=8 value_mix=1: channels=8 keep_out=1 rating_share=0 simulations=8 value_mix=1 1",
		}},
		{[]string{"channels=8"}, []string{"simulations=32 value_mix=0.5", " channels=4 "}, []string{
			"channels=8: channels=8 keep_out=1 rating_share=0 1",
			"simulations=32 value_mix=0.5: channels=8 keep_out=1 rating_share=0 simulations=32 value_mix=0.5 1",
			"channels=4: channels=4 keep_out=1 rating_share=0 1",
		}},
		{[]string{"simulations=16,16,1.6e1", "rating_share=0.1"}, []string{"simulations=16", "simulations=17"}, []string{
			"simulations=16: keep_out=1 rating_share=0.1 simulations=16 1",
			"simulations=16 copy 2: keep_out=1 rating_share=0.1 simulations=16 1001",
			"simulations=16 copy 3: keep_out=1 rating_share=0.1 simulations=16 2001",
			"simulations=16 copy 4: keep_out=1 rating_share=0.1 simulations=16 3001",
			"simulations=17: keep_out=1 rating_share=0.1 simulations=17 1",
		}},
	} {
		arms, err := ParseArms(game, c.sets, c.arms)
		if err != nil {
			t.Errorf("%v %v: %v", c.sets, c.arms, err)
			continue
		}
		var got []string
		for _, a := range arms {
			got = append(got, a.Name+": "+strings.Join(a.Assignments(), " ")+" "+a.dir(a.FirstSeed)[strings.LastIndex(a.dir(a.FirstSeed), "=")+1:])
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%v %v:\n%s\nwant\n%s", c.sets, c.arms, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
	// A default that is written out is still the default.
	defaults := rundir.DefaultSettings(game)
	for _, d := range defaults.List() {
		if d.Key == "simulations" {
			arms, err := ParseArms(game, nil, []string{"simulations=" + d.Text()})
			if err != nil || len(arms) != 2 || arms[1].FirstSeed == arms[0].FirstSeed {
				t.Errorf("arms %+v, error %v", arms, err)
			}
		}
	}
}

func TestParseArmsErrors(t *testing.T) {
	game := newGame(t)
	for _, c := range []struct{ set, arm, want string }{
		{"simulation=16,32", "", `did you mean "simulations"?`},
		{"simulations", "", "KEY=VALUE,VALUE"},
		{"simulations=16,,32", "", "a whole number"},
		{"channels=8,7", "", "channels=7: it must be a multiple of 4"},
		{"", "blocks=0", "blocks=0: it must be"},
		{"", "block=1", `did you mean "blocks"?`},
		{"", " ", "an arm is empty"},
	} {
		var sets, arms []string
		if c.set != "" {
			sets = []string{c.set, "value_mix=0,1"}
		}
		if c.arm != "" {
			arms = []string{c.arm}
		}
		_, err := ParseArms(game, sets, arms)
		if err == nil || strings.Count(err.Error(), c.want) != 1 {
			t.Errorf("%q %q: %v, want %q once", c.set, c.arm, err, c.want)
		}
	}
	if _, err := ParseArms(game, []string{"blocks=1,2", "blocks=3"}, nil); err == nil {
		t.Error("a setting with two lists was accepted")
	}
}
