//! The server: its thread has the context of the device current that it worked on last.
#![allow(unsafe_code, reason = "launches kernels for clients, who vouch for them")]

use super::kernels::{Kernels, Source};
use super::pool::{Part, Pool};
use super::staging::{Staged, Staging};
use super::{Argument, Fence, GraphId, Handle, Message, Poison};
use cuscope::graph::OpenCapture;
use cuscope::stack::OwnedGuard;
use cuscope::{
    Context, ContextStack, Detached, Device, Error, EventFlags, Graph, LaunchConfig, Result,
    Stream, driver_kind,
};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};

/// A device: its stream, which orders all its work, and what the server keeps there.
struct Unit {
    context: Context,
    stream: Detached<Stream<'static>>,
    pool: Pool,
    staging: Staging,
    kernels: Kernels,
    open: Option<Open>,
    /// Graphs, with the memory that they use by its address.
    graphs: Vec<(Detached<Graph<'static>>, Vec<Handle>)>,
    /// The first error of work without an answer, or one after which the device is lost.
    failed: Poison,
}

/// A capture, which other messages continue and end.
struct Open {
    capture: OpenCapture,
    used: Vec<Handle>,
}

/// The state of the server's thread.
pub struct Server {
    units: Vec<Unit>,
    /// The device that is current, and the guard that keeps it so. Before the units, whose contexts it has.
    current: Option<(usize, OwnedGuard)>,
    back: Sender<Message>,
    /// The thread's stack, so that frees and waits change no capture mode. Last: the guards lie above.
    stack: ContextStack,
}

/// A command in flight: the device that it is for is current while it lives, and after it, until one for another comes.
struct Command<'s> {
    unit: &'s mut Unit,
    gpu: &'s mut OwnedGuard,
}

impl Server {
    pub(crate) fn new(devices: &[Device], back: Sender<Message>) -> Result<Server> {
        let stack = ContextStack::current_thread()?;
        let unit = |device: &Device| {
            let context = Context::primary(*device)?;
            let stream = context.with(|gpu| Ok(gpu.stream()?.detach()))?;
            let (pool, staging, kernels) = (Pool::default(), Staging::new(), Kernels::default());
            let (open, graphs, failed) = (None, Vec::new(), None);
            Ok(Unit { context, stream, pool, staging, kernels, open, graphs, failed })
        };
        let units = devices.iter().map(unit).collect::<Result<_>>()?;
        Ok(Server { units, current: None, back, stack })
    }

    pub(crate) fn serve(&mut self, messages: Receiver<Message>) {
        for message in messages {
            if let Message::Stop = message {
                break;
            }
            self.receive(message);
        }
        self.current = None;
    }

    /// Begins a command for a device: one driver call more than none only if another one is current.
    fn command(&mut self, device: usize) -> Result<Command<'_>> {
        if self.current.as_ref().is_none_or(|(of, _)| *of != device) {
            self.current = None; // pops first, so that guards do not pile up
            self.current = Some((device, self.units[device].context.push_owned()?));
        }
        let (_, gpu) = self.current.as_mut().expect("it was pushed above");
        Ok(Command { unit: &mut self.units[device], gpu })
    }

    /// Runs a command that has an answer. It tells the error of earlier work that had none.
    fn answered<R>(
        &mut self,
        device: usize,
        run: impl FnOnce(Command<'_>) -> Result<R>,
    ) -> Result<R> {
        let failed = &mut self.units[device].failed;
        if let Some(error) = failed.clone() {
            // A device that is lost stays lost.
            if !error.is_poisoned() {
                *failed = None;
            }
            return Err(error);
        }
        let answer = self.command(device).and_then(run);
        if let Err(error) = &answer
            && error.is_poisoned()
        {
            self.units[device].failed = Some(error.clone());
        }
        answer
    }

    /// Runs a command without an answer.
    fn run(&mut self, device: usize, run: impl FnOnce(Command<'_>) -> Result) {
        if self.units[device].failed.is_none() {
            self.units[device].failed = self.command(device).and_then(run).err();
        }
    }

    fn receive(&mut self, message: Message) {
        // Nobody may wait for an answer any more.
        match message {
            Message::Create { device, bytes, answer } => {
                let _ = answer.send(self.create(device, &bytes));
            }
            Message::Empty { device, bytes, answer } => {
                let _ = answer.send(self.empty(device, bytes));
            }
            Message::Read { memory, answer } => {
                let _ = answer.send(self.answered(memory.device(), |mut it| it.read(&memory)));
            }
            Message::Copy { from, device, answer } => {
                let _ = answer.send(self.copy(&from, device));
            }
            Message::Launch { device, source, blocks, threads, arguments } => {
                self.run(device, |mut command| {
                    command.launch(&source, (blocks, threads), arguments)
                });
            }
            Message::Fence { device, answer } => {
                let _ = answer.send(self.fence(device));
            }
            Message::Wait { device, fence } => {
                self.run(device, |mut command| {
                    let Command { unit, gpu } = &mut command;
                    gpu.with(|gpu| gpu.on(gpu.bind(&unit.stream)?).wait(&fence.0))
                });
            }
            Message::BeginCapture { device } => self.run(device, |mut it| it.begin_capture()),
            Message::EndCapture { device, answer } => {
                let _ = answer.send(self.answered(device, |mut it| it.end_capture(device)));
            }
            Message::Replay { graph } => {
                self.run(graph.device, |mut command| command.replay(graph.number));
            }
            Message::Call(function) => function(self),
            Message::Free { device, place } => self.units[device].pool.give_back(place),
            Message::Stop => {}
        }
    }

    /// Copies memory from one device to another: behind a fence, on the stream of the destination.
    fn copy(&mut self, from: &Handle, device: usize) -> Result<Handle> {
        let source = from.device();
        if source == device {
            let to = self.empty(device, from.len())?;
            self.answered(device, |mut command| command.copy(from, &to))?;
            return Ok(to);
        }
        let fence = self.fence(source)?;
        let to = self.empty(device, from.len())?;
        // Both contexts at once, which the compiler orders.
        self.current = None;
        let Server { units, stack, .. } = self;
        let (target, source) = (&units[device], &units[source]);
        let mut outer = stack.push(&source.context)?;
        let read = source.pool.range(&outer, from.0.place)?;
        let gpu = outer.push(&target.context)?;
        let mut written = target.pool.range(&gpu, to.0.place)?;
        let on = gpu.on(gpu.bind(&target.stream)?);
        on.wait(&fence.0)?;
        on.copy_from_peer(&read, &mut written)?;
        Ok(to)
    }

    /// Returns the number of pages of a device, and of free ranges in them.
    #[must_use]
    pub fn usage(&self, device: usize) -> (usize, usize) {
        self.units[device].pool.usage()
    }

    /// Returns the number of kernels that were compiled for a device.
    #[must_use]
    pub fn compiled(&self, device: usize) -> usize {
        self.units[device].kernels.len()
    }

    /// Handles a launch on the spot, for tests that count its driver calls, as the next ones do.
    ///
    /// # Safety
    /// 1. of [`Client::launch`](super::Client::launch).
    pub unsafe fn launch(
        &mut self,
        device: usize,
        source: &Source,
        (blocks, threads): (u32, u32),
        arguments: Vec<Argument>,
    ) {
        let source = source.clone();
        self.receive(Message::Launch { device, source, blocks, threads, arguments });
    }

    /// Allocates memory.
    ///
    /// # Errors
    /// Those of [`Client::empty`](super::Client::empty).
    pub fn empty(&mut self, device: usize, bytes: usize) -> Result<Handle> {
        let back = self.back.clone();
        self.answered(device, |mut command| command.allocate(device, bytes, back))
    }

    /// Allocates memory and copies bytes there.
    ///
    /// # Errors
    /// Those of [`Client::create`](super::Client::create).
    pub fn create(&mut self, device: usize, bytes: &[u8]) -> Result<Handle> {
        let memory = self.empty(device, bytes.len())?;
        self.answered(device, |mut command| command.write(&memory, bytes))?;
        Ok(memory)
    }

    /// Returns a fence.
    ///
    /// # Errors
    /// Those of [`Client::fence`](super::Client::fence).
    pub fn fence(&mut self, device: usize) -> Result<Fence> {
        self.answered(device, |mut command| command.fence())
    }
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Server({} devices, {} driver)", self.units.len(), driver_kind())
    }
}

impl Command<'_> {
    fn allocate(&mut self, device: usize, bytes: usize, back: Sender<Message>) -> Result<Handle> {
        let Command { unit, gpu } = self;
        let place = gpu.with(|gpu| unit.pool.take(gpu, bytes))?;
        Ok(Handle(Arc::new(Part { device, place, back })))
    }

    fn write(&mut self, to: &Handle, bytes: &[u8]) -> Result {
        let Command { unit: Unit { pool, staging, stream, .. }, gpu } = self;
        gpu.with(|gpu| {
            let mut range = pool.range(gpu, to.0.place)?;
            staging.upload(gpu, gpu.bind(stream)?, bytes, &mut range)
        })
    }

    fn read(&mut self, from: &Handle) -> Result<Staged> {
        let Command { unit: Unit { pool, staging, stream, .. }, gpu } = self;
        gpu.with(|gpu| {
            let range = pool.range(gpu, from.0.place)?;
            staging.download(gpu, gpu.bind(stream)?, &range)
        })
    }

    fn copy(&mut self, from: &Handle, to: &Handle) -> Result {
        let Command { unit: Unit { pool, stream, .. }, gpu } = self;
        gpu.with(|gpu| {
            let (from, mut to) = (pool.range(gpu, from.0.place)?, pool.range(gpu, to.0.place)?);
            // SAFETY: 1. Both are parts of the pool, which are used in the order of the stream.
            unsafe { gpu.on(gpu.bind(stream)?).copy_unscoped(&from, &mut to) }
        })
    }

    fn fence(&mut self) -> Result<Fence> {
        let event = self.unit.context.event_with(EventFlags::DISABLE_TIMING)?;
        // SAFETY: 1. The stream lives as long as the server, and nothing captures it.
        unsafe { event.record_in(self.unit.stream.raw()) }?;
        Ok(Fence(Arc::new(event)))
    }

    /// Launches a kernel, or captures the launch: for one that is known, one driver call.
    fn launch(
        &mut self,
        source: &Source,
        (blocks, threads): (u32, u32),
        arguments: Vec<Argument>,
    ) -> Result {
        let Command { unit: Unit { pool, kernels, stream, open, .. }, gpu } = self;
        gpu.with(|gpu| {
            let function = gpu.bind(kernels.get(gpu, source)?)?;
            let mut list = function.arguments()?;
            for argument in &arguments {
                match argument {
                    Argument::Memory(memory) => list.push(pool.range(gpu, memory.0.place)?)?,
                    Argument::U32(number) => list.push(*number)?,
                    Argument::F32(number) => list.push(*number)?,
                };
            }
            let config = LaunchConfig::new(blocks, threads);
            match open {
                // SAFETY: 1. to 3. The client vouches for the kernel, and `used` keeps the memory as long as the graph.
                Some(Open { capture, used }) => unsafe {
                    capture.on(gpu)?.launch_unchecked(function, config, list)?;
                    used.extend(arguments.iter().filter_map(|argument| match argument {
                        Argument::Memory(memory) => Some(memory.clone()),
                        _ => None,
                    }));
                    Ok(())
                },
                // SAFETY: 1. to 4. The client vouches for the kernel, whose memory is used in the order of the stream.
                None => unsafe {
                    gpu.on(gpu.bind(stream)?).launch_unscoped(function, config, list)
                },
            }
        })
    }

    fn begin_capture(&mut self) -> Result {
        let Command { unit: Unit { stream, open, .. }, gpu } = self;
        if open.is_some() {
            let (call, reason) = ("Client::begin_capture", "a capture is open: end it first");
            return Err(Error::InvalidArgument { call, reason: reason.into() });
        }
        let capture = gpu.with(|gpu| gpu.open_capture(gpu.bind(stream)?))?;
        *open = Some(Open { capture, used: Vec::new() });
        Ok(())
    }

    fn end_capture(&mut self, device: usize) -> Result<GraphId> {
        let Command { unit: Unit { open, graphs, .. }, gpu } = self;
        let Some(Open { capture, used }) = open.take() else {
            let (call, reason) = ("Client::end_capture", "no capture is open: begin one");
            return Err(Error::InvalidArgument { call, reason: reason.into() });
        };
        let graph = gpu.with(|gpu| Ok(capture.finish(gpu)?.detach()))?;
        graphs.push((graph, used));
        Ok(GraphId { device, number: graphs.len() - 1 })
    }

    /// Runs a graph behind the work in the stream: one driver call.
    fn replay(&mut self, number: usize) -> Result {
        let Command { unit: Unit { stream, graphs, .. }, gpu } = self;
        let Some((graph, _)) = graphs.get(number) else {
            let (call, reason) = ("Client::replay", "the graph is of another server");
            return Err(Error::InvalidArgument { call, reason: reason.into() });
        };
        // SAFETY: 1. The graph and the memory that it uses are kept as long as the server, and both are used in the order of
        // the stream.
        gpu.with(|gpu| unsafe { gpu.on(gpu.bind(stream)?).replay_unscoped(gpu.bind(graph)?, ()) })
    }
}
