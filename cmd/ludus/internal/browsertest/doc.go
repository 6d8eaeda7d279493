// Package browsertest opens pages in a headless Chromium for tests: from disk or from a server on this machine, clicked
// by real mouse, touch and key events. A page that complains on its console, or asks anything of another origin than its
// own, fails its test; that holds for the page's workers as well.
//
// Where Chromium is not installed the tests are skipped; with LUDUS_TEST_BROWSER=1 that is a failure, and with
// LUDUS_TEST_BROWSER=0 they are skipped anyway. LUDUS_SHOTS names a folder that is to keep screenshots. Only tests import
// this package.
package browsertest
