// Package report turns a run directory into a page: charts, a rating ladder, sample games and settings. [Write] writes
// it as report.html, one file that loads nothing from elsewhere.
//
// [ReadRun] reads a run, finished or in training, without its lock. [Sections] makes charts of one run, or of several
// side by side. [Page] holds everything a page shows; ludus report, ludus compare and ludus serve all draw it with
// static's runview.js.
//
// Charts of long runs are thinned: each point is then the mean of several generations.
package report
