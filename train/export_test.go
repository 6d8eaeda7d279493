package train

// Faults are the faults that tests in package train_test set.
var Faults = struct{ IgnoreMask, FlipSign, WrongFrame, BlankInput, SameSeed, SameStart *bool }{
	&faults.ignoreMask, &faults.flipSign, &faults.wrongFrame, &faults.blankInput, &faults.sameSeed, &faults.sameStart,
}
