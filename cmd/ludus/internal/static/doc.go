// Package static holds the files that browsers load: plain JavaScript modules and style sheets without a build step,
// HTML pages, and the library uPlot with its licence.
//
// A server serves [Files] as they are: each page loads its main module, which imports the others. A page that is one
// file contains the modules joined by [Inline] and the style sheets joined by [Styles], and allows them in its
// Content-Security-Policy by [Hash]. Inline joins modules by removing lines, so they follow rules that a test checks:
//
//   - an import is one line without renaming: import { a, b } from "./x.js";
//   - export precedes a declaration, and there is no default export;
//   - no two modules of one page declare the same top-level name.
//
// The first line of each module says what it does.
package static
