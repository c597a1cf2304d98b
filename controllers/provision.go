package controllers

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/ours"
	"github.com/storagebench/storagebench/internal/provisioning"
	"github.com/storagebench/storagebench/internal/storage"
)

// applyOptions make the operator the owner of the fields that it sets, whoever set them before.
var applyOptions = []client.ApplyOption{client.FieldOwner(v1alpha1.ManagedBy), client.ForceOwnership}

// provision makes what provisions the storage of all targets, so that trouble with it shows before the first run.
func provision(ctx context.Context, p *pass) (outcome, error) {
	if p.concluded() {
		return goOn(), nil
	}
	for i := range p.sb.Spec.Targets {
		if out, err := p.provisionTarget(ctx, &p.sb.Spec.Targets[i]); err != nil || out.stop {
			return out, err
		}
	}
	p.sb.Status.StorageRefusedSince = nil // also if the pass that made the last of it was cut off
	return goOn(), nil
}

// provisionTarget makes what provisions the storage of a target, where it is not there.
func (p *pass) provisionTarget(ctx context.Context, target *v1alpha1.Target) (outcome, error) {
	problem := p.withoutAttributes(target)
	if problem == "" {
		var err error
		if problem, err = p.withoutSource(ctx, target); err != nil {
			return outcome{}, err
		}
	}
	if problem != "" {
		p.fail(v1alpha1.ReasonProvisioningFailed, problem)
		return saveFirst(), nil
	}
	if !storage.IsProvisioned(target) {
		return goOn(), nil
	}
	if !slices.ContainsFunc(storage.ClaimNames(p.sb, target), p.isClaimMissing) {
		return p.noteClaims(ctx, target)
	}
	made, err := p.makeStorage(ctx, target)
	if err != nil {
		return outcome{}, err
	}
	return p.provisioned(target, made)
}

// storageMade is what became of a try to make what provisions a target's storage: what was there before, what was done about it, and what the API server
// answered to what was applied.
type storageMade struct {
	facts provisioning.Facts
	step  provisioning.Step
	err   error
}

// makeStorage makes what provisions a target's storage, or goes one step further towards that. An error of its own is one of a call before that.
func (p *pass) makeStorage(ctx context.Context, target *v1alpha1.Target) (storageMade, error) {
	objects := storage.For(p.sb, target, job.UserOf(p.sb))
	facts, err := p.storageFacts(ctx, target, objects)
	if err != nil {
		return storageMade{}, err
	}
	made := storageMade{facts: facts, step: provisioning.Next(facts)}
	switch made.step {
	case provisioning.ForgetClaims:
		err = p.forgetClaims(ctx, target)
	case provisioning.FreeVolume: // nothing is lost with it, and it is made anew
		err = p.deleteObject(ctx, "", facts.InTheWay)
	case provisioning.MakeObjects:
		made.err = p.applyObjects(ctx, objects)
	case provisioning.LookAgain, provisioning.RefuseTaken:
	}
	return made, err
}

// storageFacts reads what is there in the place of what provisions a target's storage.
func (p *pass) storageFacts(ctx context.Context, target *v1alpha1.Target, objects storage.Objects) (facts provisioning.Facts, err error) {
	fresh, err := p.isFresh(ctx)
	if err != nil || !fresh {
		return provisioning.Facts{Stale: true}, err
	}
	facts.Noted = p.targetStatus(target.Name).ClaimsUID != "" && !storage.MakesVolume(target)
	if facts.Taken, err = p.ownedByOthers(ctx, objects); err != nil {
		return facts, err
	}
	facts.InTheWay, err = p.volumeInTheWay(ctx, objects)
	return facts, err
}

// volumeInTheWay returns the benchmark's own PersistentVolume of storage that is mounted as it is, if it has to go before it is made anew, else nil.
func (p *pass) volumeInTheWay(ctx context.Context, objects storage.Objects) (*corev1.PersistentVolume, error) {
	if objects.Volume == nil {
		return nil, nil
	}
	volume, err := p.liveVolume(ctx, *objects.Volume.Name, "get PersistentVolume")
	if err != nil || !ours.ClusterObject(p.sb, volume) {
		return nil, err
	}
	claim, err := p.liveClaim(ctx, *objects.Claims[0].Name)
	if err != nil || !provisioning.IsInTheWay(volume, claim.UID) {
		return nil, err
	}
	return volume, nil
}

// files says what has become of a target's test files for which its storage was made once more.
func (m storageMade) files(target *v1alpha1.Target) (v1alpha1.TestFilesState, error) {
	switch {
	case m.step == provisioning.RefuseTaken, apierrors.HasStatusCause(m.err, corev1.NamespaceTerminatingCause): // nothing can be made there, or not any more
		return v1alpha1.TestFilesLeftBehind, nil
	case m.err != nil:
		return v1alpha1.TestFilesPresent, fmt.Errorf("reach test files of target %s: %w", target.Name, m.err)
	default:
		return v1alpha1.TestFilesPresent, nil
	}
}

// provisioned says how the benchmark goes on after a try to make a target's storage.
func (s *scope) provisioned(target *v1alpha1.Target, m storageMade) (outcome, error) {
	switch m.step {
	case provisioning.RefuseTaken:
		s.refuseTaken(target, m.facts.Taken)
		return saveFirst(), nil
	case provisioning.FreeVolume:
		return s.awaitStorage(target, describeFreed(m.facts.InTheWay), pollChildren), nil
	case provisioning.ForgetClaims:
		if s.changed() {
			return saveFirst(), nil
		}
		return awaitFor(retrySoon), nil
	case provisioning.LookAgain:
		return awaitFor(retrySoon), nil
	default:
		return s.applied(target, m.err)
	}
}

// applied says how it goes on after what provisions a target's storage was applied.
func (s *scope) applied(target *v1alpha1.Target, err error) (outcome, error) {
	switch {
	case apierrors.IsInvalid(err):
		s.fail(v1alpha1.ReasonProvisioningFailed, fmt.Sprintf("target %s: %v", target.Name, err))
		return saveFirst(), nil
	case isRefused(err):
		return s.awaitStorage(target, err.Error(), pollWaiting), nil
	case err != nil:
		return outcome{}, fmt.Errorf("target %s: %w", target.Name, err)
	}
	s.sb.Status.StorageRefusedSince = nil // other targets have their own time
	return goOn(), nil
}

// describeFreed says that a PersistentVolume is deleted first, and what keeps it.
func describeFreed(volume *corev1.PersistentVolume) string {
	text := fmt.Sprintf("PersistentVolume %s is being deleted, to be made anew", volume.Name)
	if len(volume.Finalizers) > 0 {
		text += "; it is kept by finalizer " + strings.Join(volume.Finalizers, ", ")
	}
	return text
}

// refuseTaken ends the benchmark where something that is somebody else's is in the place of what a target needs.
func (s *scope) refuseTaken(target *v1alpha1.Target, taken string) {
	s.fail(v1alpha1.ReasonProvisioningFailed, fmt.Sprintf("target %s: %s exists, and was not made for this benchmark; delete or rename it, and create the benchmark anew", target.Name, taken))
}

// awaitStorage waits for those who do not let a target's storage be made to change their minds, for as long as a volume
// may take to be made. Whoever resumes a benchmark gives it that time anew.
func (s *scope) awaitStorage(target *v1alpha1.Target, why string, poll time.Duration) outcome {
	about, limit := fmt.Sprintf("target %s: ", target.Name), s.volumeLimit()
	if s.sb.Status.StorageRefusedSince == nil {
		s.sb.Status.StorageRefusedSince = new(s.now)
	}
	if remaining := s.deadline(s.sb.Status.StorageRefusedSince.Time, limit.seconds); remaining > 0 {
		s.step(v1alpha1.ReasonProvisioning, s.retold(v1alpha1.ConditionSucceeded, about, why))
		return awaitFor(min(remaining, poll)).resting(remaining)
	}
	s.fail(v1alpha1.ReasonProvisioningFailed, fmt.Sprintf("target %s %s: %s", target.Name, limit.waited("its storage to be made"), why))
	return saveFirst()
}

func (s *scope) isClaimMissing(name string) bool { return s.claims[name] == nil }

// withoutAttributes says of a target that its claims have no VolumeAttributesClass though it names one. API servers
// without them drop the field, and do not say so: what is measured would be another volume than was asked for. Only a
// namespaced operator comes this far, which cannot look for the class.
func (s *scope) withoutAttributes(target *v1alpha1.Target) string {
	if target.VolumeAttributesClassName == nil {
		return ""
	}
	for _, name := range storage.ClaimNames(s.sb, target) {
		if claim := s.claims[name]; claim != nil && claim.Spec.VolumeAttributesClassName == nil {
			return fmt.Sprintf("target %s: claim %s has lost its volumeAttributesClassName: %s", target.Name, name, noAttributesClasses)
		}
	}
	return ""
}

// applyObjects makes what provisions a target's storage, the claims last: where they are, all is. Those that are there stay as they are: of
// many clients, one that is missing would have all others written, and read, again.
func (p *pass) applyObjects(ctx context.Context, objects storage.Objects) error {
	if objects.Class != nil {
		if err := p.makeClass(ctx, objects.Class); err != nil {
			return fmt.Errorf("apply StorageClass: %w", err)
		}
	}
	if objects.Volume != nil {
		if err := p.makeVolume(ctx, objects.Volume); err != nil {
			return fmt.Errorf("apply PersistentVolume: %w", err)
		}
	}
	missing := slices.DeleteFunc(slices.Clone(objects.Claims), func(claim *corev1ac.PersistentVolumeClaimApplyConfiguration) bool {
		return !p.isClaimMissing(*claim.Name)
	})
	errs := inParallel(ctx, missing, func(claim *corev1ac.PersistentVolumeClaimApplyConfiguration) error {
		return p.Client.Apply(ctx, claim, applyOptions...)
	})
	for i, claim := range missing {
		p.memory.makesClaim(*claim.Name, errs[i])
	}
	if i := slices.IndexFunc(errs, func(err error) bool { return err != nil }); i >= 0 {
		return fmt.Errorf("apply claim: %w", errs[i])
	}
	return nil
}

// liveClaim returns a claim of the benchmark's namespace as the API server has it, an empty one if it is gone.
func (p *pass) liveClaim(ctx context.Context, name string) (*corev1.PersistentVolumeClaim, error) {
	claim := &corev1.PersistentVolumeClaim{}
	err := p.Live.Get(ctx, types.NamespacedName{Namespace: p.sb.Namespace, Name: name}, claim)
	return claim, client.IgnoreNotFound(err)
}

// liveVolume returns a volume as the API server has it, an empty one if it is gone. Its error says for what it was asked.
func (p *pass) liveVolume(ctx context.Context, name, doing string) (*corev1.PersistentVolume, error) {
	volume := &corev1.PersistentVolume{}
	err := p.Live.Get(ctx, types.NamespacedName{Name: name}, volume)
	return volume, unlessGone(err, doing)
}

// recordPlace notes the volume that a client uses of a target, and its node, once a pod that uses it has been
// scheduled. A volume that clients share is the first one's.
func (p *pass) recordPlace(ctx context.Context, target *v1alpha1.Target, client int32, pod *corev1.Pod) error {
	if pod == nil || pod.Spec.NodeName == "" || (client > 0 && storage.IsShared(target)) {
		return nil
	}
	status := p.targetStatus(target.Name)
	isCompared := storage.IsProvisioned(target) || p.memory.placed[target.Name] == pod.UID
	if isCompared && storage.IsShared(target) && len(status.Volumes) == 1 && status.Volumes[0].Node == pod.Spec.NodeName {
		return nil
	}
	name := storage.ClaimName(p.sb, target, client)
	claim := p.claims[name]
	if claim == nil || claim.Spec.VolumeName == "" { // the claims of a pod that has a node are bound, heard of or not
		claim = &corev1.PersistentVolumeClaim{}
		if err := p.Live.Get(ctx, types.NamespacedName{Namespace: p.sb.Namespace, Name: name}, claim); err != nil {
			return unlessGone(err, "get claim of target "+target.Name)
		}
		claim.Spec = trimClaim(&claim.Spec)
	}
	if err := p.comparePlacedClaim(ctx, target, claim, pod); err != nil || p.concluded() {
		return err
	}
	if err := p.recordVolume(ctx, status, claim, pod.Spec.NodeName); err != nil {
		return err
	}
	noteLimits(target, status)
	return nil
}

// noteLimits notes the limits that follow from the first client's node: its own, and those that the storage has in its region.
func noteLimits(target *v1alpha1.Target, status *v1alpha1.TargetStatus) {
	if len(status.Volumes) == 0 {
		return
	}
	node := &status.Volumes[0]
	status.Limits = storage.LimitsInZone(target, status.Limits, node.Zone)
	status.ClientLimits = storage.ClientLimits(target, status.Driver, node.InstanceType)
}

// place is what was read of where a claim's volume is used.
type place struct {
	claim *corev1.PersistentVolumeClaim
	// volume is nil where all is known of it, or where the operator sees no volumes.
	volume *corev1.PersistentVolume
	// node is "" where no pod uses the volume yet. labels are those of the node.
	node   string
	labels map[string]string
}

// recordVolume notes in the status which volume a claim of a target is bound to, and which node it is measured from.
func (p *pass) recordVolume(ctx context.Context, target *v1alpha1.TargetStatus, claim *corev1.PersistentVolumeClaim, node string) error {
	if claim.Spec.VolumeName == "" {
		return nil
	}
	at, err := p.readPlace(ctx, target, claim, node)
	if err == nil {
		p.notePlace(target, at)
	}
	return err
}

// readPlace reads what is not known yet of the volume of a claim, and of its node.
func (p *pass) readPlace(ctx context.Context, target *v1alpha1.TargetStatus, claim *corev1.PersistentVolumeClaim, node string) (at place, err error) {
	at = place{claim: claim, node: node}
	known := knownVolume(target, claim.Spec.VolumeName)
	if known.Handle == "" && !p.isNamespaced() {
		if at.volume, err = p.liveVolume(ctx, known.Name, "get volume of target "+target.Name); err != nil {
			return at, err
		}
	}
	if node != "" && known.Node != node {
		at.labels, err = p.nodeLabels(ctx, node)
	}
	return at, err
}

// notePlace notes a volume of a target, and its node. Volumes are in the order of their claims, as far as they are known.
func (s *scope) notePlace(target *v1alpha1.TargetStatus, at place) {
	volume := knownVolume(target, at.claim.Spec.VolumeName)
	if at.volume != nil {
		if !isBound(at.volume, at.claim) {
			return
		}
		volume.Handle = handle(at.volume)
		s.noteProvisioning(target, at.claim, at.volume)
		if s.claimTargets[at.claim.Name] == "" { // somebody's, of which nothing else tells the driver
			target.Driver = provisionerOf(at.volume)
		}
		if at.node != "" { // a pod uses it
			s.noteExistingVolume(target, at.claim, at.volume)
		}
	}
	if at.node != "" && volume.Node != at.node {
		volume.Node, volume.Zone, volume.InstanceType = at.node, at.labels[corev1.LabelTopologyZone], at.labels[corev1.LabelInstanceTypeStable]
	}
	s.putVolume(target, volume)
}

// knownVolume returns what is known of a volume of a target, at least its name.
func knownVolume(target *v1alpha1.TargetStatus, name string) v1alpha1.VolumeStatus {
	if at := volumeIndex(target, name); at >= 0 {
		return target.Volumes[at]
	}
	return v1alpha1.VolumeStatus{Name: name}
}

// noteProvisioning notes how long a volume that was made for the benchmark took, of several the one that took longest. The provisioner makes
// the object when it has the volume, which may be long before a run looks. A volume that is older than its claim was there before, or has its
// time from another clock: nothing is known of how long it took.
func (s *scope) noteProvisioning(target *v1alpha1.TargetStatus, claim *corev1.PersistentVolumeClaim, pv *corev1.PersistentVolume) {
	took := pv.CreationTimestamp.Sub(claim.CreationTimestamp.Time).Milliseconds()
	if s.claims[claim.Name] == nil || took < 0 {
		return
	}
	target.ProvisionedMilliseconds = new(max(took, ptr.Deref(target.ProvisionedMilliseconds, 0)))
}

// putVolume notes a volume of a target, in the place of what was known of it. A target of one claim has no other volume.
func (s *scope) putVolume(target *v1alpha1.TargetStatus, volume v1alpha1.VolumeStatus) {
	switch at := volumeIndex(target, volume.Name); {
	case at >= 0:
		target.Volumes[at] = volume
	case len(target.Claims) > 1:
		target.Volumes = append(target.Volumes, volume)
	default:
		target.Volumes = []v1alpha1.VolumeStatus{volume}
	}
	s.sortVolumes(target)
}

func volumeIndex(target *v1alpha1.TargetStatus, name string) int {
	return slices.IndexFunc(target.Volumes, func(v v1alpha1.VolumeStatus) bool { return v.Name == name })
}

// sortVolumes puts a target's volumes into the order of their claims, once it is known what all of these are bound to: the
// cache may hear of it late.
func (s *scope) sortVolumes(target *v1alpha1.TargetStatus) {
	if slices.ContainsFunc(target.Volumes, func(v v1alpha1.VolumeStatus) bool { return s.claimOf(target, v.Name) < 0 }) {
		return
	}
	slices.SortFunc(target.Volumes, func(a, b v1alpha1.VolumeStatus) int { return s.claimOf(target, a.Name) - s.claimOf(target, b.Name) })
}

// claimOf returns which of a target's claims is bound to a volume, -1 if that is not known.
func (s *scope) claimOf(target *v1alpha1.TargetStatus, volume string) int {
	return slices.IndexFunc(target.Claims, func(name string) bool {
		return s.claims[name] != nil && s.claims[name].Spec.VolumeName == volume
	})
}

// isBound says whether a volume is a claim's by its own word. By that of the claim it need not be: who makes a claim can name
// any volume of the cluster there, also one of another namespace.
func isBound(pv *corev1.PersistentVolume, claim *corev1.PersistentVolumeClaim) bool {
	ref := pv.Spec.ClaimRef
	return ref != nil && ref.Namespace == claim.Namespace && ref.Name == claim.Name && (ref.UID == claim.UID || ref.UID == "")
}

// handle returns what the volume is called by the storage, such as vol-0123456789abcdef0.
func handle(pv *corev1.PersistentVolume) string {
	switch source := pv.Spec.PersistentVolumeSource; {
	case source.CSI != nil:
		return source.CSI.VolumeHandle
	case source.Local != nil:
		return source.Local.Path
	case source.HostPath != nil:
		return source.HostPath.Path
	case source.NFS != nil:
		return source.NFS.Server + ":" + source.NFS.Path
	default:
		return pv.Name
	}
}

// provisionerOf returns the driver that has made a volume, and deletes it, "" if an administrator has made it.
func provisionerOf(pv *corev1.PersistentVolume) string { return pv.Annotations[provisionedBy] }

// driverOf returns the driver of a volume, "" if that has none.
func driverOf(pv *corev1.PersistentVolume) string {
	if pv.Spec.CSI != nil {
		return pv.Spec.CSI.Driver
	}
	return provisionerOf(pv)
}

// nodeLabels returns the labels of a node, none of one that is gone or that a namespaced operator may not read.
func (p *pass) nodeLabels(ctx context.Context, name string) (map[string]string, error) {
	if labels, known := p.nodes[name]; known || p.isNamespaced() {
		return labels, nil
	}
	var node corev1.Node
	if err := p.Live.Get(ctx, types.NamespacedName{Name: name}, &node); client.IgnoreNotFound(err) != nil {
		return nil, fmt.Errorf("get node: %w", err)
	}
	if p.nodes == nil {
		p.nodes = map[string]map[string]string{}
	}
	p.nodes[name] = node.Labels
	return node.Labels, nil
}
