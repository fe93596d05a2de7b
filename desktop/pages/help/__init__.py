"""Help: the five questions with live figures, what words and keys mean, the method, and where everything comes from."""
