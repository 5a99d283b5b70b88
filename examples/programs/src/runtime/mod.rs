//! A small runtime, as tensor libraries have one below them: a server thread works for any number of clients, on any
//! number of devices.
//!
//! - A [`Client`] sends messages; the server enqueues their work and does not wait for it ([`server`]).
//! - Memory comes from pages of the device, which are handed out in parts ([`pool`]). A [`Handle`] owns its part.
//! - Kernels are compiled when they are first asked for, and kept ([`kernels`]).
//! - Arguments are a list of the run: handles and numbers.
//! - What goes to a client passes through parts of page-locked pages, behind a fence ([`staging`]).
//! - A graph is captured over several messages.
//!
//! The guide's page "Building a runtime" walks through it. [`ordered`] is the same runtime on ordered streams, and
//! [`guarded`] that one with guarded kernels, without `unsafe`.
#![allow(unsafe_code, reason = "a launch is `unsafe`")]

pub mod guarded;
pub mod kernels;
pub mod ordered;
pub mod pool;
pub mod server;
pub mod staging;

use cuscope::{Device, Error, Event, Result};
use kernels::Source;
use pool::{Part, Place};
use server::Server;
use staging::Staged;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;

/// An argument of a kernel.
#[derive(Clone, Debug)]
pub enum Argument {
    /// Memory, which the kernel may read and write.
    Memory(Handle),
    /// A number.
    U32(u32),
    /// A number.
    F32(f32),
}

/// Memory of a device, from the pool of the server. The last clone gives it back, behind the work that was sent before.
#[derive(Clone, Debug)]
pub struct Handle(pub(crate) Arc<Part>);

impl Handle {
    /// Returns the number of bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.place.bytes
    }

    /// Returns whether there are no bytes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of the device.
    #[must_use]
    pub fn device(&self) -> usize {
        self.0.device
    }
}

/// A graph that was captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GraphId {
    pub(crate) device: usize,
    pub(crate) number: usize,
}

/// A point in the work of a device. Any thread may wait for it, also in work of another device.
#[derive(Clone, Debug)]
pub struct Fence(pub(crate) Arc<Event<'static>>);

impl Fence {
    /// Waits until all work is complete that was sent before the fence.
    ///
    /// # Errors
    /// A fault of this work.
    pub fn wait(&self) -> Result {
        self.0.synchronize()
    }

    /// Returns whether it is complete.
    ///
    /// # Errors
    /// A fault of this work.
    pub fn is_complete(&self) -> Result<bool> {
        self.0.query()
    }
}

/// What the server does. Work that has a result has a place to answer to; the error of other work is that of the next answer.
pub(crate) enum Message {
    Create {
        device: usize,
        bytes: Vec<u8>,
        answer: Sender<Result<Handle>>,
    },
    Empty {
        device: usize,
        bytes: usize,
        answer: Sender<Result<Handle>>,
    },
    Read {
        memory: Handle,
        answer: Sender<Result<Staged>>,
    },
    Copy {
        from: Handle,
        device: usize,
        answer: Sender<Result<Handle>>,
    },
    Launch {
        device: usize,
        source: Source,
        blocks: u32,
        threads: u32,
        arguments: Vec<Argument>,
    },
    Fence {
        device: usize,
        answer: Sender<Result<Fence>>,
    },
    Wait {
        device: usize,
        fence: Fence,
    },
    BeginCapture {
        device: usize,
    },
    EndCapture {
        device: usize,
        answer: Sender<Result<GraphId>>,
    },
    Replay {
        graph: GraphId,
    },
    /// Runs on the server's thread, for tests that look at what it does.
    Call(Box<dyn FnOnce(&mut Server) + Send>),
    Free {
        device: usize,
        place: Place,
    },
    Stop,
}

/// Sends work to the server. Clones send to the same one, in the order of their calls.
#[derive(Clone)]
pub struct Client(Arc<Shared>);

struct Shared {
    messages: Sender<Message>,
    server: OnceLock<JoinHandle<()>>,
}

impl Drop for Shared {
    fn drop(&mut self) {
        // The server may be gone after a panic.
        let _ = self.messages.send(Message::Stop);
        if let Some(server) = self.server.take() {
            let _ = server.join();
        }
    }
}

impl Client {
    /// Starts a server for these devices.
    ///
    /// # Errors
    /// A driver error.
    pub fn start(devices: &[Device]) -> Result<Client> {
        let (messages, received) = channel();
        let (devices, back) = (devices.to_vec(), messages.clone());
        let (ready, started) = channel();
        let server = std::thread::spawn(move || match Server::new(&devices, back) {
            Ok(mut server) => {
                // Only a client that is gone does not listen.
                let _ = ready.send(Ok(()));
                server.serve(received);
            }
            Err(error) => {
                let _ = ready.send(Err(error));
            }
        });
        started.recv().expect("the server answers")?;
        let shared = Shared { messages, server: OnceLock::from(server) };
        Ok(Client(Arc::new(shared)))
    }

    fn send(&self, message: Message) {
        self.0.messages.send(message).expect("the server lives as long as its clients");
    }

    /// Asks the server, and waits for its answer: not for the device.
    fn ask<R>(&self, message: impl FnOnce(Sender<Result<R>>) -> Message) -> Result<R> {
        let (answer, answered) = channel();
        self.send(message(answer));
        answered.recv().expect("the server answers")
    }

    /// Allocates memory on a device, and copies bytes there.
    ///
    /// # Errors
    /// A driver error; the error of work that was sent before.
    pub fn create(&self, device: usize, bytes: impl Into<Vec<u8>>) -> Result<Handle> {
        let bytes = bytes.into();
        self.ask(|answer| Message::Create { device, bytes, answer })
    }

    /// Allocates memory on a device.
    ///
    /// # Errors
    /// The errors of [`create`](Self::create).
    pub fn empty(&self, device: usize, bytes: usize) -> Result<Handle> {
        self.ask(|answer| Message::Empty { device, bytes, answer })
    }

    /// Returns the bytes of memory, once all work that was sent before is complete.
    ///
    /// # Errors
    /// The errors of [`create`](Self::create), and a fault of the work.
    pub fn read(&self, memory: &Handle) -> Result<Vec<u8>> {
        let memory = memory.clone();
        self.ask(|answer| Message::Read { memory, answer })?.wait()
    }

    /// Copies memory to another device, behind the work of both.
    ///
    /// # Errors
    /// The errors of [`create`](Self::create).
    pub fn copy_to(&self, from: &Handle, device: usize) -> Result<Handle> {
        let from = from.clone();
        self.ask(|answer| Message::Copy { from, device, answer })
    }

    /// Launches a kernel, which is compiled if the server does not know it yet. Does not wait for anything.
    ///
    /// # Safety
    /// 1. The source is that of a kernel with these parameters, which stays inside its memory.
    pub unsafe fn launch(
        &self,
        device: usize,
        source: &Source,
        (blocks, threads): (u32, u32),
        arguments: Vec<Argument>,
    ) {
        let source = source.clone();
        self.send(Message::Launch { device, source, blocks, threads, arguments });
    }

    /// Returns a fence behind the work of a device.
    ///
    /// # Errors
    /// The errors of [`create`](Self::create).
    pub fn fence(&self, device: usize) -> Result<Fence> {
        self.ask(|answer| Message::Fence { device, answer })
    }

    /// Makes later work of a device wait for a fence, perhaps of another one.
    pub fn wait_for(&self, device: usize, fence: &Fence) {
        self.send(Message::Wait { device, fence: fence.clone() });
    }

    /// Captures the launches that are sent next, instead of running them.
    pub fn begin_capture(&self, device: usize) {
        self.send(Message::BeginCapture { device });
    }

    /// Returns the graph of what was captured.
    ///
    /// # Errors
    /// The errors of [`create`](Self::create), and that of the first launch that failed.
    pub fn end_capture(&self, device: usize) -> Result<GraphId> {
        self.ask(|answer| Message::EndCapture { device, answer })
    }

    /// Runs a graph. Does not wait for it.
    pub fn replay(&self, graph: GraphId) {
        self.send(Message::Replay { graph });
    }

    /// Runs a function on the thread of the server, and waits for it.
    pub fn call<R: Send + 'static>(&self, f: impl FnOnce(&mut Server) -> R + Send + 'static) -> R {
        let (answer, answered) = channel();
        self.send(Message::Call(Box::new(move |server| {
            let _ = answer.send(f(server));
        })));
        answered.recv().expect("the server answers")
    }
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Client")
    }
}

/// The error of a device that was lost.
pub(crate) type Poison = Option<Error>;
