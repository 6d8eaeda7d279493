package engine

import (
	"regexp"
	"strings"
	"testing"
)

// tooLong skips inputs that only take long.
func tooLong(t *testing.T, text string) {
	if len(text) > 2000 {
		t.Skip("long")
	}
}

// For any input each command gets one response in the form of the protocol.
func FuzzGTP(f *testing.F) {
	for _, text := range []string{
		"play b d3\ngenmove w\nundo\nshowboard\n7 final_score\nquit\n", "12\n 3 name\t x # y\n\x01nam\x02e\n#\n\n", "boardsize 7\nboardsize 0 -1\nboardsize\n",
		"play b a1\nplay w swap-pieces\ngenmove b\ngenmove b\nplay w resign\nplay w pass\n", strings.Repeat("genmove b\ngenmove w\n", 40) + "final_score\n",
		"set_game hex\nset_game Tic-tac-toe\nset_game x.kif\nset_game quad(size=4)\nlist_games\n", "time_settings 1 1 1\ntime_left b 0 0\ntime_left w nan 1\nkomi inf\n",
		"lz-analyze b 1\nkata-analyze interval 1 maxmoves 2\nkata-analyze b w x\nknown_command x\n", "gogui-rules_board\ngogui-rules_legal_moves\ngogui-rules_board_size\nlist_commands\n",
		"play x b2\nplay white b2-b3\ngenmove white\nreg_genmove black\n", strings.Repeat("x", 100) + "\xff\n",
	} {
		for which := range uint8(6) {
			f.Add(text, which)
		}
	}
	names := []string{"othello-6x6", "hex-5x5", "gomoku-9x9", "breakthrough-6x6", "quad-7x7", "tic-tac-toe"}
	response := regexp.MustCompile(`^[=?]\d*((?: |\n)?[^\n]*(\n[^\n]+)*|(\ninfo [^\n]+)+)$`)
	f.Fuzz(func(t *testing.T, text string, which uint8) {
		tooLong(t, text)
		out := answer(t, "gtp", names[int(which)%len(names)], "greedy", text)
		if out == "" {
			return
		}
		body, ended := strings.CutSuffix(out, "\n\n")
		responses := strings.Split(body, "\n\n")
		for _, r := range responses {
			if !response.MatchString(r) {
				t.Errorf("response %q", r)
			}
		}
		if !ended || len(responses) > strings.Count(text, "\n")+1 {
			t.Errorf("%d responses in %q", len(responses), out)
		}
	})
}

// For any input all replies have a form that managers know.
func FuzzGomocup(f *testing.F) {
	for _, text := range []string{
		"START 9\nBEGIN\nTURN 0,0\nTURN 0,0\nTAKEBACK 1,1\nABOUT\nEND\nSTART 9\n", "TURN 1,1\nBOARD\n1,1,1\nDONE\nRESTART\nSTART\nSTART 20\nSTART x\n",
		"START 5\nBOARD\n0,0,1\n1,1,2\n2,2,2\nDONE\nBOARD\n3,3,3\nDONE\nBOARD\n1,1,1\n1,1,2\nDONE\nBOARD\n", "rectstart 9,5\nturn 8 , 4\ninfo rule 1\ninfo\nINFO timeout_turn 99999999999999999999\n",
		"START 9\nBOARD\n" + strings.Repeat("0,0,1\n", 200) + "DONE\n", "START 5\n" + strings.Repeat("BEGIN\n", 30), "\x00\xff\nSTART -9\nRECTSTART 9\nTURN ,\nTURN 99999999999999999999,1\n",
	} {
		f.Add(text)
	}
	reply := regexp.MustCompile(`^(OK|\d+,\d+|name="ludus", version="1.0"|(ERROR|UNKNOWN) [^\x00-\x1f\x7f]+)$`)
	f.Fuzz(func(t *testing.T, text string) {
		tooLong(t, text)
		for line := range strings.Lines(answer(t, "gomocup", "gomoku-9x9", "greedy", text)) {
			if !reply.MatchString(strings.TrimSuffix(line, "\n")) {
				t.Errorf("reply %q", line)
			}
		}
	})
}

// For any input all replies have a form that NBoard knows.
func FuzzNBoard(f *testing.F) {
	for _, text := range []string{
		"nboard 2\nset depth 6\nset game (;GM[Othello]PC[NBoard]TY[8]BO[" + startOfGGF + "]B[F5/1/2]W[F6];)\nping 1\ngo\nmove D3\nhint 3\nlearn\nquit\n",
		"go\nmove F5\nset game\nset game (;GM[Amazons]\nset game BO[8 *]\nset game BO[\nset game B[f5]\nhint 2\n", "set game (;BO[" + startOfGGF + "]W[F5];)\nmove F5\nset contempt 3\nhint x\nhint 0\n",
		"set game (;GM[Othello]BO[" + startOfGGF + "];)\n" + strings.Repeat("move F5/\nmove PA\nmove d6//1\n", 9), "set game (;BO[" + startOfGGF + "]BO[" + startOfGGF + "]B[F5]B[F5]\nping\nping \x00\xff\n",
	} {
		f.Add(text)
	}
	reply := regexp.MustCompile(`^(set myname ludus|pong .*|learned|status.*|=== ([A-H][1-8]|PA)//\d+\.\d\d|search ([A-H][1-8]|PA) -?\d+\.\d\d 0 \d+(%W)?|nodestats \d+ \d+\.\d\d)$`)
	f.Fuzz(func(t *testing.T, text string) {
		tooLong(t, text)
		for line := range strings.Lines(answer(t, "nboard", "othello", "alphabeta:1", text)) {
			if !reply.MatchString(strings.TrimSuffix(line, "\n")) {
				t.Errorf("reply %q", line)
			}
		}
	})
}
