//! Mountpoint for Amazon S3 with the command line of the real `mount-s3`, as far as
//! mountpoint-s3-csi-driver and the mount options of a volume make use of it.
//!
//! The engine is AWS' own (crate mountpoint-s3-fs). The command around it is not on
//! crates.io, which is why there is one here.

mod options;

use anyhow::{Context, Result, anyhow};
use clap::Parser;
use mountpoint_s3_fs::{
    MountpointConfig, Runtime, Superblock, SuperblockConfig,
    data_cache::{DataCacheConfig, ManagedCacheDir},
    fuse::session::FuseSession,
    logging::{LoggingConfig, init_logging},
    memory::{CandidateSize, PagedPool},
    metrics,
};

use options::Options;

fn main() -> Result<()> {
    let options = Options::parse();
    let _logging = init_logging(LoggingConfig {
        log_file: None,
        log_to_stdout: true,
        default_filter: options.log_filter().to_owned(),
    })?;
    let _metrics = metrics::install(None).map_err(|error| anyhow!("metrics: {error}"))?;
    mount(options)?.join()
}

/// Mounts the bucket. The session ends when the file system is unmounted.
fn mount(options: Options) -> Result<FuseSession> {
    let path = options.s3_path()?;
    let filesystem = options.filesystem()?;
    let client = options.client()?;
    let pool = PagedPool::config()
        .with_candidate_sizes([
            CandidateSize::prunable(client.part_config.read_size_bytes),
            CandidateSize::new(client.part_config.write_size_bytes),
        ])
        .with_memory_limit(options.memory())
        .build();
    let client = client
        .create_client(pool.clone(), Some(&path))
        .context("Failed to create S3 client")?;
    let runtime = Runtime::new(client.event_loop_group());
    let superblock = Superblock::new(
        client.clone(),
        path,
        SuperblockConfig {
            cache_config: filesystem.cache_config.clone(),
            s3_personality: filesystem.s3_personality,
        },
    );
    let (cache, directory) = cache(&options)?;
    let mut session = MountpointConfig::new(options.fuse()?, filesystem, cache)?
        .create_fuse_session(superblock, client, runtime, pool)
        .context("Failed to create FUSE session")?;
    // The cache is deleted when this value is dropped.
    session.run_on_close(Box::new(move || drop(directory)));
    Ok(session)
}

/// The cache on disk, which lies in a directory of its own below `--cache`.
fn cache(options: &Options) -> Result<(DataCacheConfig, Option<ManagedCacheDir>)> {
    let Some(mut disk) = options.disk_cache() else {
        return Ok((DataCacheConfig::default(), None));
    };
    let directory = ManagedCacheDir::new_from_parent_with_cache_key(&disk.cache_directory, None, true)
        .context("Failed to create the cache directory")?;
    disk.cache_directory = directory.as_path_buf();
    let config = DataCacheConfig {
        disk_cache_config: Some(disk),
        express_cache_config: None,
    };
    Ok((config, Some(directory)))
}
