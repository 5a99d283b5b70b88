//! Processes that know nothing of each other work on buffers of one pool. `cargo run -p cuscope-examples --bin share`
//!
//! A server owns the pool. Whoever connects to its Unix socket gets the pool's file descriptor, as ancillary data
//! (`SCM_RIGHTS`), and the handle of a buffer. It works on the buffer and answers with a byte. The server looks at the
//! buffer then, and frees it.
//!
//! `share serve PATH` is the server, `share work PATH` is a client; without arguments the program is a server that starts
//! two clients.
#![allow(unsafe_code, reason = "imports memory of another process")]

use std::error::Error;

type Result<T = ()> = std::result::Result<T, Box<dyn Error>>;

#[cfg(target_os = "linux")]
fn main() -> Result {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    match &*arguments.iter().map(String::as_str).collect::<Vec<_>>() {
        ["serve", path] => memory::serve(path.as_ref(), 1),
        ["work", path] => memory::work(path.as_ref()),
        [] => memory::both(),
        _ => Err("share [serve PATH | work PATH]".into()),
    }
}

#[cfg(not(target_os = "linux"))]
fn main() {
    println!("pools go to other processes by file descriptors on Linux alone");
}

/// Messages with a file descriptor.
#[cfg(target_os = "linux")]
mod message {
    use super::Result;
    use rustix::net::{
        RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
        SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
    };
    use std::io::{IoSlice, IoSliceMut};
    use std::mem::MaybeUninit;
    use std::os::fd::{BorrowedFd, OwnedFd};
    use std::os::unix::net::UnixStream;

    /// Sends bytes and a descriptor, which the other side has from then on, too.
    pub(crate) fn send(socket: &UnixStream, bytes: &[u8], descriptor: BorrowedFd<'_>) -> Result {
        let descriptors = [descriptor];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut with = SendAncillaryBuffer::new(&mut space);
        assert!(with.push(SendAncillaryMessage::ScmRights(&descriptors)), "there is space for one");
        let sent = sendmsg(socket, &[IoSlice::new(bytes)], &mut with, SendFlags::empty())?;
        if sent == bytes.len() { Ok(()) } else { Err("the other side does not read".into()) }
    }

    /// Receives bytes and a descriptor.
    pub(crate) fn receive<const N: usize>(socket: &UnixStream) -> Result<([u8; N], OwnedFd)> {
        let mut bytes = [0; N];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut with = RecvAncillaryBuffer::new(&mut space);
        let to = &mut [IoSliceMut::new(&mut bytes)];
        let received = recvmsg(socket, to, &mut with, RecvFlags::CMSG_CLOEXEC)?;
        let descriptor = with.drain().find_map(|message| match message {
            RecvAncillaryMessage::ScmRights(mut descriptors) => descriptors.next(),
            _ => None,
        });
        match descriptor {
            Some(descriptor) if received.bytes == N => Ok((bytes, descriptor)),
            _ => Err("the server sent something else".into()),
        }
    }
}

#[cfg(target_os = "linux")]
mod memory {
    use super::{Result, message};
    use cuscope::ipc::{ImportedPool, PooledHandle};
    use cuscope::{Context, ContextStack, Device, MemoryPool};
    use std::io::{Read, Write};
    use std::os::fd::AsFd;
    use std::os::unix::net::{UnixListener, UnixStream};
    use std::path::Path;
    use std::process::Command;

    const LEN: usize = 1 << 20;

    /// Gives each of so many clients a buffer.
    pub(crate) fn serve(path: &Path, clients: usize) -> Result {
        let listener = UnixListener::bind(path)?;
        serve_from(&listener, clients)
    }

    fn serve_from(listener: &UnixListener, clients: usize) -> Result {
        let context = Context::primary(Device::get(0)?)?;
        let mut stack = ContextStack::current_thread()?;
        let gpu = stack.push(&context)?;
        let stream = gpu.stream()?;
        let pool = MemoryPool::create_shareable(gpu.device())?;
        let descriptor = pool.export()?;
        for client in 0..clients {
            let (mut socket, _) = listener.accept()?;
            let mut buffer = gpu.on(&stream).alloc_from::<u32>(&pool, LEN)?;
            gpu.on(&stream).fill(&mut buffer, client as u32)?;
            let handle = gpu.export_pooled(&buffer)?;
            message::send(&socket, &handle.to_bytes(), descriptor.as_fd())?;
            // The client has dropped what it imported when it answers, or has ended.
            let mut answer = [0];
            socket.read_exact(&mut answer)?;
            let values = gpu.on(&stream).to_vec(&buffer)?;
            let expected = client as u32 + 1000;
            assert!(values.iter().all(|&value| value == expected), "client {client} did not work");
            println!("server: client {client} wrote {expected} into all {LEN} elements");
        }
        Ok(())
    }

    /// Adds 1000 to all elements of the buffer that the server gives.
    pub(crate) fn work(path: &Path) -> Result {
        let mut socket = UnixStream::connect(path)?;
        let context = Context::primary(Device::get(0)?)?;
        let mut stack = ContextStack::current_thread()?;
        let gpu = stack.push(&context)?;
        let stream = gpu.stream()?;
        let (bytes, descriptor) = message::receive::<{ PooledHandle::SIZE }>(&socket)?;
        {
            // SAFETY: 1. The server exports the pool, which this process imports once.
            let pool = unsafe { ImportedPool::import(descriptor.as_fd()) }?;
            let handle = PooledHandle::from_bytes(bytes);
            // SAFETY: 1. The server sent it. 2. and 3. It waits for the answer, and keeps the buffer until then. 4. Once.
            let mut buffer = unsafe { gpu.import_pooled::<u32>(&pool, &handle) }?;
            let mut values = gpu.on(&stream).to_vec(&buffer)?;
            values.iter_mut().for_each(|value| *value += 1000);
            gpu.on(&stream).upload(&values, &mut buffer)?;
            println!("client: {} elements at {:#x}", buffer.len(), buffer.address());
        }
        Ok(socket.write_all(&[1])?)
    }

    /// A server, with two clients.
    pub(crate) fn both() -> Result {
        const CLIENTS: usize = 2;
        let folder = std::env::temp_dir().join(format!("cuscope-share-{}", std::process::id()));
        std::fs::create_dir(&folder)?;
        let path = folder.join("socket");
        let listener = UnixListener::bind(&path)?;
        let client = |_| Command::new(std::env::current_exe()?).arg("work").arg(&path).spawn();
        let clients: Vec<_> = (0..CLIENTS).map(client).collect();
        let served = serve_from(&listener, CLIENTS);
        drop(listener);
        for client in clients {
            let ended = client?.wait()?;
            assert!(served.is_err() || ended.success(), "a client failed: {ended}");
        }
        std::fs::remove_dir_all(&folder)?;
        served
    }
}
