package tui

// The least screen that the inspector fits.
const (
	minWidth  = 80
	minHeight = 24
)

// place is where a pane lies: its slot and its rectangle, the title row included.
type place struct {
	slot int // index into Model.slots; axes and tree come first
	rect rect
}

// shape is how a screen is divided.
type shape uint8

const (
	shapeNone shape = iota // too small
	shapeOne               // one pane at a time, tabs above
	shapeTwo               // left column and two listings
	shapeGrid              // left column and four listings
)

// The rows that are not panes.
type chrome struct {
	head   int // title and tabs
	diag   rect
	status int // row
	keys   int // row
	body   rect
}

// arrangement is the whole division of a screen, by exact cells: the rows of head, body,
// diagnostics, status and keys add up to the height.
type arrangement struct {
	shape  shape
	chrome chrome
	places []place
}

// The slots of the fixed panes.
const (
	slotAxes = iota
	slotTree
	slotCode // the first listing
)

// maxCode is the number of listings that a screen can show.
const maxCode = 4

// arrange divides a screen of w by h cells. other asks for the other arrangement of the
// listings: two side by side instead of one above the other, three columns instead of a
// grid. zoom is the slot that has the body to itself, or -1; one is the slot that
// shapeOne shows; axes is how many rows the axes would like to have, and panel how many
// lines the panel has to show.
func arrange(w, h int, other bool, zoom, one, axes, panel int) arrangement {
	if w < minWidth || h < minHeight {
		return arrangement{}
	}
	var a arrangement
	switch {
	case w >= 180 && h >= 36:
		a.shape = shapeGrid
	case w >= 110 && h >= 30:
		a.shape = shapeTwo
	default:
		a.shape = shapeOne
	}
	diag := 4
	if h >= 36 {
		diag = 5
	}
	if h >= 50 {
		diag = 7
	}
	diag = max(diag, min(panel+1, h/3))
	a.chrome = chrome{head: 1, status: h - 2, keys: h - 1}
	a.chrome.diag = rect{0, h - 2 - diag, w, diag}
	a.chrome.body = rect{0, 1, w, h - 3 - diag}
	b := a.chrome.body
	if zoom >= 0 {
		a.places = []place{{zoom, b}}
		return a
	}
	if a.shape == shapeOne {
		a.places = []place{{one, b}}
		return a
	}
	left := 36
	if a.shape == shapeGrid {
		left = 44
	}
	const tree = 8 // rows that the tree has at least
	axes = min(max(axes+1, 4), b.h-tree)
	a.places = append(a.places,
		place{slotAxes, rect{0, b.y, left, axes}},
		place{slotTree, rect{0, b.y + axes, left, b.h - axes}})
	x := left + 1
	right := rect{x, b.y, w - x, b.h}
	if a.shape == shapeTwo {
		if other {
			l, r := splitH(right)
			a.places = append(a.places, place{slotCode, l}, place{slotCode + 1, r})
		} else {
			t, d := splitV(right)
			a.places = append(a.places, place{slotCode, t}, place{slotCode + 1, d})
		}
		return a
	}
	if !other {
		l, r := splitH(right)
		lt, lb := splitV(l)
		rt, rb := splitV(r)
		a.places = append(a.places, place{slotCode, lt}, place{slotCode + 1, rt}, place{slotCode + 2, lb}, place{slotCode + 3, rb})
		return a
	}
	// Three tall columns: longer runs of each listing at once.
	w3 := (right.w - 2) / 3
	a.places = append(a.places,
		place{slotCode, rect{x, b.y, w3, b.h}},
		place{slotCode + 1, rect{x + w3 + 1, b.y, w3, b.h}},
		place{slotCode + 2, rect{x + 2*w3 + 2, b.y, right.w - 2*w3 - 2, b.h}})
	return a
}

// splitH halves r with one column between for the border.
func splitH(r rect) (l, rr rect) {
	w := (r.w - 1) / 2
	return rect{r.x, r.y, w, r.h}, rect{r.x + w + 1, r.y, r.w - w - 1, r.h}
}

func splitV(r rect) (t, b rect) {
	h := (r.h + 1) / 2
	return rect{r.x, r.y, r.w, h}, rect{r.x, r.y + h, r.w, r.h - h}
}
