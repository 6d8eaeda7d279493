// Package svg draws static pictures as SVG files: a [Drawing] collects elements of any kind, a [Chart] shows lines with
// axes. Pages show the same charts with uPlot, so charts have a JSON form.
//
// Files have a background of their own and follow the reader's preference of light or dark. Equal pictures give equal bytes.
package svg
