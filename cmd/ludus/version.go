package main

import (
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
	if info.Main.Version != "" {
		version = info.Main.Version
	}
	settings := make(map[string]string)
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	if revision := settings["vcs.revision"]; revision != "" {
		commit = revision
		if settings["vcs.time"] != "" {
			commit += " of " + settings["vcs.time"]
		}
		if settings["vcs.modified"] == "true" {
			commit += ", with changes"
		}
	}
	return version, commit
}
