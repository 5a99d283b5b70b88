//! The runtime on ordered streams, with guarded kernels: nobody vouches for a kernel, and no `unsafe` is left.
//!
//! The device compares each access of a kernel with its arguments. Which memory a launch reads and which it writes is known
//! when it runs, so memory is behind a lock: what the compiler refuses elsewhere, memory that a launch writes and uses a second
//! time, is an error here.
//!
//! Of what the server needs, this still uses one: argument lists of the run, of guarded kernels. A capture is a list of
//! messages, which one closure captures at its end.
#![forbid(unsafe_code)]

use super::kernels::Source;
use cuscope::kernel::{ArgumentList, GuardedFunction};
use cuscope::ordered::PendingVec;
use cuscope::{
    Context, Device, Error, Event, EventFlags, Graph, KernelArg, LaunchConfig, OrderedBuffer,
    OrderedStream, Result,
};
use std::cell::{Ref, RefCell, RefMut};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// Memory of a device. The last clone frees it in the order of its stream.
#[derive(Clone, Debug)]
pub struct Handle(Arc<RwLock<OrderedBuffer<u8>>>);

/// An argument of a kernel.
#[derive(Clone, Debug)]
pub enum Argument {
    /// Memory that the kernel reads.
    In(Handle),
    /// Memory that the kernel writes, and may read.
    Out(Handle),
    /// A number.
    U32(u32),
    /// A number.
    F32(f32),
}

/// A launch that is captured.
struct Launch {
    kernel: GuardedFunction,
    config: LaunchConfig,
    arguments: Vec<Argument>,
}

/// A graph, its memory, and whether it writes that.
pub struct Captured {
    graph: Graph<'static>,
    used: Vec<(Handle, bool)>,
}

/// A device, and everything that is kept there.
pub struct Runtime {
    stream: OrderedStream,
    kernels: HashMap<Source, GuardedFunction>,
    open: Option<Vec<Launch>>,
    context: Context,
}

fn twice() -> Error {
    let reason = "memory that is written is used twice at once: pass another one, or let the kernel read what it writes";
    Error::InvalidArgument { call: "Runtime::launch", reason: reason.into() }
}

fn no_capture() -> Error {
    let (call, reason) = ("Runtime::end_capture", "no capture is open: begin one");
    Error::InvalidArgument { call, reason: reason.into() }
}

impl Handle {
    fn read(&self) -> Result<RwLockReadGuard<'_, OrderedBuffer<u8>>> {
        self.0.try_read().map_err(|_| twice())
    }

    fn write(&self) -> Result<RwLockWriteGuard<'_, OrderedBuffer<u8>>> {
        self.0.try_write().map_err(|_| twice())
    }

    fn is(&self, other: &Handle) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// An argument whose memory is lent.
enum Lent<R, W> {
    In(R),
    Out(W),
    U32(u32),
    F32(f32),
}

impl Argument {
    /// Lends the memory by functions that find it.
    fn lend<'a, R, W>(
        &'a self,
        read: impl FnOnce(&'a Handle) -> Result<R>,
        write: impl FnOnce(&'a Handle) -> Result<W>,
    ) -> Result<Lent<R, W>> {
        Ok(match self {
            Argument::In(memory) => Lent::In(read(memory)?),
            Argument::Out(memory) => Lent::Out(write(memory)?),
            Argument::U32(number) => Lent::U32(*number),
            Argument::F32(number) => Lent::F32(*number),
        })
    }
}

/// The list of arguments of a launch.
fn listed<'a, 'ctx, L, R, W>(
    kernel: &GuardedFunction,
    lent: &'a mut [Lent<R, W>],
) -> Result<ArgumentList<'a, 'ctx, L>>
where
    R: Deref,
    W: DerefMut,
    &'a R::Target: KernelArg<'ctx, L>,
    &'a mut W::Target: KernelArg<'ctx, L>,
{
    let mut list = kernel.arguments();
    for argument in lent {
        match argument {
            Lent::In(memory) => list.push(&**memory)?,
            Lent::Out(memory) => list.push(&mut **memory)?,
            Lent::U32(number) => list.push(*number)?,
            Lent::F32(number) => list.push(*number)?,
        };
    }
    Ok(list)
}

/// Each memory of some launches once, and whether one of them writes it.
fn used(launches: &[Launch]) -> Vec<(Handle, bool)> {
    let mut used: Vec<(Handle, bool)> = Vec::new();
    for argument in launches.iter().flat_map(|launch| &launch.arguments) {
        let (memory, writes) = match argument {
            Argument::In(memory) => (memory, false),
            Argument::Out(memory) => (memory, true),
            Argument::U32(_) | Argument::F32(_) => continue,
        };
        match used.iter_mut().find(|(known, _)| known.is(memory)) {
            Some((_, written)) => *written |= writes,
            None => used.push((memory.clone(), writes)),
        }
    }
    used
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
        Ok(Handle(Arc::new(RwLock::new(self.stream.from_slice(bytes)?))))
    }

    /// Asks for the bytes of memory. Any thread may wait for them.
    ///
    /// # Errors
    /// A driver error.
    pub fn read(&self, memory: &Handle) -> Result<PendingVec<u8>> {
        self.stream.to_vec_later(&*memory.read()?)
    }

    /// Launches a kernel, or keeps the launch for the graph. One that is known makes one driver call.
    ///
    /// An access outside of the arguments is not made, and a later wait tells.
    ///
    /// # Errors
    /// A driver error; arguments that are none of the kernel; memory that is written and used twice.
    pub fn launch(
        &mut self,
        source: &Source,
        (blocks, threads): (u32, u32),
        arguments: &[Argument],
    ) -> Result {
        let config = LaunchConfig::new(blocks, threads);
        let kernel = match self.kernels.entry(source.clone()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(source.load_guarded(&self.context)?),
        };
        if let Some(open) = &mut self.open {
            open.push(Launch { kernel: kernel.clone(), config, arguments: arguments.to_vec() });
            return Ok(());
        }
        let lent = arguments.iter().map(|one| one.lend(Handle::read, Handle::write));
        let mut lent = lent.collect::<Result<Vec<_>>>()?;
        self.stream.launch(kernel, config, listed(kernel, &mut lent)?)
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
    pub fn copy_from(&self, from: &Handle) -> Result<Handle> {
        let from = from.read()?;
        let mut to = self.stream.alloc(from.len())?;
        self.stream.copy_from_peer(&*from, &mut to)?;
        Ok(Handle(Arc::new(RwLock::new(to))))
    }

    /// Keeps the launches that come next for a graph, instead of running them.
    pub fn begin_capture(&mut self) {
        self.open = Some(Vec::new());
    }

    /// Returns the graph of the launches that were kept.
    ///
    /// # Errors
    /// A driver error, and that of the first launch that failed.
    pub fn end_capture(&mut self) -> Result<Captured> {
        let launches = self.open.take().ok_or_else(no_capture)?;
        let used = used(&launches);
        let locked = used.iter().map(|(memory, _)| memory.write());
        let mut locked = locked.collect::<Result<Vec<_>>>()?;
        let graph = self.context.with(|gpu| {
            let mut stream = gpu.stream()?;
            let graph = gpu.capture(&mut stream, |c| {
                let held =
                    locked.iter_mut().map(|memory| RefCell::new(c.hold_ordered(&mut **memory)));
                let held: Vec<_> = held.collect();
                let find = |memory: &Handle| {
                    let at = used.iter().position(|(known, _)| known.is(memory));
                    &held[at.expect("it is one of them")]
                };
                launches.iter().try_for_each(|Launch { kernel, config, arguments }| {
                    let read = |memory| find(memory).try_borrow().map_err(|_| twice());
                    let write = |memory| find(memory).try_borrow_mut().map_err(|_| twice());
                    let lent = arguments.iter().map(|one| one.lend(read, write));
                    let mut lent: Vec<Lent<Ref<'_, _>, RefMut<'_, _>>> =
                        lent.collect::<Result<_>>()?;
                    c.stream().launch(kernel, *config, listed(kernel, &mut lent)?)
                })
            })?;
            Ok(graph.into_static())
        })?;
        drop(locked);
        Ok(Captured { graph, used })
    }

    /// Runs a graph behind the work so far. Does not wait for it.
    ///
    /// # Errors
    /// A driver error.
    pub fn replay(&self, captured: &Captured) -> Result {
        let (mut read, mut written) = (Vec::new(), Vec::new());
        for (memory, writes) in &captured.used {
            if *writes { written.push(memory.write()?) } else { read.push(memory.read()?) }
        }
        let read: Vec<_> = read.iter().map(|memory| &**memory).collect();
        let written: Vec<_> = written.iter_mut().map(|memory| &mut **memory).collect();
        self.stream.replay(&captured.graph, (read, written))
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
