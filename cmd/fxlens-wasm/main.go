//go:build js && wasm

// Command fxlens-wasm is the compiler for browsers. It is started by worker.mjs, in a
// worker, and gives it one function; fxlens.mjs is what pages use. See docs/browser.md.
package main

import (
	"context"
	"encoding/json"
	"syscall/js"

	"fxlens/cmd/fxlens-wasm/api"
)

func main() {
	// fxlensCall(name, bytes, optionsText) returns
	// {value: JSON text, blobs: [{path: JSON text, bytes: Uint8Array}]} or {error: JSON text}.
	js.Global().Set("fxlensCall", js.FuncOf(func(_ js.Value, args []js.Value) any {
		data := make([]byte, args[1].Get("byteLength").Int())
		js.CopyBytesToGo(data, args[1])
		return answer(api.Call(context.Background(), args[0].String(), data, []byte(args[2].String())))
	}))
	js.Global().Call("fxlensReady", api.Version)
	select {} // JavaScript calls from now on
}

func answer(r *api.Result, err *api.Error) any {
	if err != nil {
		return failure(err)
	}
	value, merr := json.Marshal(r.Value)
	if merr != nil {
		return failure(&api.Error{Code: "bug", Message: "a result that JSON cannot say: " + merr.Error()})
	}
	blobs := make([]any, len(r.Blobs))
	for i, b := range r.Blobs {
		path, merr := json.Marshal(b.Path)
		if merr != nil {
			return failure(&api.Error{Code: "bug", Message: merr.Error()})
		}
		array := js.Global().Get("Uint8Array").New(len(b.Data))
		js.CopyBytesToJS(array, b.Data)
		blobs[i] = map[string]any{"path": string(path), "bytes": array}
	}
	return map[string]any{"value": string(value), "blobs": blobs}
}

func failure(err *api.Error) any {
	b, merr := json.Marshal(err)
	if merr != nil {
		b = []byte(`{"code":"bug","place":"","message":"an error that JSON cannot say","remedy":"report it","findings":[]}`)
	}
	return map[string]any{"error": string(b)}
}
