// Package interp executes Direct3D 11 programs on the CPU: the reference that
// everything we emit is compared with, and the engine of the step debugger.
//
// [Compile] turns a decoded program into a form that runs fast; a [Program] is
// immutable and safe for concurrent use. [Dispatch] runs a compute program over
// its groups, [Program.Run] one batch of vertices or of 2x2 quads of pixels, and
// [Rasterize] whole draws. [CompileFunction] does the same for the intermediate form.
// Hull, domain and geometry programs, which WebGPU does not have, run for the sake of
// such draws: [Hull], [Domain], [Geometry].
//
// # Execution model
//
// The invocations of a batch run in lock step, one instruction at a time, under a
// mask that follows the structured control flow. Every memory operation goes
// through the invocations in the order of their numbers, so atomics, counters and
// races have one outcome. A group barrier has nothing to wait for; what is left of
// it is a check that every invocation of the group takes part in it.
//
// Semantics are those of the Direct3D 11.3 functional specification as the
// semantics column of opcodes.tsv retells it: denormals flushed by arithmetic,
// out-of-range loads zero, out-of-range stores and atomics dropped, shifts by five
// bits, division by zero all ones. Anisotropic filtering is approximated by samples
// along the longer axis of the footprint; [EventAnisotropy] says where.
//
// # What D3D leaves undefined
//
// Reads of registers that no path wrote, races between invocations, barriers that
// not all invocations reach, derivatives in divergent control flow and offsets past
// the end of a structure do not stop a run: each has one deterministic result and is
// reported as an [Event].
//
// # Bounds
//
// A run ends with [ErrSteps], [ErrMemory] or the context's error. Steps count
// instructions times active invocations.
package interp
