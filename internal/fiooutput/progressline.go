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

// bandwidthOfLine matches the bandwidths of such a line.
var bandwidthOfLine = regexp.MustCompile(`\[((?:[rwt]=[0-9.]+[KMGTP]?i?B/s,?)+)\]`)

// thousands are the suffixes of fio's I/O rates.
var thousands = map[byte]float64{'k': 1e3, 'M': 1e6, 'G': 1e9, 'T': 1e12}

// RateOfLine returns the I/Os per second that a progress line of fio has, of all directions together. It has none while fio lays out files.
func RateOfLine(line string) (iops int64, ok bool) {
	return sumOfLine(rateOfLine.FindStringSubmatch(line), scaledNumber)
}

// BandwidthOfLine is RateOfLine for bytes per second.
func BandwidthOfLine(line string) (bytesPerSecond int64, ok bool) {
	return sumOfLine(bandwidthOfLine.FindStringSubmatch(line), scaledBytes)
}

// sumOfLine adds up what a match has of all directions.
func sumOfLine(found []string, number func(string) (float64, error)) (int64, bool) {
	if found == nil {
		return 0, false
	}
	sum := 0.0
	for part := range strings.SplitSeq(found[1], ",") {
		_, text, _ := strings.Cut(part, "=")
		rate, err := number(text)
		if err != nil {
			return 0, false
		}
		sum += rate
	}
	return int64(math.Round(min(sum, 1e15))), true
}

// scaledBytes returns a number of bytes that fio has shortened, such as 11.8MiB/s: units with an i are of 1024, others of 1000.
func scaledBytes(text string) (float64, error) {
	digits := strings.TrimRight(text, "KMGTPiB/s")
	unit, base, times := text[len(digits):], 1000.0, 1.0
	if strings.Contains(unit, "i") {
		base = 1024
	}
	for range 1 + strings.IndexByte("KMGTP", unit[0]) {
		times *= base
	}
	number, err := strconv.ParseFloat(digits, 64)
	return number * times, err
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
