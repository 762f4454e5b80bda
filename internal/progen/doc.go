// Package progen makes random compute programs in D3D assembly, typed and
// structured, and shrinks those that fail. It is for tests only.
//
// Every register lane has a type, float or integer, and keeps it, so that values stay
// meaningful and few results depend on NaN; now and then an instruction reads bits as
// the other type. What D3D leaves undefined is avoided by construction: all registers
// are written before anything else, array indices are masked, every thread has its own
// words of memory, barriers stand at the top level only, loops count to a bound.
package progen
