package main

import (
	"fmt"
	"os/exec"
	"runtime"

	"github.com/spf13/cobra"
)

// openBrowser opens an address in the system's browser, which keeps running after the command. It prints a warning on
// failure.
func openBrowser(cmd *cobra.Command, address string) {
	words := []string{"xdg-open", address}
	switch runtime.GOOS {
	case "darwin":
		words[0] = "open"
	case "windows":
		words = []string{"rundll32", "url.dll,FileProtocolHandler", address}
	}
	opener := exec.Command(words[0], words[1:]...)
	err := opener.Start()
	if err == nil {
		err = opener.Process.Release()
	}
	if err != nil {
		warn(cmd, fmt.Sprintf("cannot open the browser (%v); open the address yourself", err))
	}
}
