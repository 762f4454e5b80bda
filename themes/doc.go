// Package themes gives every role of package views a colour and attributes. Themes are
// TOML files: those of the program are embedded, a user's own lie in a folder.
//
// A theme names a chroma style, and the code roles take their colours from it. Whatever
// the style says, text stays readable: colours move toward white or black until their
// contrast with the background, or with the background of the emphasis that lies over
// them, is [MinContrast]. Where a terminal has fewer colours or none, emphases fall back
// on attributes; every state has a mark besides.
package themes
