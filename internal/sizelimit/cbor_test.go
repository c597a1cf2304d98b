package sizelimit

import "testing"

// What is decoded has no more than may be, and nothing that leaves its size open.
func TestCBOR(t *testing.T) {
	mode := CBOR(16)
	deep := func(levels int) []byte { // arrays of one array, and 0 in the last
		data := make([]byte, levels+1)
		for i := range levels {
			data[i] = 0x81
		}
		return data
	}
	for _, test := range []struct {
		name string
		data []byte
		ok   bool
	}{
		{"an array of 16", append([]byte{0x90}, make([]byte, 16)...), true},
		{"an array of 17", append([]byte{0x91}, make([]byte, 17)...), false},
		{"a map", []byte{0xa1, 0x01, 0x02}, true},
		{"8 levels", deep(8), true},
		{"9 levels", deep(9), false},
		{"a length that is told by the end", []byte{0x9f, 0x01, 0xff}, false},
		{"a tag", []byte{0xc1, 0x01}, false},
	} {
		var value any
		if err := mode.Unmarshal(test.data, &value); (err == nil) != test.ok {
			t.Errorf("%s: error %v, want success: %t", test.name, err, test.ok)
		}
	}
}
