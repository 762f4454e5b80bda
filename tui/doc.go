// Package tui is the inspector: one bubbletea model over a session. Panes are plain
// structs; every text comes from package views as spans with roles, every colour from
// package themes.
//
// Update changes state and nothing else. Opening, compiling, indexing, searching and
// writing run in commands, each with its own context and generation, and a late answer
// is dropped. View returns the kept frame unless something changed.
//
// Keys, key bar, help and palette come from one table of actions (actions.go).
package tui
