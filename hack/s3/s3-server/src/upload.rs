//! Objects on their way in: single files, and multipart uploads, whose parts are files
//! in a directory of their own.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, ErrorKind},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
    time::{SystemTime, UNIX_EPOCH},
};

use futures::TryStreamExt;
use s3s::dto::StreamingBlob;
use tokio::io::AsyncWriteExt;

/// A directory for what is not an object yet. It must be on the buckets' file system.
pub struct Uploads {
    directory: PathBuf,
    next: AtomicU64,
}

impl Uploads {
    /// Begins with an empty directory: nobody goes on with an upload after a restart.
    pub fn open(directory: PathBuf) -> io::Result<Self> {
        match fs::remove_dir_all(&directory) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        fs::create_dir_all(&directory)?;
        // Identifiers of uploads before a restart must not come again.
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_err(io::Error::other)?;
        let next = AtomicU64::new(now.as_micros() as u64);
        Ok(Self { directory, next })
    }

    /// A path that nothing else has.
    pub fn fresh(&self) -> PathBuf {
        self.directory
            .join(format!("{:x}", self.next.fetch_add(1, Ordering::Relaxed)))
    }

    /// Begins a multipart upload and returns its identifier.
    pub fn begin(&self) -> io::Result<String> {
        let path = self.fresh();
        fs::create_dir(&path)?;
        Ok(path.file_name().unwrap_or_default().to_string_lossy().into_owned())
    }

    fn find(&self, id: &str) -> io::Result<PathBuf> {
        let path = self.directory.join(id);
        if id.chars().all(|c| c.is_ascii_hexdigit()) && path.is_dir() {
            Ok(path)
        } else {
            Err(ErrorKind::NotFound.into())
        }
    }

    pub fn part(&self, id: &str, number: i32) -> io::Result<PathBuf> {
        Ok(self.find(id)?.join(number.to_string()))
    }

    /// Joins the parts into one file and returns it. The first part becomes the whole.
    pub fn join(&self, id: &str, numbers: &[i32]) -> io::Result<PathBuf> {
        let Some((first, others)) = numbers.split_first() else {
            return Err(io::Error::new(ErrorKind::InvalidInput, "an upload without parts"));
        };
        let whole = self.part(id, *first)?;
        let mut file = OpenOptions::new().append(true).open(&whole)?;
        for number in others {
            let part = self.part(id, *number)?;
            io::copy(&mut File::open(&part)?, &mut file)?;
            fs::remove_file(part)?;
        }
        Ok(whole)
    }

    pub fn end(&self, id: &str) -> io::Result<()> {
        fs::remove_dir_all(self.find(id)?)
    }
}

/// Writes a request's body into a file.
pub async fn receive(mut body: StreamingBlob, path: &Path) -> io::Result<()> {
    let mut file = tokio::fs::File::create(path).await?;
    while let Some(bytes) = body.try_next().await.map_err(io::Error::other)? {
        file.write_all(&bytes).await?;
    }
    file.flush().await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn parts_are_joined_in_order() {
        let scratch = Scratch::new();
        let uploads = Uploads::open(scratch.path().join("uploads")).unwrap();
        let id = uploads.begin().unwrap();
        for (number, content) in [(3, "c"), (1, "a"), (2, "bb")] {
            fs::write(uploads.part(&id, number).unwrap(), content).unwrap();
        }
        let whole = uploads.join(&id, &[1, 2, 3]).unwrap();
        assert_eq!(fs::read_to_string(whole).unwrap(), "abbc");
        uploads.end(&id).unwrap();
        assert!(uploads.part(&id, 1).is_err(), "an ended upload takes parts");
        assert!(uploads.part("../x", 1).is_err());
    }
}
