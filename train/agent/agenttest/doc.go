// Package agenttest has agents for tests: any by its spec, with random networks, and one that stands for an outside
// program. Only tests import it.
package agenttest
