// Command unguarded imports bubbletea without package quiet: the test of the guard runs
// it to see that the query it looks for would be found.
package main

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"
)

func main() {
	_ = tea.Quit
	fmt.Println("unguarded")
}
