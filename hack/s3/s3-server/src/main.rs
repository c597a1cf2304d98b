//! An S3 server for the local cluster: objects are files below a directory, and a
//! connection is as slow as one to S3 when asked to.

mod pace;
#[cfg(test)]
mod scratch;
mod store;
mod tree;
mod upload;

use std::{net::SocketAddr, path::PathBuf, time::Duration};

use anyhow::{Context, Result};
use clap::Parser;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::conn::auto::Builder,
};
use s3s::{
    auth::SimpleAuth,
    service::{S3Service, S3ServiceBuilder},
};
use tokio::{
    net::{TcpListener, TcpStream},
    signal::unix::{SignalKind, signal},
};

use pace::Paced;
use store::Store;

#[derive(Parser, Debug)]
#[command(name = "s3-server")]
struct Options {
    /// Address to listen on
    #[arg(long)]
    listen: SocketAddr,
    /// Directory with one directory a bucket
    #[arg(long)]
    root: PathBuf,
    /// Bucket to create unless it exists (repeatable)
    #[arg(long)]
    bucket: Vec<String>,
    #[arg(long, env = "AWS_ACCESS_KEY_ID")]
    access_key: String,
    #[arg(long, env = "AWS_SECRET_ACCESS_KEY", hide_env_values = true)]
    secret_key: String,
    /// Milliseconds until the answer to a GET begins; S3 needs some tens
    #[arg(long, default_value_t = 0)]
    first_byte_milliseconds: u64,
    /// MiB/s that one connection sends at most; 0 is no limit. S3 gives about 90
    #[arg(long, default_value_t = 0)]
    connection_mib_per_second: u32,
}

#[tokio::main]
async fn main() -> Result<()> {
    let options = Options::parse();
    for bucket in &options.bucket {
        std::fs::create_dir_all(options.root.join(bucket)).with_context(|| format!("create bucket {bucket}"))?;
    }
    let store = Store::open(&options.root, Duration::from_millis(options.first_byte_milliseconds))
        .with_context(|| format!("open {}", options.root.display()))?;
    let mut service = S3ServiceBuilder::new(store);
    service.set_auth(SimpleAuth::from_single(&*options.access_key, &*options.secret_key));
    let listener = TcpListener::bind(options.listen)
        .await
        .with_context(|| format!("listen on {}", options.listen))?;
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        error = serve(listener, service.build(), options.connection_mib_per_second) => error,
        _ = terminate.recv() => Ok(()),
    }
}

/// Serves connections, and returns only when none can be taken any more.
async fn serve(listener: TcpListener, service: S3Service, mib_per_second: u32) -> Result<()> {
    loop {
        let (socket, _) = listener.accept().await.context("accept a connection")?;
        socket.set_nodelay(true)?;
        tokio::spawn(answer(socket, service.clone(), mib_per_second));
    }
}

async fn answer(socket: TcpStream, service: S3Service, mib_per_second: u32) {
    let mut connection = Builder::new(hyper_util::rt::TokioExecutor::new());
    connection.http1().timer(TokioTimer::new());
    let io = TokioIo::new(Paced::new(socket, mib_per_second));
    // A client that goes away is none of the server's errors.
    let _ = connection.http1_only().serve_connection(io, service).await;
}
