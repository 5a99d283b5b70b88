//! The same runtime on ordered streams, which have no lifetime and need no context current. There is no server: whoever has
//! the value calls it, on any thread.
//!
//! Of what the server needs, this still uses two: argument lists of the run, and captures that are values. The stream
//! keeps freed blocks, so there is no pool. Uploads pass through the stream's staging memory, downloads return a value that
//! owns theirs, and fences are events of a context.
#![allow(unsafe_code, reason = "launches kernels for the caller, who vouches for them")]

use super::kernels::Source;
use cuscope::graph::OpenCapture;
use cuscope::memory::InCall;
use cuscope::ordered::PendingVec;
use cuscope::{
    Context, Device, Error, Event, EventFlags, Function, Graph, LaunchConfig, OrderedBuffer,
    OrderedStream, Result,
};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

/// Memory of a device. The last clone frees it in the order of its stream.
#[derive(Clone, Debug)]
pub struct Handle(Arc<OrderedBuffer<u8>>);

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

/// A graph, and the memory that it uses by its address.
pub struct Captured {
    graph: Graph<'static>,
    used: Vec<Handle>,
}

/// A device, and everything that is kept there.
pub struct Runtime {
    stream: OrderedStream,
    kernels: HashMap<Source, Function<'static>>,
    open: Option<(OpenCapture, Vec<Handle>)>,
    context: Context,
}

impl Runtime {
    /// # Errors
    /// A driver error.
    pub fn new(device: Device) -> Result<Runtime> {
        let context = Context::primary(device)?;
        let stream = context.ordered_stream()?;
        Ok(Runtime { stream, kernels: HashMap::new(), open: None, context })
    }

    /// Allocates memory and copies bytes there. Returns before that is done.
    ///
    /// # Errors
    /// A driver error.
    pub fn create(&self, bytes: &[u8]) -> Result<Handle> {
        Ok(Handle(Arc::new(self.stream.from_slice(bytes)?)))
    }

    /// Allocates memory.
    ///
    /// # Errors
    /// A driver error.
    pub fn empty(&self, bytes: usize) -> Result<Handle> {
        Ok(Handle(Arc::new(self.stream.alloc(bytes)?)))
    }

    /// Asks for the bytes of memory. Any thread may wait for them.
    ///
    /// # Errors
    /// A driver error.
    pub fn read(&self, memory: &Handle) -> Result<PendingVec<u8>> {
        self.stream.to_vec_later(&*memory.0)
    }

    /// Launches a kernel, or captures the launch. One that is known makes one driver call.
    ///
    /// # Errors
    /// A driver error.
    ///
    /// # Safety
    /// 1. The source is that of a kernel with these parameters, which stays inside its memory.
    pub unsafe fn launch(
        &mut self,
        source: &Source,
        (blocks, threads): (u32, u32),
        arguments: &[Argument],
    ) -> Result {
        let config = LaunchConfig::new(blocks, threads);
        // One handle of a kernel, which knows its parameters from the first launch on.
        let kernel: &Function<'static> = match self.kernels.entry(source.clone()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(source.load_in(&self.context)?),
        };
        if let Some((capture, used)) = &mut self.open {
            let memory = arguments.iter().filter_map(|argument| match argument {
                Argument::Memory(memory) => Some(memory.clone()),
                _ => None,
            });
            used.extend(memory);
            return self.context.with(|gpu| {
                let detached = kernel.clone().detach();
                let kernel = gpu.bind(&detached)?;
                let mut list = kernel.arguments::<InCall>()?;
                for argument in arguments {
                    match argument {
                        Argument::Memory(memory) => list.push(memory.0.address())?,
                        Argument::U32(number) => list.push(*number)?,
                        Argument::F32(number) => list.push(*number)?,
                    };
                }
                // SAFETY: 1. to 3. The caller's obligation 1. `used` keeps the memory as long as the graph.
                unsafe { capture.on(gpu)?.launch_unchecked(kernel, config, list) }
            });
        }
        let mut list = kernel.arguments()?;
        for argument in arguments {
            match argument {
                Argument::Memory(memory) => list.push(memory.0.address())?,
                Argument::U32(number) => list.push(*number)?,
                Argument::F32(number) => list.push(*number)?,
            };
        }
        // SAFETY: 1. to 3. The caller's obligation 1. The memory belongs to this stream, whose order is that of its uses,
        // and of its end.
        unsafe { self.stream.launch_unchecked(kernel, config, list) }
    }

    /// Returns an event behind the work so far. Any thread may wait for it.
    ///
    /// # Errors
    /// A driver error.
    pub fn fence(&self) -> Result<Event<'static>> {
        let event = self.context.event_with(EventFlags::DISABLE_TIMING)?;
        self.stream.record(&event)?;
        Ok(event)
    }

    /// Makes later work wait for a fence, perhaps of another device.
    ///
    /// # Errors
    /// A driver error.
    pub fn wait_for(&self, fence: &Event<'static>) -> Result {
        self.stream.wait(fence)
    }

    /// Copies memory of another runtime to memory of this one, behind the work of both.
    ///
    /// # Errors
    /// A driver error.
    pub fn copy_from(&self, other: &Runtime, from: &Handle) -> Result<Handle> {
        let _ = other;
        let mut to = self.stream.alloc(from.0.len())?;
        self.stream.copy_from_peer(&*from.0, &mut to)?;
        Ok(Handle(Arc::new(to)))
    }

    /// Captures the launches that come next, instead of running them.
    ///
    /// # Errors
    /// A driver error.
    pub fn begin_capture(&mut self) -> Result {
        let capture = self.context.with(|gpu| gpu.open_capture(self.stream.stream(gpu)?))?;
        self.open = Some((capture, Vec::new()));
        Ok(())
    }

    /// Returns the graph of what was captured.
    ///
    /// # Errors
    /// A driver error, and that of the first launch that failed.
    pub fn end_capture(&mut self) -> Result<Captured> {
        let Some((capture, used)) = self.open.take() else {
            let (call, reason) = ("Runtime::end_capture", "no capture is open: begin one");
            return Err(Error::InvalidArgument { call, reason: reason.into() });
        };
        let graph = self.context.with(|gpu| Ok(capture.finish(gpu)?.into_static()))?;
        Ok(Captured { graph, used })
    }

    /// Runs a graph behind the work so far. Does not wait for it.
    ///
    /// # Errors
    /// A driver error.
    pub fn replay(&self, captured: &Captured) -> Result {
        debug_assert!(captured.used.iter().all(|used| used.0.context() == &self.context));
        self.stream.replay(&captured.graph, ())
    }
}

impl std::fmt::Debug for Runtime {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Runtime").field(&self.context).finish()
    }
}

impl std::fmt::Debug for Captured {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Captured({:?}, {} handles)", self.graph, self.used.len())
    }
}
