package train

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ludus/train/rundir"
)

// contents maps the files below dir to their contents.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		all[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// A dry run leaves no folder behind, and its plan is that of the run.
func TestDryRun(t *testing.T) {
	o := tiny(t, filepath.Join(t.TempDir(), "run"), 8)
	p, err := DryRun(t.Context(), o, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(o.Dir); err == nil {
		t.Error("the dry run made a folder")
	}
	positions := 8 * 12 * 3
	samples := int(8 * 0.8 * float64(positions)) // validation_share is 0.2
	if p.Generation != 0 || p.Generations != 8 || p.Positions != positions || p.Samples != samples || p.Seconds <= 0 || p.Parameters == 0 {
		t.Errorf("preview %+v; want %d positions, %d samples", p, positions, samples)
	}

	o.Dir = trained(t, 8)
	if config, err := rundir.ReadConfig(o.Dir); err != nil || config.Plan != p.Config.Plan || config.Settings != p.Config.Settings {
		t.Errorf("the run has %+v, the dry run %+v, error %v", config, p.Config, err)
	}
	before := contents(t, o.Dir)
	if _, err := DryRun(t.Context(), o, 0); err == nil || !strings.Contains(err.Error(), "the run is finished (generation 8 of 8)") {
		t.Errorf("a finished run: %v", err)
	}
	o.Generations = 16
	if p, err = DryRun(t.Context(), o, 0); err != nil {
		t.Fatal(err)
	}
	count := countersOf(t, o.Dir)
	if p.Generation != 8 || p.Generations != 16 || p.Positions != 2*count.Positions || p.Samples != 2*16*count.Steps || p.Games != 2*count.Games {
		t.Errorf("twice as many generations: %+v after %+v", p, count)
	}
	o.Settings["simulations"] = 7
	if _, err := DryRun(t.Context(), o, 0); err == nil || !strings.Contains(err.Error(), "simulations=7 (the run has 6)") {
		t.Errorf("other settings: %v", err)
	}
	after := contents(t, o.Dir)
	for name := range after {
		if before[name] != after[name] || len(before) != len(after) {
			t.Errorf("a dry run changed %s", name)
		}
	}
}
