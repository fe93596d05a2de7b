"""How printed figures are predicted from the sizing of a start: `memory.FIGURES` names one function for each."""
