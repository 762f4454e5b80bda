package tui

// layoutState is how the user divides the screen; the zero value is the program's own way.
type layoutState struct {
	Left  int `json:"left"`  // cells that the left side has more, or less
	Split int `json:"split"` // hundredths that the first listing has more of the width, or less
	Drop  int `json:"drop"`  // the same of the height
	Panes int `json:"panes"` // listings; 0: as many as fit
}

// sane is the layout with its numbers in their ranges.
func (l layoutState) sane() layoutState {
	l.Left = min(max(l.Left, -16), 60)
	l.Split = min(max(l.Split, -35), 35)
	l.Drop = min(max(l.Drop, -35), 35)
	l.Panes = min(max(l.Panes, 0), maxCode)
	return l
}
