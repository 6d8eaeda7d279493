package infer

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// tensorHeader is one tensor's entry in a safetensors header.
type tensorHeader struct {
	name    string
	DType   string    `json:"dtype"`
	Shape   []int     `json:"shape"`
	Offsets [2]uint64 `json:"data_offsets"` // within the bytes after the header
}

const maxTensorDims = 8

// MarshalTensors returns a safetensors file of the metadata and the tensors, in order: the length of the header in 8
// bytes, little-endian; the header as JSON, padded with blanks to a multiple of 8; the values. Equal arguments give
// equal bytes. The file's metadata also has the SHA-256 of the values, under the key "sha256", which [UnmarshalTensors]
// checks and removes. MarshalTensors panics if two tensors have the same name, or if a tensor's data do not fill its
// shape.
func MarshalTensors(metadata map[string]string, tensors []Tensor) []byte {
	return marshalTensors(metadata, tensors, single)
}

// marshalTensors is MarshalTensors with values of the given data type.
func marshalTensors(metadata map[string]string, tensors []Tensor, dtype string) []byte {
	var values []byte
	for _, t := range tensors {
		values = appendValues(values, t.Data, dtype)
	}
	withSum := map[string]string{}
	maps.Copy(withSum, metadata)
	withSum[sumKey] = fmt.Sprintf("%x", sha256.Sum256(values))
	entries := map[string]any{"__metadata__": withSum}
	var size uint64
	for _, t := range tensors {
		if _, twice := entries[t.Name]; twice || len(t.Data) != product(t.Shape) {
			panic("infer: tensor named twice or of another size than its shape")
		}
		end := size + typeSizes[dtype]*uint64(len(t.Data))
		entries[t.Name] = tensorHeader{DType: dtype, Shape: append([]int{}, t.Shape...), Offsets: [2]uint64{size, end}}
		size = end
	}
	head, err := json.Marshal(entries) // sorts the keys
	if err != nil {
		panic("infer: tensor header that JSON cannot hold")
	}
	for len(head)%8 != 0 {
		head = append(head, ' ')
	}
	out := make([]byte, 0, 8+len(head)+len(values))
	out = binary.LittleEndian.AppendUint64(out, uint64(len(head)))
	out = append(out, head...)
	return append(out, values...)
}

// sumKey is the metadata key of the SHA-256 of the values, in hexadecimal.
const sumKey = "sha256"

// UnmarshalTensors reads a safetensors file whose values are all finite, and float32 (F32) or half precision (F16). It
// returns the tensors in the order of their values. Errors wrap [ErrFormat]. It allocates no more than a multiple of
// len(data).
func UnmarshalTensors(data []byte) (metadata map[string]string, tensors []Tensor, err error) {
	return unmarshalTensors(data, func(map[string]string, []Tensor) bool { return true })
}

// unmarshalTensors is UnmarshalTensors for a file whose tensors another program may have rearranged. restore puts them in
// the order in which they were written, for the SHA-256 in the metadata is that of the values in this order. It returns false
// if tensors are missing or unknown; then the SHA-256 is not checked.
func unmarshalTensors(data []byte, restore func(metadata map[string]string, tensors []Tensor) (complete bool)) (
	metadata map[string]string, tensors []Tensor, err error,
) {
	entries, values, err := readHeader(data)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	if raw, ok := entries["__metadata__"]; ok {
		if err := json.Unmarshal(raw, &metadata); err != nil {
			return nil, nil, fmt.Errorf("%w: metadata: %w", ErrFormat, err)
		}
		delete(entries, "__metadata__")
	}
	headers := make([]tensorHeader, 0, len(entries))
	for name, raw := range entries {
		h, err := parseEntry(raw, uint64(len(values)))
		if err != nil {
			return nil, nil, fmt.Errorf("%w: tensor %q: %w", ErrFormat, name, err)
		}
		h.name = name
		headers = append(headers, h)
	}
	slices.SortFunc(headers, func(a, b tensorHeader) int { return cmp.Compare(a.Offsets[0], b.Offsets[0]) })
	var end uint64
	bytesOf := make(map[string][]byte, len(headers)) // by name of the tensor
	for _, h := range headers {
		if h.Offsets[0] != end {
			return nil, nil, fmt.Errorf("%w: tensor %q starts at byte %d; the one before ends at %d",
				ErrFormat, h.name, h.Offsets[0], end)
		}
		bytesOf[h.name], end = values[end:h.Offsets[1]], h.Offsets[1]
		t := Tensor{h.name, h.Shape, make([]float32, product(h.Shape))}
		if !decode(t.Data, bytesOf[h.name], h.DType) {
			return nil, nil, fmt.Errorf("%w: tensor %q holds a value that is not finite", ErrFormat, h.name)
		}
		tensors = append(tensors, t)
	}
	if end != uint64(len(values)) {
		return nil, nil, fmt.Errorf("%w: tensors end at byte %d of %d", ErrFormat, end, len(values))
	}
	complete := restore(metadata, tensors)
	sum, summed := metadata[sumKey]
	delete(metadata, sumKey)
	if complete && summed {
		hash := sha256.New()
		for _, t := range tensors {
			hash.Write(bytesOf[t.Name])
		}
		if sum != fmt.Sprintf("%x", hash.Sum(nil)) {
			return nil, nil, fmt.Errorf("%w: the values were altered after ludus wrote them: their SHA-256 is not the one in the "+
				"metadata, where a program that means to alter them leaves %s out", ErrFormat, sumKey)
		}
	}
	return metadata, tensors, nil
}

// maxHeaderBytes is the safetensors format's limit of a header.
const maxHeaderBytes = 100_000_000

// readHeader splits a file into the entries of its header and the bytes of its values.
func readHeader(data []byte) (entries map[string]json.RawMessage, values []byte, err error) {
	if len(data) < 8 {
		return nil, nil, fmt.Errorf("%d bytes; the length of the header takes 8", len(data))
	}
	size := binary.LittleEndian.Uint64(data)
	if size > maxHeaderBytes {
		return nil, nil, fmt.Errorf("it is not a safetensors file")
	}
	if size > uint64(len(data)-8) {
		return nil, nil, fmt.Errorf("truncated: a header of %d bytes in a file of %d", size, len(data))
	}
	if err := json.Unmarshal(data[8:8+size], &entries); err != nil {
		return nil, nil, fmt.Errorf("header: %w", err)
	}
	return entries, data[8+size:], nil
}

// parseEntry reads the entry of one tensor and checks it against size, the number of bytes of all values.
func parseEntry(raw json.RawMessage, size uint64) (h tensorHeader, err error) {
	if err := json.Unmarshal(raw, &h); err != nil {
		return h, err
	}
	width, known := typeSizes[h.DType]
	if !known {
		return h, fmt.Errorf("has type %q; only F32 and F16 are read", h.DType)
	}
	if len(h.Shape) > maxTensorDims {
		return h, fmt.Errorf("has %d axes; at most %d are read", len(h.Shape), maxTensorDims)
	}
	count := uint64(1)
	for _, d := range h.Shape {
		if d <= 0 || uint64(d) > size/width/count {
			return h, fmt.Errorf("has shape %v, which %d bytes of values cannot hold", h.Shape, size)
		}
		count *= uint64(d)
	}
	if h.Offsets[1] > size || h.Offsets[0] > h.Offsets[1] || h.Offsets[1]-h.Offsets[0] != width*count {
		return h, fmt.Errorf("of shape %v lies at bytes %v of %d: the file is truncated, or its header wrong", h.Shape, h.Offsets, size)
	}
	return h, nil
}
