package fiooutput

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

// rateOfLine matches the I/O rates of fio's progress line: the last brackets of
// "Jobs: 1 (f=1): [m(1)][50.0%][r=100KiB/s,w=0KiB/s][r=25,w=15.5k IOPS][eta 00m:01s]".
var rateOfLine = regexp.MustCompile(`\[((?:[rwt]=[0-9.]+[kMGT]?,?)+) IOPS\]`)

// thousands are the suffixes of fio's I/O rates.
var thousands = map[byte]float64{'k': 1e3, 'M': 1e6, 'G': 1e9, 'T': 1e12}

// RateOfLine returns the I/Os per second that a progress line of fio has, of all directions together. It has none while fio lays out files.
func RateOfLine(line string) (iops int64, ok bool) {
	found := rateOfLine.FindStringSubmatch(line)
	if found == nil {
		return 0, false
	}
	sum := 0.0
	for part := range strings.SplitSeq(found[1], ",") {
		_, number, _ := strings.Cut(part, "=")
		rate, err := scaledNumber(number)
		if err != nil {
			return 0, false
		}
		sum += rate
	}
	return int64(math.Round(min(sum, 1e15))), true
}

// scaledNumber returns a number that fio has shortened, such as 15.5k.
func scaledNumber(text string) (float64, error) {
	times := 1.0
	if last := len(text) - 1; last >= 0 && thousands[text[last]] > 0 {
		times, text = thousands[text[last]], text[:last]
	}
	number, err := strconv.ParseFloat(text, 64)
	return number * times, err
}
