package effect

import "strings"

// table is the string table as text. A text ends at the next zero byte; where that
// is takes constant time to find, so that a hostile file cannot make every
// reference scan the whole table.
type table struct {
	text string
	next []uint32 // for each block, the offset of the first zero at or after its start
}

const tableBlock = 64

func newTable(b []byte) table {
	t := table{text: string(b), next: make([]uint32, (len(b)+tableBlock-1)/tableBlock)}
	first := uint32(len(b))
	for i := len(t.next) - 1; i >= 0; i-- {
		if z := strings.IndexByte(t.text[i*tableBlock:min((i+1)*tableBlock, len(b))], 0); z >= 0 {
			first = uint32(i*tableBlock + z)
		}
		t.next[i] = first
	}
	return t
}

func (t *table) size() int { return len(t.text) }

// end returns the offset of the zero that ends the text at off, or size without one.
// off must be below size.
func (t *table) end(off uint32) uint32 {
	block := int(off) / tableBlock
	stop := min((block+1)*tableBlock, len(t.text))
	if z := strings.IndexByte(t.text[off:stop], 0); z >= 0 {
		return off + uint32(z)
	}
	if block+1 < len(t.next) {
		return t.next[block+1]
	}
	return uint32(len(t.text))
}

func (t *table) terminated(off uint32) bool { return int(t.end(off)) < len(t.text) }

func (t *table) length(off uint32) uint32 { return t.end(off) - off }

// at returns the text at off, which costs no memory of its own.
func (t *table) at(off uint32) string { return t.text[off:t.end(off)] }
