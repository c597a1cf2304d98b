# What the scripts of this directory share: buildah, and where it keeps images. To be sourced.
#
# Images are built without a daemon, in a storage of their own in the user's cache, so that nothing else on the machine
# sees them and a second build finds what has not changed. One build at a time.

IMAGES_CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/storagebench/images
# What buildah holds for running builds has to be forgotten when the machine starts anew.
IMAGES_RUN=${XDG_RUNTIME_DIR:-/run}/storagebench-images

fail() {
  echo "images: $*" >&2
  exit 1
}

image() { buildah --storage-driver overlay --root "$IMAGES_CACHE/storage" --runroot "$IMAGES_RUN" "$@"; }

lock_images() {
  ((EUID == 0)) || fail "building images needs root here; elsewhere build the Dockerfile with docker buildx"
  mkdir -p "$IMAGES_CACHE/tmp" "$IMAGES_RUN"
  export TMPDIR=$IMAGES_CACHE/tmp # buildah keeps the build's cache mounts there
  exec {images_lock}>"$IMAGES_CACHE/lock"
  flock "$images_lock"
  image rm --all >/dev/null # what a build that was interrupted has left
}

# Prints the default of an argument of the Dockerfile: dockerfile_default FIO_VERSION
dockerfile_default() { sed -n "s/^ARG $1=//p" Dockerfile | head -n 1; }
