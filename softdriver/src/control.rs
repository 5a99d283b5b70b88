//! Questions of tests to the software driver: which calls a thread made, what is alive, and which races there
//! were.

use crate::model::array::ARRAYS;
use crate::model::array::mipmap::MIPMAPPED_ARRAYS;
use crate::model::array::texture::SURFACES;
use crate::model::array::texture::TEXTURES;
use crate::model::capture;
use crate::model::context::Creation;
use crate::model::context::LIVING;
use crate::model::driver;
use crate::model::event::EVENTS;
use crate::model::external::memory::ExternalMemory;
use crate::model::external::memory::MEMORIES;
use crate::model::external::semaphore::ExternalSemaphore;
use crate::model::external::semaphore::SEMAPHORES;
use crate::model::graph::HANDLES;
use crate::model::graph::exec::EXECS;
use crate::model::graphics::RESOURCES;
use crate::model::graphics::Resource;
use crate::model::ipc::OPENED;
use crate::model::library::LIBRARIES;
use crate::model::link::LINKS;
use crate::model::memory::pool::POOLS;
use crate::model::memory::space::SPACE;
use crate::model::memory::virtual_memory::VIRTUAL_MEMORY;
use crate::model::module::MODULES;
use crate::model::notification;
use crate::model::stack;
use crate::model::stream::STREAMS;
use crate::race;
use crate::sync;
use cuscope_sys::CUstreamCaptureMode;
use std::cell::{Cell, RefCell};

pub use crate::model::stack::Entry;
pub use crate::race::{Access, Operation, Race};

thread_local! {
    /// How many [`record`]s this thread is in.
    static RECORDING: Cell<usize> = const { Cell::new(0) };
    /// The calls since the outermost of them began.
    static CALLS: RefCell<Vec<&'static str>> = const { RefCell::new(Vec::new()) };
    /// The contexts that [`peer_contexts`] returns.
    static PEERS: Cell<[usize; 2]> = const { Cell::new([0; 2]) };
}

/// Notes the contexts of a copy between contexts, as addresses.
pub(crate) fn note_peers(from: usize, to: usize) {
    PEERS.set([from, to]);
}

/// The addresses of the contexts that this thread's last copy between contexts named: that of the source, and that of the
/// destination. The copy itself does not need them, since addresses tell where memory is.
pub fn peer_contexts() -> [usize; 2] {
    PEERS.get()
}

/// Notes a call, if this thread is recording.
#[inline]
pub(crate) fn note(name: &'static str) {
    // A thread that is ending has no recording any more.
    if RECORDING.try_with(Cell::get).unwrap_or(0) > 0 {
        CALLS.with_borrow_mut(|calls| calls.push(name));
    }
}

/// Runs `f` and gives the names of the driver calls that this thread made meanwhile, refused ones
/// included.
pub fn record<R>(f: impl FnOnce() -> R) -> (R, Vec<&'static str>) {
    let recording = Recording::begin();
    let result = f();
    (result, recording.calls())
}

/// A recording of the calls of this thread. It ends when it is dropped, also by a panic.
struct Recording {
    /// How many calls outer recordings have.
    start: usize,
}

impl Recording {
    fn begin() -> Self {
        RECORDING.set(RECORDING.get() + 1);
        Self { start: CALLS.with_borrow(Vec::len) }
    }

    /// The calls so far.
    fn calls(&self) -> Vec<&'static str> {
        CALLS.with_borrow(|calls| calls[self.start..].to_vec())
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        RECORDING.set(RECORDING.get() - 1);
        if RECORDING.get() == 0 {
            CALLS.take();
        }
    }
}

/// How much of everything is alive in this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Live {
    /// Contexts that `cuCtxCreate` made.
    pub contexts: usize,
    /// Primary contexts that are active.
    pub primary_contexts: usize,
    /// Green contexts; each also keeps a primary one active.
    pub green_contexts: usize,
    /// Streams.
    pub streams: usize,
    /// Events.
    pub events: usize,
    /// Modules, but for those of libraries.
    pub modules: usize,
    /// Libraries.
    pub libraries: usize,
    /// Links in progress.
    pub links: usize,
    /// Allocations of device memory; variables of modules do not count.
    pub allocations: usize,
    /// The bytes that were asked for in them.
    pub bytes: usize,
    /// Allocations of page-locked host memory.
    pub host_allocations: usize,
    /// Registrations of host memory of the program.
    pub registrations: usize,
    /// Reserved ranges of addresses.
    pub reservations: usize,
    /// Handles of physical memory, and of multicast objects.
    pub physical: usize,
    /// Mappings of physical memory.
    pub mappings: usize,
    /// Allocations of other processes that are open.
    pub opened: usize,
    /// Arrays, but for the levels of mipmapped ones.
    pub arrays: usize,
    /// Mipmapped arrays.
    pub mipmapped_arrays: usize,
    /// Textures.
    pub textures: usize,
    /// Surfaces.
    pub surfaces: usize,
    /// Memory of other interfaces that is imported.
    pub external_memories: usize,
    /// Its mappings as buffers.
    pub external_mappings: usize,
    /// Semaphores of other interfaces that are imported.
    pub external_semaphores: usize,
    /// Resources of graphics that are registered.
    pub graphics_resources: usize,
    /// Pools of memory, but for those that the devices have from the start.
    pub pools: usize,
    /// Graphs, but for those of nodes.
    pub graphs: usize,
    /// Instantiated graphs.
    pub graph_execs: usize,
}

/// Counts what is alive, in every context and of every thread. All zero before `cuInit`.
pub fn live() -> Live {
    if driver::ready() { counted() } else { Live::default() }
}

/// The same after `cuInit`.
fn counted() -> Live {
    let memory = SPACE.usage();
    let mapped = VIRTUAL_MEMORY.usage();
    let living = sync::lock(&LIVING);
    let contexts = |which: fn(&Creation) -> bool| {
        living.values().filter(|context| which(&context.creation) && context.alive()).count()
    };
    Live {
        contexts: contexts(|creation| matches!(creation, Creation::Ordinary)),
        primary_contexts: contexts(|creation| matches!(creation, Creation::Primary)),
        green_contexts: contexts(|creation| matches!(creation, Creation::Green(_))),
        streams: STREAMS.count(|stream| stream.life.alive()),
        events: EVENTS.count(|event| event.life.alive()),
        modules: MODULES.count(|module| module.library.is_none()),
        libraries: LIBRARIES.count(|_| true),
        links: LINKS.count(|_| true),
        allocations: memory.allocations,
        bytes: memory.bytes,
        host_allocations: memory.host_allocations,
        registrations: memory.registrations,
        reservations: mapped.reservations,
        physical: mapped.handles,
        mappings: mapped.mappings,
        opened: OPENED.count(),
        arrays: ARRAYS.count(|array| !array.is_level && array.life.alive()),
        mipmapped_arrays: MIPMAPPED_ARRAYS.count(|array| array.life.alive()),
        textures: TEXTURES.count(|texture| texture.life.alive()),
        surfaces: SURFACES.count(|surface| surface.life.alive()),
        external_memories: MEMORIES.count(ExternalMemory::alive),
        external_mappings: memory.external_mappings,
        external_semaphores: SEMAPHORES.count(ExternalSemaphore::alive),
        graphics_resources: RESOURCES.count(Resource::alive),
        pools: POOLS.all.count(|pool| !POOLS.first.contains(&pool.handle)),
        graphs: HANDLES.count(|graph| !graph.captured() && !graph.is_of_node()),
        graph_execs: EXECS.count(|_| true),
    }
}

/// Tells the functions of `cuDeviceRegisterAsyncNotification` that memory of the device with this ordinal is so many bytes over
/// its budget, as nothing else does here. Returns how many functions there were, when they have returned.
pub fn notify_over_budget(device: usize, bytes: u64) -> usize {
    notification::over_budget(device, bytes)
}

/// The depth of the calling thread's context stack.
pub fn stack_depth() -> usize {
    stack::depth()
}

/// The calling thread's context stack, from bottom to top. Makes no driver call.
pub fn stack() -> Vec<Entry> {
    stack::entries_of_thread()
}

/// The calling thread's mode of stream capture. Makes no driver call.
pub fn capture_mode() -> CUstreamCaptureMode {
    capture::mode()
}

/// The races that were found while there was a [seed](crate::schedule::seed), each pair of operations
/// once. With the variable `CUSCOPE_SOFT_SEED` they are also printed to stderr; with
/// `CUSCOPE_SOFT_RACES=abort` the first ends the process.
///
/// A race is two operations on the same memory, at least one of which changes it, that no stream,
/// event or wait orders, whether or not they ran in the order that the program hopes for; or one on
/// memory that was freed before. Threads of the program count as one, and what the program itself does
/// with memory of the host is not seen, nor what it learns by looking at memory.
pub fn races() -> Vec<Race> {
    race::races()
}

/// The same; they are forgotten.
pub fn take_races() -> Vec<Race> {
    race::take_races()
}
