package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// The part of CycloneDX 1.5 (ECMA-424) that a Go binary needs. Known generators take
// licences from the wrong file of some modules, and want a tag in git for the version.
type (
	bom struct {
		Format       string       `json:"bomFormat"`
		Spec         string       `json:"specVersion"`
		Version      int          `json:"version"`
		Metadata     metadata     `json:"metadata"`
		Components   []component  `json:"components"`
		Dependencies []dependency `json:"dependencies"`
	}
	metadata struct {
		Timestamp string    `json:"timestamp"`
		Component component `json:"component"`
	}
	component struct {
		Type       string     `json:"type"`
		Ref        string     `json:"bom-ref"`
		Name       string     `json:"name"`
		Version    string     `json:"version"`
		Hashes     []hash     `json:"hashes,omitempty"`
		Licences   []licence  `json:"licenses,omitempty"`
		PURL       string     `json:"purl,omitempty"`
		Properties []property `json:"properties,omitempty"`
	}
	hash struct {
		Alg     string `json:"alg"`
		Content string `json:"content"`
	}
	licence struct {
		Expression string `json:"expression"`
	}
	property struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	dependency struct {
		Ref       string   `json:"ref"`
		DependsOn []string `json:"dependsOn,omitempty"`
	}
)

// billOfMaterials says what is in a binary: each module with version, licence and the
// checksum of the Go checksum database.
func billOfMaterials(r *release, target string, program []byte, goVersion string, list []module) ([]byte, error) {
	sum := sha256.Sum256(program)
	self := component{
		Type: "application", Ref: "fxlens", Name: "fxlens", Version: r.version,
		Hashes:     []hash{{"SHA-256", hex.EncodeToString(sum[:])}},
		Licences:   []licence{{"MIT"}},
		Properties: []property{{"target", target}, {"go", goVersion}},
	}
	doc := bom{
		Format: "CycloneDX", Spec: "1.5", Version: 1,
		Metadata: metadata{Timestamp: r.date.Format(time.RFC3339), Component: self},
	}
	direct := dependency{Ref: self.Ref}
	for _, m := range list {
		c := component{Type: "library", Name: m.path, Version: m.version, Licences: []licence{{m.licence}}}
		c.PURL = "pkg:golang/" + m.path + "@" + m.version
		c.Ref = c.PURL
		if m.sum != "" {
			// h1: is the base64 of a SHA-256 over the hashes of all files of the module
			// (golang.org/x/mod/sumdb/dirhash), so it stands as a property, not as the hash
			// of one file.
			raw, ok := strings.CutPrefix(m.sum, "h1:")
			if _, err := base64.StdEncoding.DecodeString(raw); !ok || err != nil {
				return nil, fmt.Errorf("%s: checksum %q is not of the kind h1", m.path, m.sum)
			}
			c.Properties = []property{{"go.sum", m.sum}}
		}
		doc.Components = append(doc.Components, c)
		direct.DependsOn = append(direct.DependsOn, c.Ref)
	}
	doc.Dependencies = []dependency{direct}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(doc); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
