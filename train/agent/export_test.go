package agent

// SetGumbelLeaves changes how many leaves of a Gumbel search may be pending at once, for TestGumbelLeaves.
func (f *Factory) SetGumbelLeaves(n int) { f.gumbelLeaves = n }
