package effect

// BuildUnchecked writes a model without reading it back, to make files that Parse
// must refuse.
var BuildUnchecked = build
