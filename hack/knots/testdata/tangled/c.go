package tangled

func third() int { return len([]func() int{first}) }
