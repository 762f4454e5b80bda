package meaning

import "slices"

// Programs are all compute entries of testdata/hlsl.
var Programs = slices.Concat(memoryPrograms, algorithmPrograms, morePrograms, enginePrograms, recordPrograms)
