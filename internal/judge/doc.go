// Package judge asks outside judges about the WGSL that fxlens emits: Google's
// Dawn validates modules and forms pipelines ([Dawn], [Check]), and executes
// them on a software Vulkan driver ([Run]). It is for tests only.
//
// The judges are node scripts under testdata/tools, installed from a pinned
// lock file by scripts/setup. A missing judge fails the test with the remedy: a
// gate that skips itself is no gate. For quick local runs FXLENS_NO_DAWN=1 skips
// on purpose; CI never sets it.
package judge
