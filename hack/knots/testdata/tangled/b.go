package tangled

func second() int { local := third(); return local }

type embeds struct{ base }

func (*embeds) Three() {}
