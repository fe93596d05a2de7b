"""What turns the frozen program into something to hand over: licences, lists of contents, packages, proofs."""
