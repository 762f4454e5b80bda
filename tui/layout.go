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

// arrange divides a screen of w by h cells, with what the user changed. other asks for
// the other arrangement of the listings: two side by side instead of one above the
// other, three columns instead of a grid. zoom is the slot that has the body to itself,
// or -1; one is the slot that shapeOne shows; axes is how many rows the axes would like
// to have, and panel how many lines the panel has to show.
func (u layoutState) arrange(w, h int, other bool, zoom, one, axes, panel int) arrangement {
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
	left = min(max(left+u.Left, 20), w-1-minRight)
	const tree = 8 // rows that the tree has at least
	axes = min(max(axes+1, 4), b.h-tree)
	a.places = append(a.places,
		place{slotAxes, rect{0, b.y, left, axes}},
		place{slotTree, rect{0, b.y + axes, left, b.h - axes}})
	x := left + 1
	right := rect{x, b.y, w - x, b.h}
	for i, r := range u.divide(right, a.shape, other) {
		a.places = append(a.places, place{slotCode + i, r})
	}
	return a
}

// minRight is the least width of the listings' side.
const minRight = 50

// divide gives the listings their rectangles, one to four of them.
func (u layoutState) divide(right rect, s shape, other bool) []rect {
	n := u.Panes
	if n == 0 {
		n = 2
		if s == shapeGrid {
			n = 4
			if other {
				n = 3 // three tall columns: longer runs of each listing at once
			}
		}
	}
	switch {
	case n == 1:
		return []rect{right}
	case n == 2 && other == (s == shapeTwo):
		l, r := u.splitH(right)
		return []rect{l, r}
	case n == 2:
		t, d := u.splitV(right)
		return []rect{t, d}
	case n == 3 && other == (s == shapeGrid): // columns
		w := (right.w - 2) / 3
		first := min(max(w+right.w*u.Split/100, 16), right.w-2-2*16)
		second := (right.w - 2 - first) / 2
		x := right.x
		return []rect{{x, right.y, first, right.h}, {x + first + 1, right.y, second, right.h}, {x + first + second + 2, right.y, right.w - first - second - 2, right.h}}
	case n == 3: // one tall, two beside it
		l, r := u.splitH(right)
		t, d := u.splitV(r)
		return []rect{l, t, d}
	case other && u.Panes == 4: // rows
		h := right.h / 4
		return []rect{{right.x, right.y, right.w, h}, {right.x, right.y + h, right.w, h}, {right.x, right.y + 2*h, right.w, h}, {right.x, right.y + 3*h, right.w, right.h - 3*h}}
	}
	l, r := u.splitH(right)
	lt, lb := u.splitV(l)
	rt, rb := u.splitV(r)
	return []rect{lt, rt, lb, rb}
}

// splitH divides r into two columns with one between for the border.
func (u layoutState) splitH(r rect) (l, rr rect) {
	w := (r.w-1)/2 + r.w*u.Split/100
	w = min(max(w, 16), r.w-1-16)
	return rect{r.x, r.y, w, r.h}, rect{r.x + w + 1, r.y, r.w - w - 1, r.h}
}

func (u layoutState) splitV(r rect) (t, b rect) {
	h := (r.h+1)/2 + r.h*u.Drop/100
	h = min(max(h, 4), r.h-4)
	return rect{r.x, r.y, r.w, h}, rect{r.x, r.y + h, r.w, r.h - h}
}
