// Package seed derives independent random streams from one seed. Every generator of training, matches, suites and
// ratings comes from here, so a result depends on its seed alone: not on threads, on the clock or on what else was
// drawn.
package seed
