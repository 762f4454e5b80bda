// Package docs keeps the documents in step with the code. Its tests compare
// docs/compatibility.md with the diagnostic codes that the packages register, and
// write docs/diagnostics.md (go test ./internal/docs -update).
package docs
