// Package browsertest tests every page in a headless Chromium: the pages of ludus serve, reports and exported agents,
// from a local server or from disk. It clicks, types and touches as a person does. A test fails if its page, or a
// worker of the page, writes to the console, throws, or requests anything from another origin.
//
// All tests share one Chromium: chromium-headless-shell, which takes half of the time, or chromium. Each tab has cookies and
// storage of its own.
//
// All files but this one are tests. Environment variables:
//
//	LUDUS_TEST_BROWSER  1 runs all tests and fails without Chromium; 0 runs none; unset runs TestSmoke if there is one
//	LUDUS_SHOTS         folder for screenshots
package browsertest
