package aws

import "testing"

func TestRegionOf(t *testing.T) {
	for zone, want := range map[string]string{
		"us-east-1a":             "us-east-1",
		"ap-northeast-1c":        "ap-northeast-1",
		"us-gov-west-1b":         "us-gov-west-1",
		"us-west-2-lax-1a":       "us-west-2",
		"us-east-1-wl1-bos-wlz1": "us-east-1",
		"cn-north-1a":            "cn-north-1",
		"eusc-de-east-1a":        "eusc-de-east-1",
		"":                       "",
		"local-a":                "",
		"us-east-1":              "",
		"europe-west1-b":         "",
		"zone-1":                 "",
	} {
		if got := RegionOf(zone); got != want {
			t.Errorf("region of %q is %q, want %q", zone, got, want)
		}
	}
}
