//! Keys and files: the object `a/b` of a bucket is the file `a/b` below the bucket's
//! directory, so that whoever looks sees what there is.

use std::{
    collections::BTreeMap,
    fs::{self, Metadata},
    io::{self, ErrorKind},
    os::unix::fs::MetadataExt,
    path::{Component, Path, PathBuf},
};

/// How often a directory may vanish while an object is put into it.
const ATTEMPTS: usize = 10;

/// A directory with one directory a bucket.
#[derive(Clone, Debug)]
pub struct Tree {
    root: PathBuf,
}

/// What a listing has in one place: an object, or all keys with the same beginning.
#[derive(Debug)]
pub enum Entry {
    Object(Metadata),
    Prefix,
}

impl Tree {
    pub fn new(root: &Path) -> Self {
        Self { root: root.to_owned() }
    }

    pub fn bucket(&self, bucket: &str) -> io::Result<PathBuf> {
        let path = self.root.join(relative(bucket)?);
        if path.is_dir() {
            Ok(path)
        } else {
            Err(ErrorKind::NotFound.into())
        }
    }

    /// The file that an object is or would be.
    pub fn path(&self, bucket: &str, key: &str) -> io::Result<PathBuf> {
        Ok(self.bucket(bucket)?.join(relative(key)?))
    }

    /// The file of an object that there is. A directory is none: S3 knows only keys.
    pub fn object(&self, bucket: &str, key: &str) -> io::Result<(PathBuf, Metadata)> {
        let path = self.path(bucket, key)?;
        let found = fs::metadata(&path)?;
        if found.is_file() {
            Ok((path, found))
        } else {
            Err(ErrorKind::NotFound.into())
        }
    }

    /// Makes a finished file an object, in one step.
    pub fn place(&self, file: &Path, bucket: &str, key: &str) -> io::Result<Metadata> {
        let path = self.path(bucket, key)?;
        let mut attempt = 0;
        loop {
            fs::create_dir_all(path.parent().unwrap_or(&self.root))?;
            match fs::rename(file, &path) {
                // The last object of that directory was deleted in this moment.
                Err(error) if error.kind() == ErrorKind::NotFound && attempt < ATTEMPTS => attempt += 1,
                Err(error) => return Err(error),
                Ok(()) => return fs::metadata(&path),
            }
        }
    }

    /// Deletes an object, and the directories that only it was in. Without the object
    /// that is no error, as in S3.
    pub fn delete(&self, bucket: &str, key: &str) -> io::Result<()> {
        let top = self.bucket(bucket)?;
        let Ok((path, _)) = self.object(bucket, key) else {
            return Ok(());
        };
        match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        for parent in path.ancestors().skip(1).take_while(|parent| *parent != top) {
            if fs::remove_dir(parent).is_err() {
                break; // there is something in it
            }
        }
        Ok(())
    }

    /// Lists a bucket in the order of S3. What follows the delimiter after the prefix
    /// is rolled up, unless the delimiter is empty.
    pub fn list(&self, bucket: &str, prefix: &str, delimiter: &str) -> io::Result<BTreeMap<String, Entry>> {
        let top = self.bucket(bucket)?;
        let mut entries = BTreeMap::new();
        // No key with the prefix is outside of the directory that the prefix names.
        let directory = prefix.rfind('/').map_or("", |end| &prefix[..=end]);
        walk(&top.join(directory), directory, &mut |key, found| {
            let Some(rest) = key.strip_prefix(prefix) else { return };
            match rest.find(delimiter) {
                Some(at) if !delimiter.is_empty() => {
                    let end = prefix.len() + at + delimiter.len();
                    entries.insert(key[..end].to_owned(), Entry::Prefix);
                }
                _ => {
                    entries.insert(key, Entry::Object(found));
                }
            }
        })?;
        Ok(entries)
    }
}

/// Changes with each new object of the same key, which is all that an ETag must do.
pub fn etag(found: &Metadata) -> String {
    format!(
        "{:x}-{:x}-{:x}",
        found.ino(),
        found.size(),
        found.mtime() as i128 * 1_000_000_000 + i128::from(found.mtime_nsec())
    )
}

/// A path that stays below where it begins.
fn relative(key: &str) -> io::Result<&Path> {
    let path = Path::new(key);
    let plain = path.components().all(|part| matches!(part, Component::Normal(_)));
    // A file cannot have the name of a "directory object".
    if key.is_empty() || key.ends_with('/') || !plain {
        return Err(ErrorKind::NotFound.into());
    }
    Ok(path)
}

/// Calls `visit` for each file below a directory, whose keys begin with `prefix`.
fn walk(directory: &Path, prefix: &str, visit: &mut impl FnMut(String, Metadata)) -> io::Result<()> {
    let entries = match fs::read_dir(directory) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else {
            continue;
        };
        let key = format!("{prefix}{name}");
        match entry.metadata() {
            Ok(found) if found.is_dir() => walk(&entry.path(), &(key + "/"), visit)?,
            Ok(found) => visit(key, found),
            Err(error) if error.kind() == ErrorKind::NotFound => {} // deleted meanwhile
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    fn tree(keys: &[&str]) -> (Scratch, Tree) {
        let scratch = Scratch::new();
        fs::create_dir(scratch.path().join("bucket")).unwrap();
        let tree = Tree::new(scratch.path());
        for key in keys {
            let file = scratch.path().join("upload");
            fs::write(&file, key).unwrap();
            tree.place(&file, "bucket", key).unwrap();
        }
        (scratch, tree)
    }

    #[test]
    fn lists() {
        let (_scratch, tree) = tree(&["a", "b/1", "b/2", "b/c/3", "bx", "c/4"]);
        for (prefix, delimiter, want) in [
            ("", "", "a b/1 b/2 b/c/3 bx c/4"),
            ("", "/", "a b/ bx c/"),
            ("b", "/", "b/ bx"),
            ("b/", "/", "b/1 b/2 b/c/"),
            ("b/", "", "b/1 b/2 b/c/3"),
            ("b/c", "/", "b/c/"),
            ("none/", "/", ""),
            ("a/", "/", ""),
        ] {
            let found: Vec<String> = tree.list("bucket", prefix, delimiter).unwrap().into_keys().collect();
            assert_eq!(found.join(" "), want, "prefix {prefix:?}, delimiter {delimiter:?}");
        }
    }

    #[test]
    fn deletes_what_is_empty() {
        let (scratch, tree) = tree(&["a/b/1", "a/2"]);
        for key in ["a/b/1", "a/b/1", "a"] {
            tree.delete("bucket", key).unwrap();
        }
        assert!(!scratch.path().join("bucket/a/b").exists() && scratch.path().join("bucket/a/2").exists());
        tree.delete("bucket", "a/2").unwrap();
        assert!(!scratch.path().join("bucket/a").exists() && scratch.path().join("bucket").exists());
    }

    #[test]
    fn keys_stay_in_the_bucket() {
        let (_scratch, tree) = tree(&["a/1"]);
        for key in ["", "../x", "/etc/passwd", "a/../../x", "a", "a/"] {
            assert!(tree.object("bucket", key).is_err(), "{key:?} is an object");
        }
        assert!(tree.bucket("..").is_err() && tree.bucket("none").is_err());
    }

    #[test]
    fn etag_is_of_the_object() {
        let (scratch, tree) = tree(&["a"]);
        let before = etag(&tree.object("bucket", "a").unwrap().1);
        assert_eq!(before, etag(&tree.object("bucket", "a").unwrap().1));
        let file = scratch.path().join("upload");
        fs::write(&file, "a").unwrap();
        assert_ne!(before, etag(&tree.place(&file, "bucket", "a").unwrap()));
    }
}
