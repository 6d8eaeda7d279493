package rundir

import (
	"encoding/json"
	"ludus/env/games"
	"slices"
	"strings"
	"testing"
)

func TestDefaultSizes(t *testing.T) {
	for game, want := range map[string]string{
		"hex": "5,7,9,11", "hex-13x13": "7,9,11,13", "hex(size=9)": "5,7,9", "hex(size=10)": "6,8,10", "hex-19x19": "11,15,19",
		"hex-7x7": "own", "othello": "own", "othello(size=10)": "6,8,10", "othello(size=12)": "6,8,10,12",
		"line-up(width=15,height=15,line=5,gravity=0)": "7,11,15", "line-up(width=9,height=9,line=5,gravity=0)": "7,9",
		"line-up(width=11,height=11,line=6,gravity=0)": "9,11", "quad-7x7": "own", "quad(size=11)": "7,9,11", "connect-four": "own",
		"golden-rectangle(columns=9,rows=9)": "5,7,9", "golden-rectangle(columns=9,rows=10)": "own",
		"line-up(width=9,height=9,line=7,gravity=0)": "own",
	} {
		g := games.Must(game)
		sizes := DefaultSizes(g)
		if sizes.String() != want {
			t.Errorf("%s trains on %v, want %s", game, sizes, want)
		}
		boards, err := sizes.Games(g)
		if err != nil || boards[len(boards)-1] != g {
			t.Errorf("%s: games %v, error %v", game, boards, err)
		}
		for i, side := range sizes.List() {
			if b := boards[i]; b.Tensor.W != side || b.Tensor.H != side || b.Family != g.Family {
				t.Errorf("%s: board %d is %s", game, side, b.Name)
			}
		}
	}
}

// sizesIn reads the setting as --set takes it.
func sizesIn(text string) (Sizes, error) {
	_, value, err := ParseSetting("sizes=" + text)
	return Sizes(value), err
}

func TestSizes(t *testing.T) {
	for text, want := range map[string][]int{"own": nil, "5, 7,11": {5, 7, 11}, "11": {11}} {
		sizes, err := sizesIn(text)
		if err != nil || !slices.Equal(sizes.List(), want) {
			t.Errorf("%s is %v, error %v", text, sizes.List(), err)
		}
		back, err := sizesIn(sizes.String())
		if err != nil || back != sizes {
			t.Errorf("%s is read as %v, error %v", sizes, back, err)
		}
	}
	settings := DefaultSettings(games.Must("hex"))
	data, err := json.Marshal(settings)
	if err != nil || !strings.Contains(string(data), `"sizes":[5,7,9,11]`) {
		t.Errorf("settings %s, error %v", data, err)
	}
	for text, want := range map[string]float64{`{"settings":{"blocks":3}}`: 0, string(data): float64(settings.Sizes)} {
		values, err := ParseSettings([]byte(text))
		if got, ok := values["sizes"]; err != nil || !ok || got != want {
			t.Errorf("%s: sizes %v, error %v", text, values["sizes"], err)
		}
	}
	list, ascending := "a list of sides, such as [5,7,9,11]", "sides of boards in ascending order, such as [5,7,9,11]"
	for bad, says := range map[string]string{`[9,5]`: ascending, `[5,40]`: ascending, `"5,7"`: list, `null`: list, `5`: list} {
		data := []byte(`{"sizes":` + bad + `}`)
		_, err := ParseSettings(data)
		for _, err := range []error{err, json.Unmarshal(data, &settings)} {
			if err == nil || err.Error() != "setting sizes must be "+says {
				t.Errorf("sizes %s: error %v", bad, err)
			}
		}
	}
	for game, cases := range map[string]map[string]string{
		"hex":              {"5,7": "the last must be 11", "5,11,13": "the last must be 11", "1,11": "sizes=1,11: no such game \"hex(size=1,swap=1)\": size=1 is not allowed; it takes 2..19"},
		"othello":          {"5,8": "size=5 is not allowed", "6": "the last must be 8"},
		"golden-rectangle": {"5,7": "has no other sizes"},
		"quad-7x7":         {"4,7": "do not fit"},
	} {
		for text, says := range cases {
			sizes, err := sizesIn(text)
			if err == nil {
				_, err = sizes.Games(games.Must(game))
			}
			if err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("%s, sizes=%s: error %v, want %q", game, text, err, says)
			}
		}
	}
}
