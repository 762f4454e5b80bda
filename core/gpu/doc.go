// Package gpu is what a WebGPU implementation is asked and what it answers, as
// data: shader modules with their bindings and the state around them ([Case]), and
// whole executions ([Job]). Who has such an implementation at hand runs them; this
// package does nothing but describe. The fields' names in JSON are those that the
// node scripts of testdata/tools read.
package gpu
