package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"ludus/model/infer/kernel"
)

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version, the commit and the kernels for this machine",
		Example: "  ludus version",
		Args:    arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			version, commit := build()
			fmt.Fprintf(cmd.OutOrStdout(), "ludus    %s\ncommit   %s\nbuilt    %s for %s/%s\nkernels  %s\n",
				version, commit, runtime.Version(), runtime.GOOS, runtime.GOARCH, kernel.InstructionSet())
			return nil
		},
	}
}

// build reads the version and the commit from the build info.
func build() (version, commit string) {
	version, commit = "unknown", "unknown"
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return version, commit
	}
	version = cmp.Or(info.Main.Version, version)
	for _, s := range info.Settings { // the revision precedes vcs.modified
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value
		case s.Key == "vcs.time":
			commit += " of " + s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			commit += ", with changes"
		}
	}
	return version, commit
}
