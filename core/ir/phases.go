package ir

// PhaseInfo is one step between building and emitting.
type PhaseInfo struct {
	Name string
	Doc  string
	Run  func(*Function)
}

// Phases are the steps in their order. After each, Verify holds.
var Phases = []PhaseInfo{
	{"params", "parameters that always have one value are replaced by it", trivialParams},
	{"straighten", "ifs on constants and loops of one round disappear", straighten},
	{"dead", "what no output needs is removed", deadCode},
	{"simplify", "constants are folded, masks become booleans", simplify},
	{"params2", "parameters again, after folding", trivialParams},
	{"simplify2", "folding again, through what the parameters hid", simplify},
	{"straighten2", "the same, where folding made a condition constant", straighten},
	{"params3", "parameters once more, where arms have gone", trivialParams},
	{"dead2", "what folding left over is removed", deadCode},
	{"choices", "derivatives of what a varying register chooses are taken before the choice", choices},
	{"types", "every value gets one kind", inferKinds},
	{"vectors", "parameters of one register, kind and uniformity become one vector", joinParams},
}
