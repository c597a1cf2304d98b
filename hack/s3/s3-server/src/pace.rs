//! A connection that sends no faster than one of S3's.

use std::{
    io::{self, IoSlice},
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Instant, Sleep, sleep_until},
};

/// How far a connection may run ahead of its pace. Short sleeps are inexact, so
/// without it the pace would not be reached.
const SLACK: Duration = Duration::from_millis(5);

/// Delays writes so that they keep to a number of bytes a second.
pub struct Paced<S> {
    inner: S,
    /// 0 is no limit.
    bytes_per_second: f64,
    /// When all that was written is sent at the pace.
    sent: Instant,
    delay: Pin<Box<Sleep>>,
}

impl<S> Paced<S> {
    /// `mib_per_second` of 0 is no limit.
    pub fn new(inner: S, mib_per_second: u32) -> Self {
        let now = Instant::now();
        Self {
            inner,
            bytes_per_second: f64::from(mib_per_second) * 1024.0 * 1024.0,
            sent: now,
            delay: Box::pin(sleep_until(now)),
        }
    }

    /// Ready when the pace allows more.
    fn poll_turn(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if self.bytes_per_second == 0.0 {
            return Poll::Ready(());
        }
        // What a connection did not use while it was idle is lost.
        let now = Instant::now();
        self.sent = self.sent.max(now);
        if self.sent <= now + SLACK {
            return Poll::Ready(());
        }
        let until = self.sent;
        self.delay.as_mut().reset(until);
        self.delay.as_mut().poll(cx)
    }

    fn count(&mut self, written: usize) {
        if self.bytes_per_second > 0.0 {
            self.sent += Duration::from_secs_f64(written as f64 / self.bytes_per_second);
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Paced<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_read(cx, buf)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Paced<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        ready!(self.poll_turn(cx));
        let written = ready!(Pin::new(&mut self.inner).poll_write(cx, buf))?;
        self.count(written);
        Poll::Ready(Ok(written))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        ready!(self.poll_turn(cx));
        let written = ready!(Pin::new(&mut self.inner).poll_write_vectored(cx, bufs))?;
        self.count(written);
        Poll::Ready(Ok(written))
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncWriteExt;

    async fn seconds_to_send(mib: usize, mib_per_second: u32) -> f64 {
        let started = Instant::now();
        let mut sink = Paced::new(tokio::io::sink(), mib_per_second);
        for _ in 0..mib {
            sink.write_all(&[0; 1024 * 1024]).await.unwrap();
        }
        started.elapsed().as_secs_f64()
    }

    #[tokio::test]
    async fn keeps_to_the_pace() {
        let took = seconds_to_send(18, 90).await;
        assert!(
            took > 0.2 - SLACK.as_secs_f64() * 4.0,
            "18 MiB at 90 MiB/s took {took} s"
        );
    }

    #[tokio::test]
    async fn zero_is_no_limit() {
        let took = seconds_to_send(18, 0).await;
        assert!(took < 0.2, "18 MiB without a limit took {took} s");
    }
}
