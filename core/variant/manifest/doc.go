// Package manifest reads shader graphs that people write by hand: a folder with a file
// switches.toml and the .wgsl files that it names, or one TOML file with the chunks' text
// in it.
//
//	graph = "deferred lighting"
//
//	[switches.shadow]                    # the key names the switch in this file
//	label  = "shadow technique"          # what sets and labels print; default: the key
//	values = ["Cascades", "Virtual"]     # 0, 1, …; { Off = 0, Low = 4 } leaves gaps; bool = true
//
//	[chunks.shadow_virtual]
//	file    = "shadow/virtual.wgsl"      # default: the key and .wgsl; or text = '''…'''
//	needs   = ["math"]                   # chunks and choices that are linked before, in order
//	reads   = ["shadow_map", { name = "lights", access = "read" }]   # or "auto": found by parsing
//	enables = ["f16"]
//
//	[choices.shadow_sample]
//	switch = "shadow"
//	picks  = { Cascades = "shadow_cascades", Virtual = "shadow_virtual" }   # "none": no code
//
//	[resources.shadow_map]
//	kind = "texture"                     # uniform, storage, texture, storage-texture, sampler
//	dimension = "2d"
//	sample = "depth"                     # float, unfilterable-float, depth, sint, uint
//	default = "black"                    # a fallback's name; of a storage buffer "transient"
//
//	[groups.lights]
//	visibility = ["fragment", "compute"]
//	binds = ["lights", "shadow_map"]
//
//	[shaders.shade]
//	label   = "Shade From G-Buffer"
//	type    = "image"                    # or compute
//	body    = "shade_main"
//	groups  = ["view", "lights"]         # or "auto": all that its chunks read, of an image shader
//	                                     # what they write in a second group
//	targets = [{ format = "rgba16float", blend = "additive" }]   # blend: any name of the owner's
//	depth   = { format = "depth32float", write = true, compare = "greater-equal" }
//	templates = ["wood", "glass"]        # a template pass: one shader for each of these chunks
//
//	[sets.virtual]                       # sets to build, beside all defaults
//	shadow = "Virtual"                   # a value, several in a list, or "*"
//
// Load reports everything that is wrong in one run, each with file, line and column, and
// with the chunk, switch and member that it is about. Keys that the format does not have
// are errors. Paths stay below the manifest's folder.
package manifest
