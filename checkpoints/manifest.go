package checkpoints

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
)

const (
	manifestName   = "manifest.json"
	manifestFormat = 1
)

// manifest says what a checkpoint's directory holds. In the file the seal (see marshalManifest) follows its fields.
type manifest struct {
	Format int             `json:"format"`
	ID     int             `json:"id"`
	Meta   json.RawMessage `json:"meta"`
	Parts  []partSum       `json:"parts"`
}

type partSum struct {
	Name   string `json:"name"`
	Size   int    `json:"size"`
	SHA256 string `json:"sha256"`
}

func sumOf(part Part) partSum { return partSum{part.Name, len(part.Data), hexSum(part.Data)} }

// check compares data with the size and sum that the manifest gives.
func (p partSum) check(data []byte) error {
	switch {
	case len(data) != p.Size:
		return fmt.Errorf("%w: %d bytes instead of %d", ErrDamaged, len(data), p.Size)
	case hexSum(data) != p.SHA256:
		return fmt.Errorf("%w: its SHA-256 differs from the manifest's", ErrDamaged)
	}
	return nil
}

func hexSum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// The manifest's last line, `  "sha256": "…"`, is the sum of all bytes before that line.
const (
	sealHead = "  \"sha256\": \""
	sealTail = "\"\n}\n"
	sealSize = len(sealHead) + 2*sha256.Size + len(sealTail)
)

// marshalManifest returns the manifest's bytes; they depend on nothing but its arguments.
func marshalManifest(id int, meta any, parts []Part) ([]byte, error) {
	if id < 0 {
		panic("checkpoints: negative id")
	}
	raw, err := json.Marshal(meta)
	if err != nil {
		return nil, fmt.Errorf("checkpoint's meta: %w", err)
	}
	m := manifest{Format: manifestFormat, ID: id, Meta: raw, Parts: make([]partSum, len(parts))}
	for i, part := range parts {
		m.Parts[i] = sumOf(part)
	}
	if !validNames(m.Parts) {
		panic("checkpoints: part names must be plain, different file names")
	}
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("checkpoint's manifest: %w", err)
	}
	body := strings.TrimSuffix(string(data), "\n}") + ",\n"
	return []byte(body + sealHead + hexSum([]byte(body)) + sealTail), nil
}

// parseManifest is the inverse of marshalManifest. It believes nothing before the seal holds.
func parseManifest(data []byte) (*manifest, error) {
	body := data[:max(0, len(data)-sealSize)]
	if string(data[len(body):]) != sealHead+hexSum(body)+sealTail {
		return nil, fmt.Errorf("%w: its checksum is wrong or cut off", ErrDamaged)
	}
	var version struct {
		Format int `json:"format"`
	}
	if err := json.Unmarshal(data, &version); err != nil {
		return nil, fmt.Errorf("%w: %v", ErrDamaged, err)
	}
	if version.Format > manifestFormat {
		return nil, fmt.Errorf("%w: format %d, this one knows up to %d", ErrVersion, version.Format, manifestFormat)
	}
	var m manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, fmt.Errorf("%w: %v", ErrDamaged, err)
	}
	if m.Format < 1 || m.ID < 0 || !validNames(m.Parts) {
		return nil, fmt.Errorf("%w: format, id or part names that no writer makes", ErrDamaged)
	}
	return &m, nil
}

// validNames reports whether each part has a file name of its own that stays within the checkpoint's directory.
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
