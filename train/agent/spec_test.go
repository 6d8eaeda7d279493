package agent

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"random":                      "random 0 @",
		"greedy":                      "greedy 0 @",
		"mcts:200":                    "mcts 0 @ sims 200",
		"alphabeta:3":                 "alphabeta 3 @",
		"solver:1000000000":           "solver 1000000000 @",
		"net:runs/q":                  "net 0 runs/q@",
		"net:runs/q@12":               "net 0 runs/q@12@",
		"net:runs/a,b/c@best,sims=8":  "net 0 runs/a,b/c@best@ sims 8",
		"net:a,sims,temp=0.5":         "net 0 a,sims@ temp 0.5",
		"net:C:\\runs\\q,search=puct": "net 0 C:\\runs\\q@ puct",
		"net:a,search=gumbel":         "net 0 a@",
		"net:a,time=500ms":            "net 0 a@ time 500ms puct",
		"net:a,time=2s,sims=1000000":  "net 0 a@ sims 1000000 time 2s puct",
		"policy:a,b":                  "policy 0 a,b@",
		"net:a,solve=1000":            "net 1000 a@",
		"zoo":                         "net 0 zoo@",
		"zoo,sims=9,temp=1":           "net 0 zoo@ sims 9 temp 1",
		"net:a@3,elo=0850":            "net 0 a@3@ elo 850",
		"net:./zoo":                   "net 0 ./zoo@",
		"net:a@b":                     "net 0 a@b@",
		"net:@1":                      "net 0 @1@",
		"net:a@-1":                    "net 0 a@-1@",
		"net:a,solve=0,sims=8":        "net -1 a@ sims 8",
		"net:a,threads=1,time=1s":     "net 0 a@ time 1s puct threads 1",
		"zoo,threads=64":              "net 0 zoo@ threads 64",
		"policy:a,solve=1000000000":   "policy 1000000000 a@",
		"zoo,book=a/b.book,sims=9":    "net 0 zoo@ sims 9",
		"policy:a,b,book=c=d":         "policy 0 a,b@",
		"mcts:9,book=a/b.book":        "mcts 0 @ sims 9",
		"alphabeta:3,book=a":          "alphabeta 3 @",
		"solver:500,book=a":           "solver 500 @",
	} {
		spec, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got := fmt.Sprintf("%s %d %s@", spec.Kind, spec.Depth+spec.Nodes, spec.Network)
		if at := strings.Contains(got, "@12@") || strings.Contains(got, "@best@") || strings.Contains(got, "@3@"); at != (spec.Network.At != "") {
			t.Errorf("%s names the network %+v", text, spec.Network)
		}
		if spec.Simulations > 0 {
			got += fmt.Sprintf(" sims %d", spec.Simulations)
		}
		if spec.Time > 0 {
			got += fmt.Sprintf(" time %v", spec.Time)
		}
		if spec.PUCT {
			got += " puct"
		}
		if spec.Temperature > 0 {
			got += fmt.Sprintf(" temp %v", spec.Temperature)
		}
		if spec.Elo > 0 {
			got += fmt.Sprintf(" elo %d", spec.Elo)
		}
		if spec.Threads > 0 {
			got += fmt.Sprintf(" threads %d", spec.Threads)
		}
		if got != want {
			t.Errorf("%s is read as %s; want %s", text, got, want)
		}
		if again, err := Parse(spec.String()); err != nil || again != spec {
			t.Errorf("%s is written as %v, which is read as %+v, %v; want %+v", text, spec, again, err, spec)
		}
	}
	for text, want := range map[string]string{
		"mcts:0200": "mcts:200", "net:a,sims=64": "net:a", "net:a,search=gumbel,sims=8": "net:a,sims=8", "net:a,sims=64,time=1s": "net:a,sims=64,time=1s",
		"net:a@3,temp=0.50,search=puct": "net:a@3,search=puct,temp=0.5", "net:a,time=1s,search=puct": "net:a,time=1s",
		"net:zoo": "zoo", "net:zoo,sims=8": "zoo,sims=8", "zoo,sims=64": "zoo", "policy:zoo": "policy:zoo", "net:zoo@3": "net:zoo@3",
		"net:a,solve=007,sims=8": "net:a,sims=8,solve=7", "policy:a,solve=0,temp=1": "policy:a,temp=1,solve=0",
		"net:a,threads=02,solve=7": "net:a,solve=7,threads=2",
	} {
		if spec, err := Parse(text); err != nil || spec.String() != want {
			t.Errorf("%s is written as %v, %v; want %s", text, spec, err, want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                            "an agent is one of random, greedy",
		"randm":                       "did you mean random?",
		"mtcs:10":                     "did you mean mcts:N?",
		"solver":                      "1 to 1000000000 nodes per move",
		"solve:100":                   "did you mean solver:NODES?",
		"Random":                      "did you mean random?",
		"random:1":                    "takes nothing",
		"greedy,book=a":               "greedy takes nothing after it, no number and no option",
		"mcts,book=a":                 "did you mean mcts:N?",
		"mcts":                        "1 to 1000000 simulations",
		"mcts:":                       "1 to 1000000 simulations",
		"mcts:100,elo=300":            "mcts takes only book",
		"mcts:0":                      "bad agent \"mcts:0\": it needs 1 to 1000000 simulations",
		"mcts:-5":                     "1 to 1000000 simulations",
		"mcts:1e3":                    "1 to 1000000 simulations",
		"mcts:99999999999999999":      "1 to 1000000 simulations",
		"alphabeta:51":                "1 to 50 plies",
		"net":                         "needs the path",
		"net:":                        "such as net:runs/quad-5x5",
		"policy:":                     "such as policy:runs/quad-5x5",
		"net:,sims=3":                 "needs the path",
		"net:a,sims=0":                "1 to 1000000 simulations",
		"net:a,sims=":                 "1 to 1000000 simulations",
		"net:a,sims=3,sims=4":         "given twice",
		"net:a,sims=3,tmp=1":          `did you mean "temp"?`,
		"net:a,sims=3,b":              "unknown option",
		"zoo,book=":                   "needs the path of a book",
		"zoo,book=a,elo=300":          "a book would undo it",
		"mcts:9,bok=a":                `did you mean "book"?`,
		"solver:9,book=a,book=a":      "given twice",
		"alphabeta:3,book=":           "needs the path of a book",
		"net:a,time=5":                "such as 500ms",
		"net:a,time=-5s":              "up to 24h, such as 500ms",
		"net:a,time=0s":               "such as 500ms",
		"net:a,search=alphazero":      "gumbel or puct",
		"net:a,time=1s,search=gumbel": "search must be puct",
		"net:a,temp=-1":               "0 to 100",
		"net:a,temp=NaN":              "0 to 100",
		"net:a,temp=warm":             "0 to 100",
		"net:a,solve=-1":              "1 to 1000000000 nodes per move",
		"net:a,solve=":                "or solve=0",
		"solver:0":                    "1 to 1000000000 nodes per move",
		"policy:a,temp=1,sims=2":      "policy takes only temp, solve",
		"policy:a,threads=2":          "policy takes only temp, solve",
		"zoo,threads=0":               "it needs 1 to 64 threads",
		"zoo,threads=65":              "it needs 1 to 64 threads",
		"zoo,threads=all":             "it needs 1 to 64 threads",
		"zoo,thread=2":                `did you mean "threads"?`,
		"zoo,elo=800,threads=2":       "leave out the other options",
		"zoos":                        "did you mean zoo?",
		"zoo,elo=0":                   "1 to 10000 Elo above random moves, such as elo=800",
		"zoo,elo=800,sims=4":          "elo chooses simulations and temperature itself",
		"net:a,solve=9,elo=800":       "leave out the other options",
		"policy:zoo,elo=800":          "policy takes only temp, solve",
		"zoo@3":                       "an agent is one of",
		"zoo:x":                       "did you mean zoo?",
		"policy:a,sims=2":             `"sims=2" (policy takes only temp, solve, book)`,
	} {
		_, err := Parse(text)
		if !errors.Is(err, ErrSpec) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v; want one that says %q", text, err, want)
		} else if strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: the error has several lines: %v", text, err)
		}
	}
}

// ParseWithin needs the spec only; it loads no network. Its errors name the limits that it was given.
func TestParseWithin(t *testing.T) {
	limits := Limits{Simulations: 100, Depth: 3, Nodes: 1000, Time: time.Second, Threads: 2}
	for text, want := range map[string]string{
		"random": "", "greedy": "", "mcts:100": "", "alphabeta:3": "", "solver:1000": "", "policy:a": "", "net:a": "", "net:a,time=1s,sims=100": "",
		"net:a,solve=1000": "", "policy:a,solve=0": "", "net:a,threads=2": "",
		"net:a,threads=3":         "1 to 2 threads",
		"mcts:101":                "it needs 1 to 100 simulations",
		"mcts:many":               "it needs 1 to 100 simulations",
		"net:a,sims=101":          "it needs 1 to 100 simulations",
		"net:a,time=1s":           "such as sims=100,time=1s",
		"net:a,time=1s,sims=101":  "1 to 100 ",
		"net:a,time=1.1s,sims=10": "up to 1s",
		"alphabeta:4":             "1 to 3 plies",
		"solver:1001":             "1 to 1000 nodes",
		"policy:a,solve=1001":     "1 to 1000 nodes",
	} {
		_, err := ParseWithin(text, limits)
		if (err == nil) != (want == "") || err != nil && (!errors.Is(err, ErrSpec) || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: error %v; want one that says %q", text, err, want)
		}
	}
}

// ForPeople gives a solver to agents with a network that do not say solve= or elo= themselves, and all cores to those
// with a time limit that do not say threads=; solve=0 has no solver and no table.
func TestForPeople(t *testing.T) {
	for text, want := range map[string]string{
		"net:a": "net:a,solve=500000", "policy:a,temp=1": "policy:a,temp=1,solve=500000", "net:a,solve=5": "net:a,solve=5",
		"net:a,solve=0": "net:a,solve=0", "net:a,elo=9": "net:a,elo=9", "mcts:3": "mcts:3", "solver:8": "solver:8",
		"net:a,time=1s":           "net:a,time=1s,solve=500000",
		"net:a,time=1s,threads=1": "net:a,time=1s,solve=500000,threads=1", "net:a,threads=3": "net:a,solve=500000,threads=3",
	} {
		f, err := ParseFactory(quad(), text, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := f.ForPeople(); got.String() != want {
			t.Errorf("%s for people is %v; want %s", text, got, want)
		}
	}
	none, off, on := Spec{Kind: Net}, Spec{Kind: Net, Nodes: NoSolver}, Spec{Kind: Net, Nodes: 1 << 20}
	if none.MemoryBytes() != off.MemoryBytes() || on.MemoryBytes() != none.MemoryBytes()+16<<20 {
		t.Errorf("memory %d without, %d with solve=0, %d with a solver", none.MemoryBytes(), off.MemoryBytes(), on.MemoryBytes())
	}
}

func TestStochastic(t *testing.T) {
	for text, want := range map[string]bool{
		"random": true, "greedy": true, "mcts:20": true, "alphabeta:2": true, "solver:100": true, "net:x": false, "net:x,sims=3,search=puct": false,
		"net:x,time=1s": true, "net:x,temp=1": true, "policy:x": false, "policy:x,temp=0.5": true,
	} {
		if spec, err := Parse(text); err != nil || spec.Stochastic() != want {
			t.Errorf("%s: %v, %v", text, spec.Stochastic(), err)
		}
	}
}

// Parse accepts or rejects any text, and parses the text of an accepted spec to an equivalent one.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"random", "mcts:200", "net:a,b@best,sims=8,time=1s,search=puct,temp=1,threads=2", "policy:@,temp=,", "net:,,="} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		spec, err := Parse(text)
		if err != nil {
			if !errors.Is(err, ErrSpec) {
				t.Errorf("error %v", err)
			}
			return
		}
		if spec.Simulations < 0 || spec.Simulations > MaxSimulations || spec.Time < 0 || !(spec.Temperature >= 0) {
			t.Errorf("%+v", spec)
		}
		if again, err := Parse(spec.String()); err != nil || again != spec && spec.Simulations != DefaultSimulations {
			t.Errorf("%q parses again as %+v, %v", spec.String(), again, err)
		}
	})
}
