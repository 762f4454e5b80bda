package effect

// VersionChange is what one version of the format added.
type VersionChange struct {
	Version uint32
	Added   string // what files of this version and later say
	Before  string // what readers assume in older files
}

// VersionChanges lists the differences between the versions that Parse reads, in
// ascending order.
var VersionChanges = []VersionChange{
	{9, "the registers that a stage binds", "no register list"},
	{10, "exact register types", "register types say only constant buffer, resource, UAV or sampler; resources and UAVs count as 2D textures"},
	{11, "uint constants; type and dimension of pipeline inputs", "uint constants are stored as another type; inputs have 4 components, uint for BLENDINDICES and else float"},
	{12, "no second program per stage", "a second program that readers skip"},
	{13, "array counts and spaces of registers, static samplers, array counts of textures and UAVs, dynamic samplers", "arrays have 1 element, the space is the stage's number, all samplers are dynamic"},
	{14, "ray tracing libraries", "no libraries"},
	{15, "compiler version and source hash", "neither"},
}

// Lacks returns the changes that came after the file's version: what it cannot say.
func (e *Effect) Lacks() []VersionChange {
	for i, c := range VersionChanges {
		if c.Version > e.Version {
			return VersionChanges[i:]
		}
	}
	return nil
}
