// Package report shows what a run has come to: one page for the browser, report.html, and the same plots as SVG files.
//
// [ReadRun] reads a run's folder without its lock, as it is: what is missing or damaged is told, not fatal. [Sections]
// makes charts of one run or of several side by side; [Page] is what a page shows, and holds no more than these parts, so
// that other commands can put them together in another way. The page is one file with everything in it: it asks the
// network for nothing, and its security policy forbids it to.
//
// A long run is thinned for the eye: a line has at most maxPoints points, each the mean of as many generations.
package report
