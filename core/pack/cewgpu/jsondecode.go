package cewgpu

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"sync"
)

// decode fills the struct behind out from a document. It is not encoding/json's
// Unmarshal because that takes keys in any case (an extra key "Code" would replace
// the "code" that was checked), and refuses 2.0 as an integer, which is legal here.
func (d *jsonDoc) decode(out any) error {
	if err := d.fill(0, reflect.ValueOf(out).Elem()); err != nil {
		return fmt.Errorf("reading chunk %s: %w", d.chunk, err)
	}
	return nil
}

var fieldsByType sync.Map // reflect.Type -> map[string]int

func fieldsOf(t reflect.Type) map[string]int {
	if m, ok := fieldsByType.Load(t); ok {
		return m.(map[string]int)
	}
	m := make(map[string]int, t.NumField())
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		m[name] = i
	}
	fieldsByType.Store(t, m)
	return m
}

var (
	bytesType = reflect.TypeFor[Bytes]()
	rawType   = reflect.TypeFor[json.RawMessage]()
)

func (d *jsonDoc) mismatch(n int, v reflect.Value) error {
	return fmt.Errorf("%s: %s cannot be a %s", orRoot(d.path(n)), jsonKindNames[d.kind(n)], v.Type())
}

func (d *jsonDoc) fill(n int, v reflect.Value) error {
	kind := d.kind(n)
	switch v.Type() {
	case rawType:
		v.SetBytes([]byte(d.raw(n)))
		return nil
	case bytesType:
		return d.fillBytes(n, v)
	}
	if v.Kind() == reflect.Pointer {
		if kind == jsonNull {
			v.SetZero()
			return nil
		}
		v.Set(reflect.New(v.Type().Elem()))
		return d.fill(n, v.Elem())
	}
	switch k := v.Kind(); {
	case k == reflect.Interface:
		if x := d.value(n); x != nil {
			v.Set(reflect.ValueOf(x))
		} else {
			v.SetZero()
		}
		return nil
	case kind == jsonString && k == reflect.String:
		v.SetString(d.str(n))
		return nil
	case (kind == jsonTrue || kind == jsonFalse) && k == reflect.Bool:
		v.SetBool(kind == jsonTrue)
		return nil
	case kind == jsonNumber && v.CanFloat():
		v.SetFloat(d.num(n))
		return nil
	case kind == jsonNumber && v.CanInt():
		f := d.num(n)
		if f != math.Trunc(f) || math.Abs(f) > maxSafe || v.OverflowInt(int64(f)) {
			return fmt.Errorf("%s: %s does not fit", d.path(n), clip(d.raw(n)))
		}
		v.SetInt(int64(f))
		return nil
	case kind == jsonNumber && v.CanUint():
		f := d.num(n)
		if f != math.Trunc(f) || f < 0 || f > maxSafe || v.OverflowUint(uint64(f)) {
			return fmt.Errorf("%s: %s does not fit", d.path(n), clip(d.raw(n)))
		}
		v.SetUint(uint64(f))
		return nil
	case kind == jsonArray && (k == reflect.Slice || k == reflect.Array):
		return d.fillList(n, v)
	case kind == jsonNull && (k == reflect.Slice || k == reflect.Map):
		v.SetZero()
		return nil
	case kind == jsonObject && k == reflect.Struct:
		fields := fieldsOf(v.Type())
		for i := n + 1; i < d.next(n); i = d.next(i + 1) {
			if f, ok := fields[d.str(i)]; ok {
				if err := d.fill(i+1, v.Field(f)); err != nil {
					return err
				}
			}
		}
		return nil
	case kind == jsonObject && k == reflect.Map:
		m := reflect.MakeMap(v.Type())
		for i := n + 1; i < d.next(n); i = d.next(i + 1) {
			e := reflect.New(v.Type().Elem()).Elem()
			if err := d.fill(i+1, e); err != nil {
				return err
			}
			m.SetMapIndex(reflect.ValueOf(d.str(i)), e)
		}
		v.Set(m)
		return nil
	}
	return d.mismatch(n, v)
}

func (d *jsonDoc) fillList(n int, v reflect.Value) error {
	count := 0
	for i := n + 1; i < d.next(n); i = d.next(i) {
		count++
	}
	if v.Kind() == reflect.Slice {
		v.Set(reflect.MakeSlice(v.Type(), count, count))
	} else if v.Len() != count {
		return fmt.Errorf("%s: expected %d elements, found %d", d.path(n), v.Len(), count)
	}
	for i, k := n+1, 0; i < d.next(n); i, k = d.next(i), k+1 {
		if err := d.fill(i, v.Index(k)); err != nil {
			return err
		}
	}
	return nil
}

func (d *jsonDoc) fillBytes(n int, v reflect.Value) error {
	var b Bytes
	switch d.kind(n) {
	case jsonObject:
		b.Ref = new(BlobRef)
		if err := d.fill(n, reflect.ValueOf(b.Ref).Elem()); err != nil {
			return err
		}
	case jsonString:
		data, err := base64.StdEncoding.DecodeString(d.str(n))
		if err != nil {
			return fmt.Errorf("%s: %w", d.path(n), err)
		}
		b.Data = data
	default:
		return d.mismatch(n, v)
	}
	v.Set(reflect.ValueOf(b))
	return nil
}

// value returns a node as encoding/json would: the types of JSON in Go.
func (d *jsonDoc) value(n int) any {
	kind := d.kind(n)
	switch kind {
	case jsonTrue, jsonFalse:
		return kind == jsonTrue
	case jsonNumber:
		return d.num(n)
	case jsonString:
		return d.str(n)
	case jsonArray:
		out := []any{}
		for i := n + 1; i < d.next(n); i = d.next(i) {
			out = append(out, d.value(i))
		}
		return out
	case jsonObject:
		out := map[string]any{}
		for i := n + 1; i < d.next(n); i = d.next(i + 1) {
			out[d.str(i)] = d.value(i + 1)
		}
		return out
	}
	return nil
}

// decodeAt is decode for one node.
func (d *jsonDoc) decodeAt(n int, out any) error {
	if err := d.fill(n, reflect.ValueOf(out).Elem()); err != nil {
		return fmt.Errorf("reading chunk %s: %w", d.chunk, err)
	}
	return nil
}

// find returns the node at a path as path prints it, or -1. Keys of the path must
// hold neither dots nor brackets.
func (d *jsonDoc) find(path string) int {
	n := 0
	for path != "" {
		if path[0] == '[' {
			num, rest, ok := strings.Cut(path[1:], "]")
			k, err := strconv.Atoi(num)
			if !ok || err != nil || d.kind(n) != jsonArray {
				return -1
			}
			i := n + 1
			for ; k > 0 && i < d.next(n); k-- {
				i = d.next(i)
			}
			if i >= d.next(n) {
				return -1
			}
			n, path = i, strings.TrimPrefix(rest, ".")
			continue
		}
		end := strings.IndexAny(path, ".[")
		key := path
		if end >= 0 {
			key = path[:end]
			path = strings.TrimPrefix(path[end:], ".")
		} else {
			path = ""
		}
		if n = d.get(n, key); n < 0 {
			return -1
		}
	}
	return n
}
