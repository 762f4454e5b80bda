package wgsl

import "fxlens/core/ir"

// The constructors of expressions, for tests: each in memory of its own.

func ident(name string, r Role, t typ) *expr       { return new(exprs).ident(name, r, t) }
func litU(v uint32) *expr                          { return new(exprs).litU(v) }
func litI(v int32) *expr                           { return new(exprs).litI(v) }
func litF(v float32) *expr                         { return new(exprs).litF(v) }
func call(name string, t typ, args ...*expr) *expr { return new(exprs).call(name, t, args...) }
func construct(t typ, args ...*expr) *expr         { return new(exprs).construct(t, args...) }
func splat(x *expr, n int) *expr                   { return new(exprs).splat(x, n) }
func unary(op string, t typ, a *expr) *expr        { return new(exprs).unary(op, t, a) }
func binary(op string, t typ, a, b *expr) *expr    { return new(exprs).binary(op, t, a, b) }
func swizzle(x *expr, lanes []uint8) *expr         { return new(exprs).swizzle(x, lanes) }
func lane(x *expr, l int) *expr                    { return new(exprs).lane(x, l) }
func numeric(x *expr, k ir.Kind) *expr             { return new(exprs).numeric(x, k) }
