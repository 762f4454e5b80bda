package cewgpu

import (
	"encoding/hex"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A package as a folder: one file a chunk, named by its position, its tag and what
// it holds: "00-INFO.json", "06-WGSL.wgsl", "07-A%2FB.bin". Files hold the exact
// payloads, so that a folder made of a package makes the package again.

// FileName returns the name of chunk number i of a package in a folder.
func FileName(i int, c Chunk) string {
	var tag strings.Builder
	for k := range len(c.Tag) {
		b := c.Tag[k]
		if b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' {
			tag.WriteByte(b)
		} else {
			tag.WriteString("%" + strings.ToUpper(hex.EncodeToString([]byte{b})))
		}
	}
	return fmt.Sprintf("%02d-%s.%s", i, tag.String(), extension(c))
}

func extension(c Chunk) string {
	if len(c.Data) > 0 && c.Tag != "RBLB" {
		if _, err := parseJSON(c.Data); err == nil {
			return "json"
		}
	}
	if c.Tag == "WGSL" && utf8.Valid(c.Data) {
		return "wgsl"
	}
	return "bin"
}

// ReadFolder reads the chunks of a folder in the order of their numbers. Files with
// other names than FileName gives are an error: they would be lost.
func ReadFolder(dir fs.FS) ([]Chunk, error) {
	entries, err := fs.ReadDir(dir, ".")
	if err != nil {
		return nil, fmt.Errorf("reading a folder of chunks: %w", err)
	}
	type numbered struct {
		n int
		c Chunk
	}
	var list []numbered
	for _, e := range entries {
		n, tag, err := chunkOfFile(e.Name())
		if err != nil {
			return nil, err
		}
		data, err := fs.ReadFile(dir, e.Name())
		if err != nil {
			return nil, fmt.Errorf("reading a folder of chunks: %w", err)
		}
		list = append(list, numbered{n, Chunk{Tag: tag, Data: data}})
	}
	slices.SortStableFunc(list, func(a, b numbered) int { return a.n - b.n })
	out := make([]Chunk, len(list))
	for i, x := range list {
		if i > 0 && list[i-1].n == x.n {
			return nil, fmt.Errorf("reading a folder of chunks: two files have number %d: number them in order", x.n)
		}
		out[i] = x.c
	}
	return out, nil
}

func chunkOfFile(name string) (int, string, error) {
	bad := func(why string) (int, string, error) {
		return 0, "", fmt.Errorf("reading a folder of chunks: file %q is not NN-TAG.ext: %s", name, why)
	}
	num, rest, ok := strings.Cut(name, "-")
	n, err := strconv.Atoi(num)
	if !ok || err != nil || n < 0 {
		return bad("it starts with no number and hyphen")
	}
	text, _, ok := strings.Cut(rest, ".")
	if !ok {
		return bad("it has no extension")
	}
	var tag []byte
	for i := 0; i < len(text); i++ {
		if text[i] != '%' {
			tag = append(tag, text[i])
			continue
		}
		if i+3 > len(text) {
			return bad("a percent sign takes two hex digits")
		}
		b, err := hex.DecodeString(text[i+1 : i+3])
		if err != nil {
			return bad("a percent sign takes two hex digits")
		}
		tag = append(tag, b...)
		i += 2
	}
	if !printableTag(string(tag)) {
		return bad("a tag has four printable characters")
	}
	return n, string(tag), nil
}
