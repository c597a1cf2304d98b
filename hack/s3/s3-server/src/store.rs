//! The part of the S3 API that Mountpoint uses, on files.

use std::{
    fs::{self, File, Metadata},
    io::{self, ErrorKind, Read, Seek, SeekFrom},
    ops::Range,
    path::Path,
    sync::Arc,
    time::Duration,
};

use bytes::Bytes;
use futures::stream;
use s3s::{S3, S3Error, S3Request, S3Response, S3Result, dto::*, s3_error};
use tokio::task::spawn_blocking;

use crate::{
    tree::{Entry, Tree, etag},
    upload::{Uploads, receive},
};

/// Bytes that are read from a file at a time.
const CHUNK: u64 = 1024 * 1024;

/// Entries of one page of a listing, S3's limit.
const PAGE: usize = 1000;

pub struct Store {
    tree: Tree,
    uploads: Arc<Uploads>,
    first_byte: Duration,
}

impl Store {
    /// Opens the buckets below a directory. The answer to a GET begins after `first_byte`.
    pub fn open(root: &Path, first_byte: Duration) -> io::Result<Self> {
        Ok(Self {
            tree: Tree::new(root),
            // A bucket cannot have such a name.
            uploads: Arc::new(Uploads::open(root.join(".uploads"))?),
            first_byte,
        })
    }
}

fn no_bucket(error: io::Error) -> S3Error {
    match error.kind() {
        ErrorKind::NotFound => s3_error!(error, NoSuchBucket),
        _ => s3_error!(error, InternalError),
    }
}

fn no_key(error: io::Error) -> S3Error {
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => s3_error!(error, NoSuchKey),
        _ => s3_error!(error, InternalError),
    }
}

fn no_upload(error: io::Error) -> S3Error {
    match error.kind() {
        ErrorKind::NotFound => s3_error!(error, NoSuchUpload),
        _ => s3_error!(error, InternalError),
    }
}

fn internal(error: impl std::error::Error + Send + Sync + 'static) -> S3Error {
    s3_error!(error, InternalError)
}

/// Reads a part of a file, in chunks that are large enough to be fast.
fn content(file: File, range: Range<u64>) -> StreamingBlob {
    StreamingBlob::wrap(stream::try_unfold((file, range), |(file, range)| async move {
        if range.is_empty() {
            return Ok(None);
        }
        let next = range.end.min(range.start + CHUNK);
        let (file, chunk) = spawn_blocking(move || read(file, range.start..next)).await??;
        io::Result::Ok(Some((chunk, (file, next..range.end))))
    }))
}

/// Reads without writing zeros first, which `read_exact` would need.
fn read(mut file: File, range: Range<u64>) -> io::Result<(File, Bytes)> {
    let size = range.end - range.start;
    let mut buffer = Vec::with_capacity(size as usize);
    file.seek(SeekFrom::Start(range.start))?;
    file.by_ref().take(size).read_to_end(&mut buffer)?;
    if buffer.len() as u64 != size {
        return Err(ErrorKind::UnexpectedEof.into());
    }
    Ok((file, buffer.into()))
}

fn modified(found: &Metadata) -> Option<Timestamp> {
    found.modified().ok().map(Timestamp::from)
}

fn described(key: String, found: &Metadata) -> Object {
    Object {
        key: Some(key),
        size: Some(found.len() as i64),
        e_tag: Some(ETag::Strong(etag(found))),
        last_modified: modified(found),
        ..Default::default()
    }
}

#[async_trait::async_trait]
impl S3 for Store {
    async fn head_bucket(&self, req: S3Request<HeadBucketInput>) -> S3Result<S3Response<HeadBucketOutput>> {
        self.tree.bucket(&req.input.bucket).map_err(no_bucket)?;
        Ok(S3Response::new(HeadBucketOutput::default()))
    }

    async fn head_object(&self, req: S3Request<HeadObjectInput>) -> S3Result<S3Response<HeadObjectOutput>> {
        let (_, found) = self.tree.object(&req.input.bucket, &req.input.key).map_err(no_key)?;
        Ok(S3Response::new(HeadObjectOutput {
            content_length: Some(found.len() as i64),
            e_tag: Some(ETag::Strong(etag(&found))),
            last_modified: modified(&found),
            ..Default::default()
        }))
    }

    async fn get_object(&self, req: S3Request<GetObjectInput>) -> S3Result<S3Response<GetObjectOutput>> {
        tokio::time::sleep(self.first_byte).await;
        let input = req.input;
        let (path, _) = self.tree.object(&input.bucket, &input.key).map_err(no_key)?;
        let file = File::open(path).map_err(no_key)?;
        let found = file.metadata().map_err(internal)?;
        let tag = ETag::Strong(etag(&found));
        // Mountpoint asks for the object that it opened, not for its successor.
        if let Some(wanted) = input.if_match.as_ref().and_then(|condition| condition.as_etag())
            && !wanted.strong_cmp(&tag)
        {
            return Err(s3_error!(PreconditionFailed));
        }
        let size = found.len();
        let range = match input.range {
            Some(range) => range.check(size)?,
            None => 0..size,
        };
        Ok(S3Response::new(GetObjectOutput {
            content_length: Some((range.end - range.start) as i64),
            content_range: input
                .range
                .map(|_| format!("bytes {}-{}/{size}", range.start, range.end - 1)),
            e_tag: Some(tag),
            last_modified: modified(&found),
            body: Some(content(file, range)),
            ..Default::default()
        }))
    }

    async fn list_objects_v2(&self, req: S3Request<ListObjectsV2Input>) -> S3Result<S3Response<ListObjectsV2Output>> {
        let input = req.input;
        let (prefix, delimiter) = (
            input.prefix.as_deref().unwrap_or(""),
            input.delimiter.as_deref().unwrap_or(""),
        );
        let entries = self.tree.list(&input.bucket, prefix, delimiter).map_err(no_bucket)?;
        let after = input
            .continuation_token
            .as_deref()
            .max(input.start_after.as_deref())
            .unwrap_or("");
        let limit = input.max_keys.map_or(PAGE, |keys| (keys.max(0) as usize).min(PAGE));
        let mut rest = entries.into_iter().filter(|(key, _)| key.as_str() > after).peekable();
        let (mut contents, mut prefixes, mut last) = (Vec::new(), Vec::new(), None);
        for (key, entry) in rest.by_ref().take(limit) {
            last = Some(key.clone());
            match entry {
                Entry::Object(found) => contents.push(described(key, &found)),
                Entry::Prefix => prefixes.push(CommonPrefix { prefix: Some(key) }),
            }
        }
        let more = limit > 0 && rest.peek().is_some();
        Ok(S3Response::new(ListObjectsV2Output {
            key_count: Some((contents.len() + prefixes.len()) as i32),
            contents: Some(contents),
            common_prefixes: Some(prefixes),
            is_truncated: Some(more),
            next_continuation_token: last.filter(|_| more),
            max_keys: Some(limit as i32),
            name: Some(input.bucket),
            prefix: input.prefix,
            delimiter: input.delimiter,
            ..Default::default()
        }))
    }

    async fn put_object(&self, req: S3Request<PutObjectInput>) -> S3Result<S3Response<PutObjectOutput>> {
        let input = req.input;
        self.tree.path(&input.bucket, &input.key).map_err(no_bucket)?;
        let file = self.uploads.fresh();
        receive(input.body.ok_or_else(|| s3_error!(IncompleteBody))?, &file)
            .await
            .map_err(internal)?;
        let placed = self.tree.place(&file, &input.bucket, &input.key).map_err(internal)?;
        Ok(S3Response::new(PutObjectOutput {
            e_tag: Some(ETag::Strong(etag(&placed))),
            ..Default::default()
        }))
    }

    async fn delete_object(&self, req: S3Request<DeleteObjectInput>) -> S3Result<S3Response<DeleteObjectOutput>> {
        self.tree.delete(&req.input.bucket, &req.input.key).map_err(no_bucket)?;
        Ok(S3Response::new(DeleteObjectOutput::default()))
    }

    async fn create_multipart_upload(
        &self,
        req: S3Request<CreateMultipartUploadInput>,
    ) -> S3Result<S3Response<CreateMultipartUploadOutput>> {
        self.tree.path(&req.input.bucket, &req.input.key).map_err(no_bucket)?;
        Ok(S3Response::new(CreateMultipartUploadOutput {
            upload_id: Some(self.uploads.begin().map_err(internal)?),
            bucket: Some(req.input.bucket),
            key: Some(req.input.key),
            ..Default::default()
        }))
    }

    async fn upload_part(&self, req: S3Request<UploadPartInput>) -> S3Result<S3Response<UploadPartOutput>> {
        let input = req.input;
        let part = self
            .uploads
            .part(&input.upload_id, input.part_number)
            .map_err(no_upload)?;
        receive(input.body.ok_or_else(|| s3_error!(IncompleteBody))?, &part)
            .await
            .map_err(internal)?;
        let found = fs::metadata(&part).map_err(internal)?;
        Ok(S3Response::new(UploadPartOutput {
            e_tag: Some(ETag::Strong(etag(&found))),
            ..Default::default()
        }))
    }

    async fn complete_multipart_upload(
        &self,
        req: S3Request<CompleteMultipartUploadInput>,
    ) -> S3Result<S3Response<CompleteMultipartUploadOutput>> {
        let input = req.input;
        let parts = input
            .multipart_upload
            .and_then(|upload| upload.parts)
            .unwrap_or_default();
        let numbers: Vec<i32> = parts.iter().filter_map(|part| part.part_number).collect();
        if numbers.is_empty() || numbers.len() != parts.len() || !numbers.is_sorted() {
            return Err(s3_error!(InvalidPartOrder));
        }
        let (uploads, id) = (self.uploads.clone(), input.upload_id.clone());
        let whole = spawn_blocking(move || uploads.join(&id, &numbers))
            .await
            .map_err(internal)?
            .map_err(no_upload)?;
        let placed = self.tree.place(&whole, &input.bucket, &input.key).map_err(internal)?;
        self.uploads.end(&input.upload_id).map_err(internal)?;
        Ok(S3Response::new(CompleteMultipartUploadOutput {
            e_tag: Some(ETag::Strong(etag(&placed))),
            bucket: Some(input.bucket),
            key: Some(input.key),
            ..Default::default()
        }))
    }

    async fn abort_multipart_upload(
        &self,
        req: S3Request<AbortMultipartUploadInput>,
    ) -> S3Result<S3Response<AbortMultipartUploadOutput>> {
        self.uploads.end(&req.input.upload_id).map_err(no_upload)?;
        Ok(S3Response::new(AbortMultipartUploadOutput::default()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;
    use futures::TryStreamExt;

    #[tokio::test]
    async fn content_is_the_range() {
        let scratch = Scratch::new();
        let path = scratch.path().join("object");
        let bytes: Vec<u8> = (0..2 * CHUNK + 7).map(|i| i as u8).collect();
        fs::write(&path, &bytes).unwrap();
        for range in [0..0, 0..1, 5..CHUNK + 5, 3..2 * CHUNK + 7] {
            let file = File::open(&path).unwrap();
            let chunks: Vec<Bytes> = content(file, range.clone()).try_collect().await.unwrap();
            assert_eq!(
                chunks.concat(),
                bytes[range.start as usize..range.end as usize],
                "{range:?}"
            );
        }
    }
}
