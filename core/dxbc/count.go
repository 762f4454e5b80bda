package dxbc

// Count computes from the program what STAT tells about it. Only words whose
// rule holds for every program of the corpus are known, by their bits; loads and
// stores are counted too, but older compilers counted them by other rules.
// Instruction slots are known, though the compiler's own number is off by one in
// a few programs.
func (p *Program) Count() (s Stat, known uint64) {
	for i := range p.Instrs {
		in := &p.Instrs[i]
		op, row := in.Op, in.Op.row()
		switch {
		case op == OpCustomdata:
			if in.Custom.Class == CustomMessage {
				s.Instructions++
			}
			continue
		case row.Flags&FlagDecl != 0:
			countDecl(in, &s)
			continue
		case op == OpLabel, op >= OpHsDecls && op <= OpHsJoinPhase:
			continue
		}
		s.Instructions++
		memory := RegResource // the file of the memory that a load or store names
		for j := range in.Operands {
			if in.Operands[j].Reg == RegGroupShared {
				memory = RegGroupShared
			}
		}
		switch {
		case row.Flags&FlagAtomic != 0:
			s.Interlocked++
		case row.Flags&FlagBarrier != 0:
			s.Barriers++
		case op == OpStoreRaw, op == OpStoreStructured, op == OpStoreUavTyped:
			if memory != RegGroupShared {
				s.TexStores++
			}
		case row.Flags&FlagLoad != 0, op == OpSampleL, op == OpSampleLS:
			if memory != RegGroupShared {
				s.TexLoad++
			}
		}
		switch op {
		case OpCut, OpCutStream:
			s.Cuts++
		case OpEmit, OpEmitStream:
			s.Emits++
		case OpEmitThenCut, OpEmitThenCutStream:
			s.Cuts++
			s.Emits++
		case OpSample, OpSampleClS:
			s.TexNormal++
		case OpSampleC, OpSampleCLz, OpSampleCLzS, OpSampleCClS:
			s.TexComp++
		case OpSampleB, OpSampleBClS:
			s.TexBias++
		case OpSampleD, OpSampleDClS:
			s.TexGrad++
		case OpMovc:
			s.Movcs++
		case OpGather4, OpGather4Po, OpGather4S, OpGather4PoS, OpGather4CS, OpGather4PoCS:
			s.Unknown26++
		case OpLod:
			s.Unknown27++
		}
	}
	words := []int{0, 1, 10, 12, 13, 14, 16, 17, 18, 26, 27}
	if p.Kind != Hull { // hull programs have these for some phases only
		words = append(words, 3, 20)
	}
	if p.Kind == Geometry {
		words = append(words, 23, 24, 25, 29)
	}
	if p.Kind == Hull || p.Kind == Domain {
		words = append(words, 30, 33)
	}
	if p.Kind == Hull {
		words = append(words, 31, 32)
	}
	if p.Major >= 5 {
		words = append(words, 34, 35)
	}
	for _, w := range words {
		known |= 1 << w
	}
	return s, known
}

func countDecl(in *Instr, s *Stat) {
	d := in.Decl
	switch in.Op {
	case OpDclTemps:
		s.Temps = max(s.Temps, d.Words[0])
	case OpDclIndexableTemp:
		s.TempArrays += d.Words[1]
	case OpDclInput, OpDclInputSgv, OpDclInputSiv, OpDclInputPs, OpDclInputPsSgv, OpDclInputPsSiv,
		OpDclOutput, OpDclOutputSgv, OpDclOutputSiv:
		s.Dcls++
	case OpDclInputprimitive:
		s.GSInput = d.Words[0]
	case OpDclOutputtopology:
		s.GSTopology = d.Words[0]
	case OpDclMaxout:
		s.GSMaxVertices = d.Words[0]
	case OpDclGsinstances:
		s.GSInstances = d.Words[0]
	case OpDclOutputControlPointCount:
		s.ControlPoints = d.Words[0]
	case OpDclInputControlPointCount:
		if s.ControlPoints == 0 { // domain programs have only this one
			s.ControlPoints = d.Words[0]
		}
	case OpDclTessellatorDomain:
		s.TessDomain = d.Words[0]
	case OpDclTessellatorPartitioning:
		s.HSPartitioning = d.Words[0]
	case OpDclTessellatorOutputPrimitive:
		s.HSOutputPrimitive = d.Words[0]
	}
}
