//! The command line. Options and defaults are those of Mountpoint's documentation,
//! <https://github.com/awslabs/mountpoint-s3/blob/main/doc/CONFIGURATION.md> (2026-11);
//! where a default differs, the option says so. Unknown options are refused, as there.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::{Parser, ValueEnum};
use mountpoint_s3_client::{
    config::{AddressingStyle, S3ClientAuthConfig},
    user_agent::UserAgent,
};
use mountpoint_s3_fs::{
    S3FilesystemConfig,
    data_cache::{CacheLimit, DiskDataCacheConfig},
    fs::{CacheConfig, TimeToLive, UploadChecksumAlgorithm},
    fuse::config::{FuseOptions, FuseSessionConfig, MountPoint},
    s3::{
        Bucket, Prefix, S3Path,
        config::{ClientConfig, MemoryLimitSetting, PartConfig, Region, TargetThroughputSetting},
    },
};

const MIB: usize = 1024 * 1024;

#[derive(Parser, Debug)]
#[command(name = "mount-s3", version, about = "Mountpoint for Amazon S3")]
pub struct Options {
    /// Bucket to mount
    bucket: String,
    /// Directory to mount it at, or /dev/fd/N, an open FUSE device that is mounted already
    directory: PathBuf,

    /// Keys below this only; ends with "/"
    #[arg(long, default_value = "")]
    prefix: String,
    /// Region of the bucket
    #[arg(long, default_value = "us-east-1", env = "AWS_REGION")]
    region: String,
    /// Server to use instead of AWS'
    #[arg(long)]
    endpoint_url: Option<String>,
    /// The bucket is in the path of a request, not in the host's name
    #[arg(long)]
    force_path_style: bool,
    #[arg(long)]
    no_sign_request: bool,
    #[arg(long)]
    requester_pays: bool,
    #[arg(long)]
    expected_bucket_owner: Option<String>,
    #[arg(long)]
    user_agent_prefix: Option<String>,
    #[arg(long)]
    maximum_throughput_gbps: Option<f64>,
    /// Bytes of a part of an object, for reads
    #[arg(long, default_value_t = 8 * MIB)]
    read_part_size: usize,
    /// Bytes of a part of an object, for writes
    #[arg(long, default_value_t = 8 * MIB)]
    write_part_size: usize,
    /// MiB of memory to keep within. The real default is 95 % of the machine's, which
    /// here is shared by all mounts and the server
    #[arg(long, default_value_t = 2048)]
    memory_target: usize,

    #[arg(long)]
    read_only: bool,
    #[arg(long)]
    allow_delete: bool,
    #[arg(long)]
    allow_overwrite: bool,
    #[arg(long)]
    incremental_upload: bool,
    #[arg(long)]
    storage_class: Option<String>,
    #[arg(long, value_enum, default_value_t = UploadChecksums::Crc32c)]
    upload_checksums: UploadChecksums,
    /// Owner of all files; this user if unset
    #[arg(long)]
    uid: Option<u32>,
    /// Group of all files; this user's if unset
    #[arg(long)]
    gid: Option<u32>,
    #[arg(long, value_parser = mode, default_value = "755")]
    dir_mode: u16,
    #[arg(long, value_parser = mode, default_value = "644")]
    file_mode: u16,

    /// Seconds, or "minimal", or "indefinite"; with a cache the default is 60
    #[arg(long, value_parser = |text: &str| TimeToLive::new_from_str(text))]
    metadata_ttl: Option<TimeToLive>,
    /// Directory for a cache of objects' content
    #[arg(long)]
    cache: Option<PathBuf>,
    /// MiB
    #[arg(long, requires = "cache")]
    max_cache_size: Option<usize>,

    /// Root may use the mount
    #[arg(long, conflicts_with = "allow_other")]
    allow_root: bool,
    /// All users may use the mount
    #[arg(long)]
    allow_other: bool,
    /// Threads that serve the kernel
    #[arg(long, default_value_t = 16)]
    max_threads: usize,
    /// Stay in the foreground. The only way here: the CSI driver always asks for it
    #[arg(short, long, required = true)]
    foreground: bool,
    #[arg(short, long)]
    debug: bool,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
enum UploadChecksums {
    Crc32c,
    Off,
}

/// Permission bits, in octal as chmod has them.
fn mode(text: &str) -> Result<u16> {
    match u16::from_str_radix(text, 8) {
        Ok(mode) if mode <= 0o777 => Ok(mode),
        _ => bail!("{text:?} is not an octal mode of at most 777"),
    }
}

impl Options {
    pub fn log_filter(&self) -> &'static str {
        if self.debug {
            "debug,awscrt=off"
        } else {
            "warn,awscrt=off"
        }
    }

    /// Bytes of memory to keep within.
    pub fn memory(&self) -> usize {
        self.memory_target * MIB
    }

    pub fn s3_path(&self) -> Result<S3Path> {
        Ok(S3Path::new(Bucket::new(&self.bucket)?, Prefix::new(&self.prefix)?))
    }

    pub fn fuse(&self) -> Result<FuseSessionConfig> {
        FuseSessionConfig::new(
            MountPoint::new(&self.directory)?,
            FuseOptions {
                read_only: self.read_only,
                allow_root: self.allow_root,
                allow_other: self.allow_other,
                ..Default::default()
            },
            self.max_threads,
        )
    }

    pub fn filesystem(&self) -> Result<S3FilesystemConfig> {
        let mut config = S3FilesystemConfig {
            cache_config: CacheConfig::new(self.metadata_ttl()),
            dir_mode: self.dir_mode,
            file_mode: self.file_mode,
            allow_delete: self.allow_delete,
            allow_overwrite: self.allow_overwrite,
            incremental_upload: self.incremental_upload,
            storage_class: self.storage_class.clone(),
            upload_checksum_algorithm: match self.upload_checksums {
                UploadChecksums::Crc32c => Some(UploadChecksumAlgorithm::Crc32c),
                UploadChecksums::Off => None,
            },
            read_only: self.read_only,
            ..Default::default()
        };
        config.uid = self.uid.unwrap_or(config.uid);
        config.gid = self.gid.unwrap_or(config.gid);
        Ok(config)
    }

    fn metadata_ttl(&self) -> TimeToLive {
        match (&self.metadata_ttl, &self.cache) {
            (Some(ttl), _) => *ttl,
            (None, Some(_)) => TimeToLive::Duration(std::time::Duration::from_secs(60)),
            (None, None) => TimeToLive::Minimal,
        }
    }

    pub fn disk_cache(&self) -> Option<DiskDataCacheConfig> {
        Some(DiskDataCacheConfig {
            cache_directory: self.cache.clone()?,
            block_size: MIB as u64,
            limit: match self.max_cache_size {
                Some(size) => CacheLimit::TotalSize { max_size: size * MIB },
                None => CacheLimit::default(),
            },
        })
    }

    pub fn client(&self) -> Result<ClientConfig> {
        Ok(ClientConfig {
            region: Region::new_user_specified(self.region.clone()),
            endpoint_url: self.endpoint_url.clone(),
            addressing_style: if self.force_path_style {
                AddressingStyle::Path
            } else {
                AddressingStyle::Automatic
            },
            dual_stack: false,
            transfer_acceleration: false,
            auth_config: if self.no_sign_request {
                S3ClientAuthConfig::NoSigning
            } else {
                S3ClientAuthConfig::Default
            },
            requester_pays: self.requester_pays,
            expected_bucket_owner: self.expected_bucket_owner.clone(),
            throughput_target: match self.maximum_throughput_gbps {
                Some(gbps) => TargetThroughputSetting::User { gbps },
                None => TargetThroughputSetting::Default,
            },
            bind: None,
            part_config: PartConfig::with_read_write_sizes(self.read_part_size, self.write_part_size)
                .validate(MemoryLimitSetting::User(self.memory()))?,
            user_agent: UserAgent::new(self.user_agent_prefix.clone()),
            tls_config: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the CSI driver runs for a volume with `extra` among its mount options.
    fn parse(extra: &[&str]) -> Result<Options, clap::Error> {
        let always = [
            "mount-s3",
            "bucket",
            "/dev/fd/3",
            "--foreground",
            "--user-agent-prefix=x",
        ];
        Options::try_parse_from(always.iter().chain(extra))
    }

    #[test]
    fn takes_what_the_driver_passes() {
        let options = parse(&[
            "--allow-delete",
            "--allow-other",
            "--dir-mode=770",
            "--endpoint-url=http://127.0.0.1:1",
            "--file-mode=660",
            "--force-path-style",
            "--gid=65532",
            "--prefix=a/",
            "--region=eu-west-1",
            "--uid=65532",
        ])
        .unwrap();
        let filesystem = options.filesystem().unwrap();
        assert_eq!((filesystem.uid, filesystem.gid), (65532, 65532));
        assert_eq!((filesystem.dir_mode, filesystem.file_mode), (0o770, 0o660));
        assert!(filesystem.allow_delete && !filesystem.allow_overwrite);
        assert_eq!(options.client().unwrap().region.as_str(), "eu-west-1");
    }

    #[test]
    fn refuses_what_the_real_one_refuses() {
        for (extra, word) in [
            (&["--no-such-option"][..], "--no-such-option"),
            (&["--allow-root", "--allow-other"], "--allow-other"),
            (&["--file-mode=9"], "octal"),
            (&["--uid=joe"], "--uid"),
            (&["--max-cache-size=1"], "--cache"),
        ] {
            let message = parse(extra).unwrap_err().to_string();
            assert!(message.contains(word), "{extra:?}: {message}");
        }
        assert!(
            parse(&["--prefix=a"]).unwrap().s3_path().is_err(),
            "a prefix without / was taken"
        );
    }
}
