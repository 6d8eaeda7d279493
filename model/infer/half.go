package infer

import (
	"encoding/binary"
	"math"
)

// Data types of tensors in files, as safetensors names them. Values are float32 in memory.
const (
	single = "F32"
	half   = "F16" // IEEE 754 binary16: 11 significant bits, magnitudes up to 65504
)

// typeSizes are the bytes of a value of each data type.
var typeSizes = map[string]uint64{single: 4, half: 2}

// maxHalf is the largest finite binary16.
const maxHalf = 65504

// toHalf rounds x to the nearest binary16, ties to even. Finite values beyond the range become the largest.
func toHalf(x float32) uint16 {
	sign := uint16(math.Float32bits(x) >> 16 & 0x8000)
	x = min(float32(math.Abs(float64(x))), maxHalf)
	bits := math.Float32bits(x)
	exponent := int(bits>>23) - 127
	if exponent < -14 { // subnormal: multiples of 2^-24
		return sign | uint16(math.RoundToEven(float64(x)*(1<<24)))
	}
	bits += 0xFFF + bits>>13&1 // round the 13 lowest bits away; a carry raises the exponent
	return sign | uint16((bits>>13)-(127-15)<<10)
}

// fromHalf returns the value of a binary16.
func fromHalf(h uint16) float32 {
	sign, exponent, fraction := uint32(h>>15)<<31, uint32(h>>10&31), uint32(h&0x3FF)
	switch exponent {
	case 0: // subnormal: a multiple of 2^-24
		return math.Float32frombits(math.Float32bits(float32(fraction)/(1<<24)) | sign)
	case 31: // infinite or not a number
		return math.Float32frombits(sign | 0xFF<<23 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+127-15)<<23 | fraction<<13)
}

// appendValues appends values to a file, as a data type.
func appendValues(file []byte, values []float32, dtype string) []byte {
	if dtype == single {
		file, _ = binary.Append(file, binary.LittleEndian, values) // never fails on floats
		return file
	}
	for _, v := range values {
		file = binary.LittleEndian.AppendUint16(file, toHalf(v))
	}
	return file
}

// decode fills dst from little-endian values of a data type and reports whether all are finite.
func decode(dst []float32, src []byte, dtype string) bool {
	for i := range dst {
		if dtype == half {
			dst[i] = fromHalf(binary.LittleEndian.Uint16(src[2*i:]))
		} else {
			dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(src[4*i:]))
		}
		if dst[i]-dst[i] != 0 { // infinite, or not a number
			return false
		}
	}
	return true
}
