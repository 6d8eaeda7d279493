package checkpoints

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
)

const (
	manifestName   = "manifest.json"
	manifestFormat = 1
)

// manifest lists the contents of a checkpoint's directory. In the file, the seal follows these fields
// (marshalManifest).
type manifest struct {
	Format int             `json:"format"`
	ID     int             `json:"id"`
	Meta   json.RawMessage `json:"meta"`
	Parts  []partSum       `json:"parts"`
}

// partSum is the name, size and checksum of one part.
type partSum struct {
	Name   string `json:"name"`
	Size   int    `json:"size"`
	SHA256 string `json:"sha256"`
}

// check compares data with the size and checksum in the manifest.
func (p partSum) check(data []byte) error {
	switch {
	case len(data) != p.Size:
		return fmt.Errorf("%w: %d bytes, want %d", ErrDamaged, len(data), p.Size)
	case hexSum(data) != p.SHA256:
		return fmt.Errorf("%w: its SHA-256 differs from the one in the manifest", ErrDamaged)
	}
	return nil
}

// hexSum is the SHA-256 of data in hexadecimal digits.
func hexSum(data []byte) string { return fmt.Sprintf("%x", sha256.Sum256(data)) }

// The seal, the manifest's last line `  "sha256": "…"`, is the checksum of all bytes before that line.
const (
	sealHead = "  \"sha256\": \""
	sealTail = "\"\n}\n"
	sealSize = len(sealHead) + 2*sha256.Size + len(sealTail)
)

// marshalManifest returns the content of manifest.json for a checkpoint. Equal arguments give equal bytes.
func marshalManifest(id int, meta any, parts []Part) ([]byte, error) {
	if id < 0 {
		panic("checkpoints: negative id")
	}
	raw, err := json.Marshal(meta)
	if err != nil {
		return nil, fmt.Errorf("checkpoint metadata: %w", err)
	}
	m := manifest{Format: manifestFormat, ID: id, Meta: raw, Parts: make([]partSum, len(parts))}
	for i, part := range parts {
		m.Parts[i] = partSum{part.Name, len(part.Data), hexSum(part.Data)}
	}
	if !validNames(m.Parts) {
		panic("checkpoints: part names must be distinct plain file names")
	}
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("checkpoint manifest: %w", err)
	}
	body := strings.TrimSuffix(string(data), "\n}") + ",\n"
	return []byte(body + sealHead + hexSum([]byte(body)) + sealTail), nil
}

// parseManifest is the inverse of marshalManifest. It checks the seal first, then the format version.
func parseManifest(data []byte) (*manifest, error) {
	body := data[:max(0, len(data)-sealSize)]
	if string(data[len(body):]) != sealHead+hexSum(body)+sealTail {
		return nil, fmt.Errorf("%w: wrong or missing checksum", ErrDamaged)
	}
	var version struct {
		Format int `json:"format"`
	}
	if err := json.Unmarshal(data, &version); err != nil {
		return nil, fmt.Errorf("%w: %v", ErrDamaged, err)
	}
	if version.Format != manifestFormat {
		return nil, fmt.Errorf("%w: format %d, this program reads %d", ErrVersion, version.Format, manifestFormat)
	}
	var m manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, fmt.Errorf("%w: %v", ErrDamaged, err)
	}
	if m.ID < 0 || !validNames(m.Parts) {
		return nil, fmt.Errorf("%w: invalid id or part names", ErrDamaged)
	}
	return &m, nil
}

// validNames reports whether the part names are distinct plain file names inside the checkpoint's directory.
func validNames(parts []partSum) bool {
	seen := map[string]bool{"": true, manifestName: true}
	for _, part := range parts {
		if seen[part.Name] || part.Name[0] == '.' || strings.ContainsAny(part.Name, `/\:`) || !filepath.IsLocal(part.Name) {
			return false
		}
		seen[part.Name] = true
	}
	return true
}
