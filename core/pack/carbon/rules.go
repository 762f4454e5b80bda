package carbon

import "fxlens/core/diag"

const (
	remedyDamage  = "the file is damaged or cut off: compare its size and digest with the original, or build it again"
	remedyRebuild = "build the container again from its effect; if another tool made it, show it this finding"
	remedyPackage = "write a CEWGPU package, whose documents say it"
)

func register(code, title, rule, remedy string) diag.Code {
	return diag.Register(diag.Info{Code: diag.Code("carbon." + code), Title: title, Rule: rule, Remedy: remedy})
}

// What makes a file no container.
var (
	ruleInvalid = register("invalid", "the file is no Carbon WebGPU container",
		"A container is a compiled effect of version 15 in which the passes of a body may end with a reference to a block; every count, offset and range agrees, and every byte belongs to a record.", remedyDamage)
	ruleAmbiguous = register("ambiguous", "a body can be read in two ways",
		"Whether passes end with a block reference is known by the exact end of the body. A body that ends rightly in both readings was made on purpose.", "say with --blocks with, or --blocks without, which it is")
	ruleSourceEffect = register("source-effect", "the file is a source effect",
		"The program slots of a container hold WGSL; those of a source effect hold Direct3D bytecode.", "inspect it as an effect, or make a container of it with fxlens build --format carbon")
	ruleLibrary = register("library", "a technique has libraries",
		"There are no libraries of WGSL: their count is 0.", remedyRebuild)
)

// Programs.
var (
	ruleProgramStage = register("program-stage", "a program in a stage that WebGPU does not have",
		"Only vertex, pixel and compute stages may have a program; the others are empty.", remedyRebuild)
	ruleProgramText = register("program-text", "a program is not WGSL",
		"A program is WGSL as UTF-8 text without a terminator.", remedyRebuild)
	ruleEntryPoint = register("entry-point", "a program has no entry point main",
		"The entry point of a program is always main, with the attribute of its stage.", remedyRebuild)
	rulePartial = register("partial-pass", "a pass is translated in part",
		"A pass has a program for each of its stages, or for none.", remedyRebuild)
)

// Blocks.
var (
	ruleBlock = register("block", "a block cannot be read",
		"A block is read to its exact end; kinds and families of transforms come from fixed lists, texts are UTF-8.", remedyRebuild)
	ruleBlockLead = register("block-lead", "a block has the older lead byte",
		"The lead byte is the engine that the block is for: 2 is WebGPU. One of the format's documents calls it version 1.", "none")
	ruleBlockForeign = register("block-foreign", "a block is for another engine",
		"The lead byte of a block for WebGPU is 2 (or 1). Blocks for other engines are carried along and not read.", "ask for the container that was made for WebGPU")
	ruleBlockMissing = register("block-missing", "a translated pass has no block",
		"The binding layout of a pass is in its block; programs without one cannot be bound.", remedyRebuild)
	ruleBlockBinding = register("block-binding", "a binding of a block is impossible",
		"Groups count from 0; a slot is used once; a binding is visible to modules of the pass, has a symbol of its own there, and a type of its kind.", remedyRebuild)
	ruleBlockTransform = register("block-transform", "a resource transform of a block is impossible",
		"A transform has an id of its own, two or more inputs, and exactly one binding as its output.", remedyRebuild)
	ruleBlockBudget = register("block-budget", "blocks or programs overlap, or repeat beyond measure",
		"References to programs and blocks are to whole entries of the string table. Those entries, with 64 bytes for each binding of each pass, come to at most four times the file's size.", remedyRebuild)
)

// The header and the layout.
var (
	ruleCompilerVersion = register("compiler-version", "the compiler version is not that of containers",
		"Writers of containers write 1.2.6.0.", "none")
	ruleHash = register("hash", "the hash is neither zeros nor the content's",
		"The hash is 32 zeros, or the first 32 hex digits of the SHA-256 of the file with zeros in its place.", "none")
	ruleLayout = register("layout", "the file is not laid out as writers do",
		"The string table is sorted by its bytes, holds every entry once and nothing else; equal bodies are stored once; textures, states and annotations are sorted.", "rewrite it with fxlens convert if byte identity matters")
	ruleMore = register("more", "findings were left out",
		"One run lists a bounded number of findings.", "repair what is listed and check again")
)

// Conversion.
var (
	ruleUnsayable = register("unsayable", "a container cannot say it",
		"A block stores bindings in a form from which identity, scope and descriptor are derived; what would come back different is not written.", remedyPackage)
	ruleNeedSource = register("need-source", "the conversion needs the source effect",
		"Packages of effects below version 15 have no reflection, and a container consists of nothing else.", "name the effect with --source")
	ruleWrongSource = register("wrong-source", "the source effect is another one",
		"The effect that is named must be the one that the package or container was made of.", "name the effect that it was built from")
	ruleSide = register("side-file", "the side file cannot be used",
		"A side file belongs to one container, whose SHA-256 it names.", "convert without it (--no-side), or find the container that it was written with")
	ruleView = register("view", "a view differs from the package's document",
		"What a container derives (INFO, META, PGRF, ANLS, WGSL, WGSB) equals the documents of the package that it was made of, but for what a container cannot say.", "convert the package again, or name the package that the container was made of")
	ruleNothing = register("nothing-translated", "there is nothing to convert",
		"A package has the modules of at least one complete body.", "build the container again with the permutation that you need")
)
