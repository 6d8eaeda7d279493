// Package agenttest has an agent for tests that stands for an outside program. Only tests import it.
package agenttest
