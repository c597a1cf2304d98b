package sizelimit

import "github.com/fxamacker/cbor/v2"

// CBOR returns a decoder that refuses what encoders of ours do not write: arrays that are longer, deep nesting, tags, and lengths that are told only by the
// end. maxArray is the most elements that an array may have.
func CBOR(maxArray int) cbor.DecMode {
	mode, err := cbor.DecOptions{
		MaxArrayElements: maxArray,
		MaxMapPairs:      64,
		MaxNestedLevels:  8,
		IndefLength:      cbor.IndefLengthForbidden,
		TagsMd:           cbor.TagsForbidden,
	}.DecMode()
	if err != nil {
		panic(err) // the options above are wrong, whatever is decoded
	}
	return mode
}
