package controllers

import (
	"context"
	"fmt"

	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/internal/ours"
	"github.com/storagebench/storagebench/internal/storage"
)

// ownedByOthers names one of the objects that is there and somebody else's, "" if there is none. Applied, it would be taken over where
// its spec is the same, and deleted at the end with the data that it stands for. Jobs and pods need no such look: their specs
// cannot be the same, and the API server refuses to change them.
func (p *pass) ownedByOthers(ctx context.Context, objects storage.Objects) (string, error) {
	for _, look := range []func(context.Context, storage.Objects) (string, error){p.classOfOthers, p.volumeOfOthers, p.claimOfOthers} {
		if name, err := look(ctx, objects); name != "" || err != nil {
			return name, err
		}
	}
	return "", nil
}

func (p *pass) classOfOthers(ctx context.Context, objects storage.Objects) (string, error) {
	if objects.Class == nil {
		return "", nil
	}
	class, err := p.liveClass(ctx, ptr.Deref(objects.Class.Name, ""))
	if err != nil || class == nil || ours.ClusterObject(p.sb, class) {
		return "", err
	}
	return "StorageClass " + class.Name, nil
}

// liveClass returns a StorageClass as the API server has it, nil if there is none. It lists, which it has to be allowed anyway.
func (p *pass) liveClass(ctx context.Context, name string) (*storagev1.StorageClass, error) {
	var classes storagev1.StorageClassList
	if err := p.Live.List(ctx, &classes); err != nil {
		return nil, fmt.Errorf("list StorageClasses: %w", err)
	}
	for i := range classes.Items {
		if classes.Items[i].Name == name {
			return &classes.Items[i], nil
		}
	}
	return nil, nil
}

func (p *pass) volumeOfOthers(ctx context.Context, objects storage.Objects) (string, error) {
	if objects.Volume == nil {
		return "", nil
	}
	volume, err := p.liveVolume(ctx, ptr.Deref(objects.Volume.Name, ""), "get PersistentVolume")
	if err != nil || volume.Name == "" || ours.ClusterObject(p.sb, volume) {
		return "", err
	}
	return "PersistentVolume " + volume.Name, nil
}

// claimOfOthers asks for each claim by its name: how many others there are in a namespace is its tenants' choice.
func (p *pass) claimOfOthers(ctx context.Context, objects storage.Objects) (string, error) {
	made := ours.ClaimTargets(p.sb)
	for _, wanted := range objects.Claims {
		claim, err := p.liveClaim(ctx, ptr.Deref(wanted.Name, ""))
		switch {
		case err != nil:
			return "", fmt.Errorf("get claim: %w", err)
		case claim.Name != "" && !ours.Claim(p.sb, made, claim):
			return "PersistentVolumeClaim " + claim.Name, nil
		}
	}
	return "", nil
}
