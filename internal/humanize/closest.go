package humanize

// maxGuessed is the longest name for which similar ones are looked for.
const maxGuessed = 64

// Closest returns the known name that a misspelt one is most similar to, the first of several, "" if there is none.
func Closest(name string, known []string) string {
	if len(name) > maxGuessed {
		return ""
	}
	best, least := "", max(1, len(name)/3)+1
	for _, k := range known {
		if d := distance(name, k); d < least {
			best, least = k, d
		}
	}
	return best
}

// distance is the Levenshtein distance of two names: how many bytes must change between them.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			changed := diagonal
			if a[i] != b[j] {
				changed++
			}
			diagonal = row[j+1]
			row[j+1] = min(changed, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}
