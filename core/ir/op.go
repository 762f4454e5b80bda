package ir

// Op is an operation of the IR.
type Op uint8

// The operations; see OpInfo for their shapes.
const (
	OpConst Op = iota // Imm: the bits of each lane
	OpUndef           // a lane that no path wrote; reads as zero
	OpParam           // block parameter
	OpInput           // stage input; Imm[0]: index into Inputs; one lane per component of its mask, lowest first

	OpFAdd         // a + b
	OpFMul         // a * b
	OpFMad         // a * b + c
	OpFDiv         // a / b
	OpFMin         // the smaller; a NaN operand loses
	OpFMax         // the larger; a NaN operand loses
	OpFNeg         // sign flipped
	OpFAbs         // sign cleared
	OpFSat         // clamped to 0..1, NaN gives 0
	OpFFract       // a - floor(a)
	OpFFloor       // round_ni
	OpFCeil        // round_pi
	OpFTrunc       // round_z
	OpFRound       // round_ne
	OpFExp2        // 2 to the a
	OpFLog2        // base-2 logarithm
	OpFSqrt        // square root
	OpFRsq         // 1 / sqrt(a)
	OpFRcp         // 1 / a
	OpFSin         // sine
	OpFCos         // cosine
	OpDot          // dot product of operands of 2 to 4 lanes; one lane
	OpDerivX       // d/dx, coarse or fine
	OpDerivY       // d/dy, coarse or fine
	OpDerivXCoarse // d/dx of the quad
	OpDerivYCoarse // d/dy of the quad
	OpDerivXFine   // d/dx of the row
	OpDerivYFine   // d/dy of the column

	OpFEq    // a == b, false for NaN
	OpFNe    // a != b, true for NaN
	OpFLt    // a < b, false for NaN
	OpFGe    // a >= b, false for NaN
	OpIEq    // a == b
	OpINe    // a != b
	OpILt    // signed a < b
	OpIGe    // signed a >= b
	OpULt    // unsigned a < b
	OpUGe    // unsigned a >= b
	OpTestNZ // any bit set

	OpIAdd        // wrapping a + b
	OpISub        // wrapping a - b
	OpINeg        // two's complement
	OpIMul        // low 32 bits of a * b
	OpIMad        // low 32 bits of a * b + c
	OpIMulHi      // high 32 bits of the signed product
	OpUMulHi      // high 32 bits of the unsigned product
	OpIMin        // signed minimum
	OpIMax        // signed maximum
	OpUMin        // unsigned minimum
	OpUMax        // unsigned maximum
	OpUDiv        // quotient; all ones for a zero divisor
	OpUMod        // remainder; all ones for a zero divisor
	OpUAddCarry   // 1 where a + b carries, else 0
	OpUSubBorrow  // 1 where a - b borrows, else 0
	OpAnd         // bitwise and
	OpOr          // bitwise or
	OpXor         // bitwise exclusive or
	OpNot         // bitwise complement
	OpShl         // a << (b & 31)
	OpIShr        // arithmetic a >> (b & 31)
	OpUShr        // logical a >> (b & 31)
	OpUBfe        // width a, offset b, source c; the low 5 bits of a and b count
	OpIBfe        // the same with sign extension
	OpBfi         // width a, offset b: c inserted into d
	OpBitReverse  // bits in reverse order
	OpCountBits   // set bits
	OpFirstBitHi  // distance of the highest set bit from bit 31; all ones if none
	OpFirstBitLo  // index of the lowest set bit; all ones if none
	OpFirstBitSHi // distance from bit 31 of the highest bit that differs from the sign; all ones if none
	OpMsad        // masked sum of absolute byte differences: reference a, source b, accumulator c

	OpSelect   // a ? b : c
	OpFToI     // truncated, saturated, NaN gives 0
	OpFToU     // truncated, saturated, NaN gives 0
	OpIToF     // nearest even
	OpUToF     // nearest even
	OpF32ToF16 // half bits in the low word, rounded toward zero
	OpF16ToF32 // from the low word, exact

	OpDAdd // a + b
	OpDMul // a * b
	OpDFma // fused a * b + c
	OpDDiv // a / b
	OpDRcp // 1 / a
	OpDMin // the smaller
	OpDMax // the larger
	OpDNeg // sign flipped
	OpDAbs // sign cleared
	OpDEq  // one lane per double
	OpDNe  // one lane per double
	OpDLt  // one lane per double
	OpDGe  // one lane per double
	OpDToF // one lane per double
	OpDToI // one lane per double
	OpDToU // one lane per double
	OpFToD // two lanes per lane
	OpIToD // two lanes per lane
	OpUToD // two lanes per lane

	OpCBLoad     // row of a constant buffer, 4 lanes: row Imm[0] plus operand 0 (no lanes: Imm[0] alone); operand 1 (may have no lanes) selects the register of a range, relative to Imm[1]
	OpICBLoad    // row of the immediate constant buffer, 4 lanes; zero outside
	OpArrayLoad  // element of Arrays[Res]: Imm[0] plus operand 0 (may have no lanes); one lane per component
	OpArrayStore // operand 0 as above; operand 1 goes to the components of Imm[1], lowest first

	OpSample          // operand 0 coordinates; operand 1: minimum LOD clamp, or no lanes
	OpSampleBias      // coordinates, bias, clamp
	OpSampleLevel     // coordinates, level
	OpSampleGrad      // coordinates, d/dx, d/dy, clamp
	OpSampleCmp       // coordinates, reference, clamp; one lane
	OpSampleCmpZero   // coordinates, reference, at level 0; one lane
	OpGather          // coordinates; Imm[0]: component
	OpGatherCmp       // coordinates, reference
	OpGatherOffset    // coordinates, offset of two lanes; Imm[0]: component
	OpGatherOffsetCmp // coordinates, offset, reference
	OpSampleLod       // coordinates; two lanes: clamped and unclamped level
	OpLoad            // texel coordinates (with slice), level (no lanes for buffers)
	OpLoadMS          // texel coordinates (with slice), sample index
	OpResInfo         // level; four lanes: width, height or layers, depth or layers, levels; Imm[0]: 0 float, 1 reciprocal, 2 uint
	OpBufInfo         // elements, or bytes of a raw buffer
	OpSampleInfo      // sample count; Res -1: of the render target
	OpSamplePos       // two lanes; Res -1: of the render target
	OpEvalSnapped     // input Imm[0] at an offset in sixteenths of a pixel
	OpEvalSample      // input Imm[0] at a sample
	OpEvalCentroid    // input Imm[0] at the centroid

	OpLoadStructured  // element, byte offset; Imm: word of each lane behind the offset
	OpLoadRaw         // byte address; Imm: word of each lane behind the address
	OpLoadTyped       // UAV texel at coordinates
	OpStoreStructured // element, byte offset, words
	OpStoreRaw        // byte address, words
	OpStoreTyped      // coordinates, texel of four lanes
	OpAtomic          // address (raw: byte; structured: element, byte offset; typed: coordinates), value, compare value (no lanes unless Imm[0] is AtomicCmpExch); N is 0 where the old value is not returned; Imm[0]: an AtomicOp
	OpCounterInc      // imm_atomic_alloc: the old count
	OpCounterDec      // imm_atomic_consume: the new count
	OpBarrier         // Imm[0]: dxbc.Sync flags
	OpGroupAny        // whether operand 0 holds for any invocation of the group: a barrier, and uniform
	OpDiscard         // operand 0, one lane: when to discard

	numOps
)

// OpFlags are facts about an operation.
type OpFlags uint8

// The flags.
const (
	FlagLanewise   OpFlags = 1 << iota // lane k of the result depends on lane k of each operand alone
	FlagCommutes                       // operands 0 and 1 may be exchanged
	FlagDerivative                     // compares with neighbouring invocations: stays in its region
	FlagDouble                         // works on pairs of lanes
	FlagReads                          // reads memory that a FlagEffect operation may change
	FlagEffect                         // changes memory or control: keeps its place, never removed
	FlagTexture                        // reads a resource that the program cannot write
)

// OpInfo is the shape of an operation. Args has one letter per operand, Result
// one letter or zero: f f32, i i32, u u32, b bool, n i32 or u32 alike,
// m bool or an integer alike (all operands and the result have one kind),
// x any kind, the result's, w raw bits, r the declared type of the resource,
// input or output.
type OpInfo struct {
	Name   string
	Args   string
	Result byte
	Flags  OpFlags
	Doc    string
}

// Info returns the shape of op.
func (op Op) Info() *OpInfo { return &opTable[op] }

// arity is the number of operands.
func (op Op) arity() int { return len(opTable[op].Args) }

// String returns the operation's name.
func (op Op) String() string { return opTable[op].Name }

// Is reports whether op has all of flags.
func (op Op) Is(flags OpFlags) bool { return opTable[op].Flags&flags == flags }

// AtomicOp is the operation of an OpAtomic, in Imm[0].
type AtomicOp uint32

// The atomic operations.
const (
	AtomicAnd AtomicOp = iota
	AtomicOr
	AtomicXor
	AtomicAdd
	AtomicIMax
	AtomicIMin
	AtomicUMax
	AtomicUMin
	AtomicExch
	AtomicCmpExch
)

var opTable = [numOps]OpInfo{
	OpConst:           {Name: "Const", Result: 'w', Doc: "Imm: the bits of each lane"},
	OpUndef:           {Name: "Undef", Result: 'w', Doc: "a lane that no path wrote; reads as zero"},
	OpParam:           {Name: "Param", Result: 'w', Doc: "block parameter"},
	OpInput:           {Name: "Input", Result: 'r', Doc: "stage input; Imm[0]: index into Inputs; one lane per component of its mask, lowest first"},
	OpFAdd:            {Name: "FAdd", Args: "ff", Result: 'f', Flags: FlagLanewise | FlagCommutes, Doc: "a + b"},
	OpFMul:            {Name: "FMul", Args: "ff", Result: 'f', Flags: FlagLanewise | FlagCommutes, Doc: "a * b"},
	OpFMad:            {Name: "FMad", Args: "fff", Result: 'f', Flags: FlagLanewise, Doc: "a * b + c"},
	OpFDiv:            {Name: "FDiv", Args: "ff", Result: 'f', Flags: FlagLanewise, Doc: "a / b"},
	OpFMin:            {Name: "FMin", Args: "ff", Result: 'f', Flags: FlagLanewise | FlagCommutes, Doc: "the smaller; a NaN operand loses"},
	OpFMax:            {Name: "FMax", Args: "ff", Result: 'f', Flags: FlagLanewise | FlagCommutes, Doc: "the larger; a NaN operand loses"},
	OpFNeg:            {Name: "FNeg", Args: "f", Result: 'f', Flags: FlagLanewise, Doc: "sign flipped"},
	OpFAbs:            {Name: "FAbs", Args: "f", Result: 'f', Flags: FlagLanewise, Doc: "sign cleared"},
	OpFSat:            {Name: "FSat", Args: "f", Result: 'f', Flags: FlagLanewise, Doc: "clamped to 0..1, NaN gives 0"},
	OpFFract:          {Name: "FFract", Args: "f", Result: 'f', Flags: FlagLanewise, Doc: "a - floor(a)"},
	OpFFloor:          {Name: "FFloor", Args: "f", Result: 'f', Flags: FlagLanewise, Doc: "round_ni"},
	OpFCeil:           {Name: "FCeil", Args: "f", Result: 'f', Flags: FlagLanewise, Doc: "round_pi"},
	OpFTrunc:          {Name: "FTrunc", Args: "f", Result: 'f', Flags: FlagLanewise, Doc: "round_z"},
	OpFRound:          {Name: "FRound", Args: "f", Result: 'f', Flags: FlagLanewise, Doc: "round_ne"},
	OpFExp2:           {Name: "FExp2", Args: "f", Result: 'f', Flags: FlagLanewise, Doc: "2 to the a"},
	OpFLog2:           {Name: "FLog2", Args: "f", Result: 'f', Flags: FlagLanewise, Doc: "base-2 logarithm"},
	OpFSqrt:           {Name: "FSqrt", Args: "f", Result: 'f', Flags: FlagLanewise, Doc: "square root"},
	OpFRsq:            {Name: "FRsq", Args: "f", Result: 'f', Flags: FlagLanewise, Doc: "1 / sqrt(a)"},
	OpFRcp:            {Name: "FRcp", Args: "f", Result: 'f', Flags: FlagLanewise, Doc: "1 / a"},
	OpFSin:            {Name: "FSin", Args: "f", Result: 'f', Flags: FlagLanewise, Doc: "sine"},
	OpFCos:            {Name: "FCos", Args: "f", Result: 'f', Flags: FlagLanewise, Doc: "cosine"},
	OpDot:             {Name: "Dot", Args: "ff", Result: 'f', Doc: "dot product of operands of 2 to 4 lanes; one lane"},
	OpDerivX:          {Name: "DerivX", Args: "f", Result: 'f', Flags: FlagLanewise | FlagDerivative, Doc: "d/dx, coarse or fine"},
	OpDerivY:          {Name: "DerivY", Args: "f", Result: 'f', Flags: FlagLanewise | FlagDerivative, Doc: "d/dy, coarse or fine"},
	OpDerivXCoarse:    {Name: "DerivXCoarse", Args: "f", Result: 'f', Flags: FlagLanewise | FlagDerivative, Doc: "d/dx of the quad"},
	OpDerivYCoarse:    {Name: "DerivYCoarse", Args: "f", Result: 'f', Flags: FlagLanewise | FlagDerivative, Doc: "d/dy of the quad"},
	OpDerivXFine:      {Name: "DerivXFine", Args: "f", Result: 'f', Flags: FlagLanewise | FlagDerivative, Doc: "d/dx of the row"},
	OpDerivYFine:      {Name: "DerivYFine", Args: "f", Result: 'f', Flags: FlagLanewise | FlagDerivative, Doc: "d/dy of the column"},
	OpFEq:             {Name: "FEq", Args: "ff", Result: 'b', Flags: FlagLanewise | FlagCommutes, Doc: "a == b, false for NaN"},
	OpFNe:             {Name: "FNe", Args: "ff", Result: 'b', Flags: FlagLanewise | FlagCommutes, Doc: "a != b, true for NaN"},
	OpFLt:             {Name: "FLt", Args: "ff", Result: 'b', Flags: FlagLanewise, Doc: "a < b, false for NaN"},
	OpFGe:             {Name: "FGe", Args: "ff", Result: 'b', Flags: FlagLanewise, Doc: "a >= b, false for NaN"},
	OpIEq:             {Name: "IEq", Args: "nn", Result: 'b', Flags: FlagLanewise | FlagCommutes, Doc: "a == b"},
	OpINe:             {Name: "INe", Args: "nn", Result: 'b', Flags: FlagLanewise | FlagCommutes, Doc: "a != b"},
	OpILt:             {Name: "ILt", Args: "ii", Result: 'b', Flags: FlagLanewise, Doc: "signed a < b"},
	OpIGe:             {Name: "IGe", Args: "ii", Result: 'b', Flags: FlagLanewise, Doc: "signed a >= b"},
	OpULt:             {Name: "ULt", Args: "uu", Result: 'b', Flags: FlagLanewise, Doc: "unsigned a < b"},
	OpUGe:             {Name: "UGe", Args: "uu", Result: 'b', Flags: FlagLanewise, Doc: "unsigned a >= b"},
	OpTestNZ:          {Name: "TestNZ", Args: "w", Result: 'b', Flags: FlagLanewise, Doc: "any bit set"},
	OpIAdd:            {Name: "IAdd", Args: "nn", Result: 'n', Flags: FlagLanewise | FlagCommutes, Doc: "wrapping a + b"},
	OpISub:            {Name: "ISub", Args: "nn", Result: 'n', Flags: FlagLanewise, Doc: "wrapping a - b"},
	OpINeg:            {Name: "INeg", Args: "n", Result: 'n', Flags: FlagLanewise, Doc: "two's complement"},
	OpIMul:            {Name: "IMul", Args: "nn", Result: 'n', Flags: FlagLanewise | FlagCommutes, Doc: "low 32 bits of a * b"},
	OpIMad:            {Name: "IMad", Args: "nnn", Result: 'n', Flags: FlagLanewise, Doc: "low 32 bits of a * b + c"},
	OpIMulHi:          {Name: "IMulHi", Args: "ii", Result: 'i', Flags: FlagLanewise | FlagCommutes, Doc: "high 32 bits of the signed product"},
	OpUMulHi:          {Name: "UMulHi", Args: "uu", Result: 'u', Flags: FlagLanewise | FlagCommutes, Doc: "high 32 bits of the unsigned product"},
	OpIMin:            {Name: "IMin", Args: "ii", Result: 'i', Flags: FlagLanewise | FlagCommutes, Doc: "signed minimum"},
	OpIMax:            {Name: "IMax", Args: "ii", Result: 'i', Flags: FlagLanewise | FlagCommutes, Doc: "signed maximum"},
	OpUMin:            {Name: "UMin", Args: "uu", Result: 'u', Flags: FlagLanewise | FlagCommutes, Doc: "unsigned minimum"},
	OpUMax:            {Name: "UMax", Args: "uu", Result: 'u', Flags: FlagLanewise | FlagCommutes, Doc: "unsigned maximum"},
	OpUDiv:            {Name: "UDiv", Args: "uu", Result: 'u', Flags: FlagLanewise, Doc: "quotient; all ones for a zero divisor"},
	OpUMod:            {Name: "UMod", Args: "uu", Result: 'u', Flags: FlagLanewise, Doc: "remainder; all ones for a zero divisor"},
	OpUAddCarry:       {Name: "UAddCarry", Args: "uu", Result: 'u', Flags: FlagLanewise | FlagCommutes, Doc: "1 where a + b carries, else 0"},
	OpUSubBorrow:      {Name: "USubBorrow", Args: "uu", Result: 'u', Flags: FlagLanewise, Doc: "1 where a - b borrows, else 0"},
	OpAnd:             {Name: "And", Args: "mm", Result: 'm', Flags: FlagLanewise | FlagCommutes, Doc: "bitwise and"},
	OpOr:              {Name: "Or", Args: "mm", Result: 'm', Flags: FlagLanewise | FlagCommutes, Doc: "bitwise or"},
	OpXor:             {Name: "Xor", Args: "mm", Result: 'm', Flags: FlagLanewise | FlagCommutes, Doc: "bitwise exclusive or"},
	OpNot:             {Name: "Not", Args: "m", Result: 'm', Flags: FlagLanewise, Doc: "bitwise complement"},
	OpShl:             {Name: "Shl", Args: "nu", Result: 'n', Flags: FlagLanewise, Doc: "a << (b & 31)"},
	OpIShr:            {Name: "IShr", Args: "iu", Result: 'i', Flags: FlagLanewise, Doc: "arithmetic a >> (b & 31)"},
	OpUShr:            {Name: "UShr", Args: "uu", Result: 'u', Flags: FlagLanewise, Doc: "logical a >> (b & 31)"},
	OpUBfe:            {Name: "UBfe", Args: "uuu", Result: 'u', Flags: FlagLanewise, Doc: "width a, offset b, source c; the low 5 bits of a and b count"},
	OpIBfe:            {Name: "IBfe", Args: "uui", Result: 'i', Flags: FlagLanewise, Doc: "the same with sign extension"},
	OpBfi:             {Name: "Bfi", Args: "uunn", Result: 'n', Flags: FlagLanewise, Doc: "width a, offset b: c inserted into d"},
	OpBitReverse:      {Name: "BitReverse", Args: "n", Result: 'n', Flags: FlagLanewise, Doc: "bits in reverse order"},
	OpCountBits:       {Name: "CountBits", Args: "n", Result: 'u', Flags: FlagLanewise, Doc: "set bits"},
	OpFirstBitHi:      {Name: "FirstBitHi", Args: "u", Result: 'u', Flags: FlagLanewise, Doc: "distance of the highest set bit from bit 31; all ones if none"},
	OpFirstBitLo:      {Name: "FirstBitLo", Args: "u", Result: 'u', Flags: FlagLanewise, Doc: "index of the lowest set bit; all ones if none"},
	OpFirstBitSHi:     {Name: "FirstBitSHi", Args: "i", Result: 'u', Flags: FlagLanewise, Doc: "distance from bit 31 of the highest bit that differs from the sign; all ones if none"},
	OpMsad:            {Name: "Msad", Args: "uuu", Result: 'u', Flags: FlagLanewise, Doc: "masked sum of absolute byte differences: reference a, source b, accumulator c"},
	OpSelect:          {Name: "Select", Args: "bxx", Result: 'x', Flags: FlagLanewise, Doc: "a ? b : c"},
	OpFToI:            {Name: "FToI", Args: "f", Result: 'i', Flags: FlagLanewise, Doc: "truncated, saturated, NaN gives 0"},
	OpFToU:            {Name: "FToU", Args: "f", Result: 'u', Flags: FlagLanewise, Doc: "truncated, saturated, NaN gives 0"},
	OpIToF:            {Name: "IToF", Args: "i", Result: 'f', Flags: FlagLanewise, Doc: "nearest even"},
	OpUToF:            {Name: "UToF", Args: "u", Result: 'f', Flags: FlagLanewise, Doc: "nearest even"},
	OpF32ToF16:        {Name: "F32ToF16", Args: "f", Result: 'u', Flags: FlagLanewise, Doc: "half bits in the low word, rounded toward zero"},
	OpF16ToF32:        {Name: "F16ToF32", Args: "u", Result: 'f', Flags: FlagLanewise, Doc: "from the low word, exact"},
	OpDAdd:            {Name: "DAdd", Args: "ww", Result: 'w', Flags: FlagDouble | FlagCommutes, Doc: "a + b"},
	OpDMul:            {Name: "DMul", Args: "ww", Result: 'w', Flags: FlagDouble | FlagCommutes, Doc: "a * b"},
	OpDFma:            {Name: "DFma", Args: "www", Result: 'w', Flags: FlagDouble, Doc: "fused a * b + c"},
	OpDDiv:            {Name: "DDiv", Args: "ww", Result: 'w', Flags: FlagDouble, Doc: "a / b"},
	OpDRcp:            {Name: "DRcp", Args: "w", Result: 'w', Flags: FlagDouble, Doc: "1 / a"},
	OpDMin:            {Name: "DMin", Args: "ww", Result: 'w', Flags: FlagDouble | FlagCommutes, Doc: "the smaller"},
	OpDMax:            {Name: "DMax", Args: "ww", Result: 'w', Flags: FlagDouble | FlagCommutes, Doc: "the larger"},
	OpDNeg:            {Name: "DNeg", Args: "w", Result: 'w', Flags: FlagDouble, Doc: "sign flipped"},
	OpDAbs:            {Name: "DAbs", Args: "w", Result: 'w', Flags: FlagDouble, Doc: "sign cleared"},
	OpDEq:             {Name: "DEq", Args: "ww", Result: 'b', Flags: FlagDouble | FlagCommutes, Doc: "one lane per double"},
	OpDNe:             {Name: "DNe", Args: "ww", Result: 'b', Flags: FlagDouble | FlagCommutes, Doc: "one lane per double"},
	OpDLt:             {Name: "DLt", Args: "ww", Result: 'b', Flags: FlagDouble, Doc: "one lane per double"},
	OpDGe:             {Name: "DGe", Args: "ww", Result: 'b', Flags: FlagDouble, Doc: "one lane per double"},
	OpDToF:            {Name: "DToF", Args: "w", Result: 'f', Flags: FlagDouble, Doc: "one lane per double"},
	OpDToI:            {Name: "DToI", Args: "w", Result: 'i', Flags: FlagDouble, Doc: "one lane per double"},
	OpDToU:            {Name: "DToU", Args: "w", Result: 'u', Flags: FlagDouble, Doc: "one lane per double"},
	OpFToD:            {Name: "FToD", Args: "f", Result: 'w', Flags: FlagDouble, Doc: "two lanes per lane"},
	OpIToD:            {Name: "IToD", Args: "i", Result: 'w', Flags: FlagDouble, Doc: "two lanes per lane"},
	OpUToD:            {Name: "UToD", Args: "u", Result: 'w', Flags: FlagDouble, Doc: "two lanes per lane"},
	OpCBLoad:          {Name: "CBLoad", Args: "uu", Result: 'w', Doc: "row of a constant buffer, 4 lanes: row Imm[0] plus operand 0 (no lanes: Imm[0] alone); operand 1 (may have no lanes) selects the register of a range, relative to Imm[1]"},
	OpICBLoad:         {Name: "ICBLoad", Args: "u", Result: 'w', Doc: "row of the immediate constant buffer, 4 lanes; zero outside"},
	OpArrayLoad:       {Name: "ArrayLoad", Args: "u", Result: 'w', Flags: FlagReads, Doc: "element of Arrays[Res]: Imm[0] plus operand 0 (may have no lanes); one lane per component"},
	OpArrayStore:      {Name: "ArrayStore", Args: "uw", Flags: FlagEffect, Doc: "operand 0 as above; operand 1 goes to the components of Imm[1], lowest first"},
	OpSample:          {Name: "Sample", Args: "ff", Result: 'r', Flags: FlagDerivative | FlagTexture, Doc: "operand 0 coordinates; operand 1: minimum LOD clamp, or no lanes"},
	OpSampleBias:      {Name: "SampleBias", Args: "fff", Result: 'r', Flags: FlagDerivative | FlagTexture, Doc: "coordinates, bias, clamp"},
	OpSampleLevel:     {Name: "SampleLevel", Args: "ff", Result: 'r', Flags: FlagTexture, Doc: "coordinates, level"},
	OpSampleGrad:      {Name: "SampleGrad", Args: "ffff", Result: 'r', Flags: FlagTexture, Doc: "coordinates, d/dx, d/dy, clamp"},
	OpSampleCmp:       {Name: "SampleCmp", Args: "fff", Result: 'f', Flags: FlagDerivative | FlagTexture, Doc: "coordinates, reference, clamp; one lane"},
	OpSampleCmpZero:   {Name: "SampleCmpZero", Args: "ff", Result: 'f', Flags: FlagTexture, Doc: "coordinates, reference, at level 0; one lane"},
	OpGather:          {Name: "Gather", Args: "f", Result: 'r', Flags: FlagTexture, Doc: "coordinates; Imm[0]: component"},
	OpGatherCmp:       {Name: "GatherCmp", Args: "ff", Result: 'f', Flags: FlagTexture, Doc: "coordinates, reference"},
	OpGatherOffset:    {Name: "GatherOffset", Args: "fi", Result: 'r', Flags: FlagTexture, Doc: "coordinates, offset of two lanes; Imm[0]: component"},
	OpGatherOffsetCmp: {Name: "GatherOffsetCmp", Args: "fif", Result: 'f', Flags: FlagTexture, Doc: "coordinates, offset, reference"},
	OpSampleLod:       {Name: "SampleLod", Args: "f", Result: 'f', Flags: FlagDerivative | FlagTexture, Doc: "coordinates; two lanes: clamped and unclamped level"},
	OpLoad:            {Name: "Load", Args: "ii", Result: 'r', Flags: FlagTexture, Doc: "texel coordinates (with slice), level (no lanes for buffers)"},
	OpLoadMS:          {Name: "LoadMS", Args: "ii", Result: 'r', Flags: FlagTexture, Doc: "texel coordinates (with slice), sample index"},
	OpResInfo:         {Name: "ResInfo", Args: "u", Result: 'r', Flags: FlagTexture, Doc: "level; four lanes: width, height or layers, depth or layers, levels; Imm[0]: 0 float, 1 reciprocal, 2 uint"},
	OpBufInfo:         {Name: "BufInfo", Result: 'u', Flags: FlagTexture, Doc: "elements, or bytes of a raw buffer"},
	OpSampleInfo:      {Name: "SampleInfo", Result: 'u', Flags: FlagTexture, Doc: "sample count; Res -1: of the render target"},
	OpSamplePos:       {Name: "SamplePos", Args: "i", Result: 'f', Flags: FlagTexture, Doc: "two lanes; Res -1: of the render target"},
	OpEvalSnapped:     {Name: "EvalSnapped", Args: "i", Result: 'f', Flags: FlagDerivative, Doc: "input Imm[0] at an offset in sixteenths of a pixel"},
	OpEvalSample:      {Name: "EvalSample", Args: "i", Result: 'f', Doc: "input Imm[0] at a sample"},
	OpEvalCentroid:    {Name: "EvalCentroid", Result: 'f', Doc: "input Imm[0] at the centroid"},
	OpLoadStructured:  {Name: "LoadStructured", Args: "uu", Result: 'w', Flags: FlagReads, Doc: "element, byte offset; Imm: word of each lane behind the offset"},
	OpLoadRaw:         {Name: "LoadRaw", Args: "u", Result: 'w', Flags: FlagReads, Doc: "byte address; Imm: word of each lane behind the address"},
	OpLoadTyped:       {Name: "LoadTyped", Args: "i", Result: 'r', Flags: FlagReads, Doc: "UAV texel at coordinates"},
	OpStoreStructured: {Name: "StoreStructured", Args: "uuw", Flags: FlagEffect, Doc: "element, byte offset, words"},
	OpStoreRaw:        {Name: "StoreRaw", Args: "uw", Flags: FlagEffect, Doc: "byte address, words"},
	OpStoreTyped:      {Name: "StoreTyped", Args: "ir", Flags: FlagEffect, Doc: "coordinates, texel of four lanes"},
	OpAtomic:          {Name: "Atomic", Args: "uww", Result: 'w', Flags: FlagEffect, Doc: "address (raw: byte; structured: element, byte offset; typed: coordinates), value, compare value (no lanes unless Imm[0] is AtomicCmpExch); N is 0 where the old value is not returned; Imm[0]: an AtomicOp"},
	OpCounterInc:      {Name: "CounterInc", Result: 'u', Flags: FlagEffect, Doc: "imm_atomic_alloc: the old count"},
	OpCounterDec:      {Name: "CounterDec", Result: 'u', Flags: FlagEffect, Doc: "imm_atomic_consume: the new count"},
	OpBarrier:         {Name: "Barrier", Flags: FlagEffect, Doc: "Imm[0]: dxbc.Sync flags"},
	OpGroupAny:        {Name: "GroupAny", Args: "b", Result: 'b', Flags: FlagEffect, Doc: "whether operand 0 holds for any invocation of the group: a barrier, and uniform"},
	OpDiscard:         {Name: "Discard", Args: "b", Flags: FlagEffect, Doc: "operand 0, one lane: when to discard"},
}
