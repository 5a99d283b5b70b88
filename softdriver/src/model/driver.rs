//! The state of the process: initialisation, devices, and the registries of everything.

use crate::model::array::Array;
use crate::model::array::mipmap::MipmappedArray;
use crate::model::array::texture::{Surface, Texture};
use crate::model::context::{Context, Creation};
use crate::model::device::Device;
use crate::model::event::Event;
use crate::model::external::memory::ExternalMemory;
use crate::model::external::semaphore::ExternalSemaphore;
use crate::model::function::Function;
use crate::model::graph::Graph;
use crate::model::graph::exec::Exec;
use crate::model::graphics::Resource;
use crate::model::ipc::Opened;
use crate::model::library::{Kernel, Library};
use crate::model::link::Link;
use crate::model::memory::pool::{Place, Pool};
use crate::model::memory::space::Space;
use crate::model::memory::virtual_memory::VirtualMemory;
use crate::model::module::Module;
use crate::model::peer::Peers;
use crate::model::resource::Description;
use crate::model::stream::Stream;
use crate::registry::Registry;
use crate::sync;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

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

/// Everything of the process. Made by the first `cuInit`, never ended.
pub(crate) struct Driver {
    /// By ordinal.
    pub(crate) devices: Vec<Device>,
    /// Every context that ever was: destroyed ones stay known (F13, F14).
    pub(crate) contexts: Registry<Context>,
    /// Those of them that are alive, by handle.
    pub(crate) living: Mutex<HashMap<usize, Arc<Context>>>,
    /// Streams, those of destroyed contexts included (F42).
    pub(crate) streams: Registry<Stream>,
    /// Events, those of destroyed contexts included (F42).
    pub(crate) events: Registry<Event>,
    /// Loaded modules.
    pub(crate) modules: Registry<Module>,
    /// Loaded libraries.
    pub(crate) libraries: Registry<Library>,
    /// Their kernels that were asked for.
    pub(crate) kernels: Registry<Kernel>,
    /// Links in progress.
    pub(crate) links: Registry<Link>,
    /// Kernels that were asked for.
    pub(crate) functions: Registry<Function>,
    /// Graphs.
    pub(crate) graphs: Registry<Graph>,
    /// Instantiated graphs.
    pub(crate) execs: Registry<Exec>,
    /// Descriptions of resources; they cannot be destroyed.
    pub(crate) descriptions: Registry<Description>,
    /// Arrays, the levels of mipmapped ones included.
    pub(crate) arrays: Registry<Array>,
    /// Mipmapped arrays.
    pub(crate) mipmapped_arrays: Registry<MipmappedArray>,
    /// Textures.
    pub(crate) textures: Registry<Texture>,
    /// Surfaces.
    pub(crate) surfaces: Registry<Surface>,
    /// Imported memory.
    pub(crate) external_memories: Registry<ExternalMemory>,
    /// Imported semaphores.
    pub(crate) external_semaphores: Registry<ExternalSemaphore>,
    /// Registered resources of graphics.
    pub(crate) graphics: Registry<Resource>,
    /// Pools of memory.
    pub(crate) pools: Registry<Pool>,
    /// Those of them that the devices have from the start, and behind these the host and its NUMA node.
    pub(crate) first_pools: Vec<usize>,
    /// The handles of the pools that were set last for the host and its NUMA node; 0 if none was.
    pub(crate) host_pools: [AtomicUsize; 2],
    /// The memory of all devices.
    pub(crate) space: Space,
    /// Reserved addresses, physical memory and mappings.
    pub(crate) virtual_memory: VirtualMemory,
    /// Memory of other processes.
    pub(crate) opened: Opened,
    /// Who has access to memory of other devices.
    pub(crate) peers: Peers,
}

pub(crate) static DRIVER: OnceLock<Driver> = OnceLock::new();
/// True between `cuInit` and the end of the process or the fork that made it.
pub(crate) static READY: AtomicBool = AtomicBool::new(false);
/// Whether this process is the child of one that used the driver (F20).
static FORKED: AtomicBool = AtomicBool::new(false);

/// Whether the driver can be used.
#[inline]
pub(crate) fn ready() -> bool {
    READY.load(Ordering::Acquire)
}

/// Whether this is a child of a process that used the driver.
pub(crate) fn forked() -> bool {
    FORKED.load(Ordering::Acquire)
}

/// The state, if `cuInit` was called.
pub(crate) fn get() -> Option<&'static Driver> {
    DRIVER.get().filter(|_| ready())
}

/// The state; for bodies of functions that are refused before `cuInit`.
pub(crate) fn driver() -> &'static Driver {
    // The entry of every function checks `ready` first.
    DRIVER.get().expect("cuInit was called")
}

/// In the child of a fork: no thread of this driver is there, so that every call is refused. (The
/// real driver still takes work for streams there, and the waits for it may hang.)
#[cfg(unix)]
pub(crate) extern "C" fn after_fork() {
    FORKED.store(true, Ordering::Release);
    READY.store(false, Ordering::Release);
}

impl Driver {
    /// With these devices of the machine.
    pub(crate) fn new(visible: &[usize]) -> Self {
        let devices = visible.len();
        let pools = Registry::new(0x49);
        let first = |place| pools.insert(|handle| Pool::new(handle, place, 0)).0;
        let places = (0..devices).map(Place::Device).chain([Place::Host, Place::Node]);
        let first_pools = places.map(first).collect();
        Self {
            devices: visible
                .iter()
                .enumerate()
                .map(|(i, &number)| Device::new(i, number))
                .collect(),
            contexts: Registry::new(0x41),
            living: Mutex::default(),
            streams: Registry::reusing(0x42),
            events: Registry::new(0x43),
            modules: Registry::new(0x44),
            libraries: Registry::new(0x4a),
            kernels: Registry::new(0x4b),
            links: Registry::new(0x4c),
            functions: Registry::new(0x45),
            graphs: Registry::new(0x46),
            execs: Registry::new(0x47),
            descriptions: Registry::new(0x48),
            arrays: Registry::new(0x4d),
            mipmapped_arrays: Registry::new(0x4e),
            textures: Registry::new(0x4f),
            surfaces: Registry::new(0x60),
            external_memories: Registry::new(0x61),
            external_semaphores: Registry::new(0x62),
            graphics: Registry::new(0x63),
            pools,
            first_pools,
            host_pools: Default::default(),
            space: Space::new(devices),
            virtual_memory: VirtualMemory::new(devices),
            opened: Opened::default(),
            peers: Peers::default(),
        }
    }

    /// Counts what is alive.
    pub(crate) fn live(&self) -> Live {
        let memory = self.space.usage();
        let mapped = self.virtual_memory.usage();
        let living = sync::lock(&self.living);
        let contexts = |which: fn(&Creation) -> bool| {
            living.values().filter(|context| which(&context.creation) && context.alive()).count()
        };
        Live {
            contexts: contexts(|creation| matches!(creation, Creation::Ordinary)),
            primary_contexts: contexts(|creation| matches!(creation, Creation::Primary)),
            green_contexts: contexts(|creation| matches!(creation, Creation::Green(_))),
            streams: self.streams.count(|stream| stream.life.alive()),
            events: self.events.count(|event| event.life.alive()),
            modules: self.modules.count(|module| module.library.is_none()),
            libraries: self.libraries.count(|_| true),
            links: self.links.count(|_| true),
            allocations: memory.allocations,
            bytes: memory.bytes,
            host_allocations: memory.host_allocations,
            registrations: memory.registrations,
            reservations: mapped.reservations,
            physical: mapped.handles,
            mappings: mapped.mappings,
            opened: self.opened.count(),
            arrays: self.arrays.count(|array| !array.is_level && array.life.alive()),
            mipmapped_arrays: self.mipmapped_arrays.count(|array| array.life.alive()),
            textures: self.textures.count(|texture| texture.life.alive()),
            surfaces: self.surfaces.count(|surface| surface.life.alive()),
            external_memories: self.external_memories.count(ExternalMemory::alive),
            external_mappings: memory.external_mappings,
            external_semaphores: self.external_semaphores.count(ExternalSemaphore::alive),
            graphics_resources: self.graphics.count(Resource::alive),
            pools: self.pools.count(|pool| !self.first_pools.contains(&pool.handle)),
            graphs: self.graphs.count(|graph| !graph.captured() && !graph.is_of_node()),
            graph_execs: self.execs.count(|_| true),
        }
    }
}
