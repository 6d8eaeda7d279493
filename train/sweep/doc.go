// Package sweep trains runs of one game with different settings side by side and compares them.
//
// An arm is a choice of settings. Each arm is trained once per seed, in a run directory of its own. The first arm is the
// baseline: the others are compared with it seed by seed, so that what a seed does to all arms cancels out.
//
// Every run trains in a child process with one thread, so that its CPU time can be measured and a crash costs at most
// one generation. As many runs train at once as there are cores. On Linux each process is pinned to a core, and the
// processes change cores at intervals, so that a slow core favours no arm. The run's own metrics count its CPU time:
// that of generations lost in a crash is left out. On Linux training processes end with the sweep, however it ends;
// elsewhere those of a killed sweep finish their runs.
//
// A sweep directory contains
//
//	sweep.json         what is compared, and the results so far (see [Options] and [Run])
//	ARM+seed=N/        run directories (package rundir)
//	ARM+seed=N.log     what the training process wrote to standard error
//	sweep.lock         held by the sweep (package checkpoints)
//
// The package prints nothing. It knows no command line either: its caller makes the training processes.
package sweep
