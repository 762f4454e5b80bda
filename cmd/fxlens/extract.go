package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"fxlens/core/pack/cewgpu"
	"fxlens/core/session"
)

// extract returns a chunk of a package or a value inside its document, and whether
// that is no text.
func extract(name string, data []byte, place string) (value []byte, binary bool, err error) {
	chunks, findings := cewgpu.ParseContainer(data)
	if len(chunks) == 0 {
		return nil, false, &session.OpenError{Name: name, Reason: (&cewgpu.InvalidError{Findings: findings}).Error(), Remedy: "name a CEWGPU package", Err: session.ErrUnknown}
	}
	tag, path, hasPath := strings.Cut(place, "/")
	i := slices.IndexFunc(chunks, func(c cewgpu.Chunk) bool { return c.Tag == tag })
	if i < 0 {
		var tags []string
		for _, c := range chunks {
			tags = append(tags, c.Tag)
		}
		return nil, false, usagef("there is no chunk %q; %s", tag, session.Hint(tag, tags))
	}
	chunk := chunks[i].Data
	if !hasPath || path == "" {
		return chunk, !utf8.Valid(chunk), nil
	}
	if tag == "RBLB" {
		p, _ := cewgpu.Validate(data)
		b, ok := p.Blob(path)
		if !ok {
			return nil, false, usagef("there is no blob %q; blobs are called blob0, blob1 and so on", path)
		}
		return b, true, nil
	}
	dec := json.NewDecoder(bytes.NewReader(chunk))
	dec.UseNumber() // numbers print as they stand
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, false, usagef("chunk %s is no JSON document: %v; leave the path out", tag, err)
	}
	at := tag
	for key := range strings.SplitSeq(path, "/") {
		next, hint := step(v, key)
		if hint != "" {
			return nil, false, usagef("%s has no %q; %s", at, key, hint)
		}
		v = next
		at += "/" + key
	}
	if s, ok := v.(string); ok {
		return []byte(s), false, nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return nil, false, fmt.Errorf("print JSON: %w", err)
	}
	return safeJSON(b.Bytes()), false, nil
}

// step goes into an object or list, or says what there is instead.
func step(v any, key string) (next any, hint string) {
	switch x := v.(type) {
	case map[string]any:
		if n, ok := x[key]; ok {
			return n, ""
		}
		return nil, session.Hint(key, slices.Sorted(maps.Keys(x)))
	case []any:
		if i, err := strconv.Atoi(key); err == nil && i >= 0 && i < len(x) {
			return x[i], ""
		}
		var keys []string
		for _, e := range x {
			if m, ok := e.(map[string]any); ok {
				if k, ok := m["key"].(string); ok {
					if k == key {
						return e, ""
					}
					keys = append(keys, k)
				}
			}
		}
		if len(keys) > 0 {
			return nil, session.Hint(key, keys)
		}
		return nil, fmt.Sprintf("it is a list of %d", len(x))
	}
	return nil, "it is a single value"
}
