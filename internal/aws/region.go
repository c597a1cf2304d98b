package aws

import "regexp"

// regionOfZone matches the region in the name of an Availability Zone, such as eu-west-1a, or of a Local Zone, such as us-west-2-lax-1a
// (https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/using-regions-availability-zones.html, read 2026-11-23).
var regionOfZone = regexp.MustCompile(`^([a-z]{2,4}(?:-[a-z]+)+-[0-9]+)(?:[a-z]|-[a-z0-9-]+)$`)

// RegionOf returns the region of a zone, as nodes have it in label topology.kubernetes.io/zone; "" if it is none of AWS.
func RegionOf(zone string) string {
	if found := regionOfZone.FindStringSubmatch(zone); found != nil {
		return found[1]
	}
	return ""
}
