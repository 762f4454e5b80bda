package syntax

import "slices"

// Extensions are the names that an enable directive may have, as Tint knows them.
func Extensions() []string { return slices.Clone(extensions) }

// IsTexelFormat reports whether a storage texture may have a format.
func IsTexelFormat(name string) bool { return texelFormats[name] != 0 }
