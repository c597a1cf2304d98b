package tangled

var _ = first
