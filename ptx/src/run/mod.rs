//! Running the kernels of a module: what a driver in software needs, and few others. It changes more often than the
//! rest of the package.
//!
//! Threads run in warps of 32, in lockstep and with real divergence. The blocks of a cluster share their shared memory,
//! others nothing but [`Memory`].
//!
//! Generic addresses from `0x0100_0000` to `0x03ff_ffff` are windows to shared memory, local memory and parameters;
//! addresses below them are illegal, and those above are handed to [`Memory`].

mod access;
mod barrier;
mod block;
mod bulk;
mod call;
mod cluster;
mod collective;
mod format;
mod left_out;
pub(crate) mod matrix;
mod mbarrier;
mod multimem;
mod pool;
mod reach;
mod registers;
mod report;
mod special;
mod step;
mod surface;
mod system;
mod tensor;
mod texture;
mod tile;
mod turn;
mod warp;
mod wgmma;

use super::Module;
pub use super::image::{Channel, Edge, Image, Texture};
pub use super::ops::lanes::{Row, lanes};
pub use super::ops::wide::{Lie, lie};
pub use report::{Accident, BadAccess, Does, Place};
use std::sync::Arc;

/// The most threads of a block, which whoever launches checks as well.
const MOST_THREADS: u32 = 1024;
/// The most blocks of a cluster, likewise.
const MOST_BLOCKS: u32 = 16;

/// The address space that a device's pointers lead to.
pub trait Memory: Sync {
    /// Reads a word of `bytes` (1, 2, 4 or 8) for each lane of a mask, the
    /// addresses being multiples of their number.
    ///
    /// # Errors
    ///
    /// There is no live memory at all of these bytes.
    fn load(&self, at: &Row, mask: u32, bytes: usize, out: &mut Row) -> Result<(), Fault>;

    /// Writes words, under the same conditions.
    ///
    /// # Errors
    ///
    /// There is no live memory at all of these bytes.
    fn store(&self, at: &Row, mask: u32, bytes: usize, values: &Row) -> Result<(), Fault>;

    /// [`load`](Self::load) for all lanes, whose words lie one after the other.
    ///
    /// # Errors
    ///
    /// There is no live memory at all of these bytes.
    fn load_run(&self, first: u64, bytes: usize, out: &mut Row) -> Result<(), Fault> {
        self.load(&run_from(first, bytes), u32::MAX, bytes, out)
    }

    /// [`store`](Self::store) likewise.
    ///
    /// # Errors
    ///
    /// There is no live memory at all of these bytes.
    fn store_run(&self, first: u64, bytes: usize, values: &Row) -> Result<(), Fault> {
        self.store(&run_from(first, bytes), u32::MAX, bytes, values)
    }

    /// Replaces a value of 2, 4 or 8 bytes by what `update` makes of it, in one
    /// step as others see it, and answers the old one; `update` may be called
    /// more than once, and none leaves the value as it is.
    ///
    /// # Errors
    ///
    /// There is no live memory at all of these bytes.
    fn atomic(
        &self,
        address: u64,
        bytes: usize,
        update: &mut dyn FnMut(u64) -> Option<u64>,
    ) -> Result<u64, Fault>;

    /// How many bytes of live memory begin at an address. A vector whose first element is in memory may be read past the
    /// end of that: what is not there is 0.
    fn room(&self, address: u64) -> u64 {
        let _nowhere = address;
        0
    }

    /// Where the bytes at an address of a multicast object are: an address for each of its devices.
    ///
    /// # Errors
    ///
    /// It is no such address, or not for this device.
    fn multicast(&self, address: u64, bytes: usize) -> Result<Vec<u64>, Fault> {
        let _none = (address, bytes);
        Err(Fault::IllegalAddress)
    }

    /// Whether the launch is to end now.
    fn cut_off(&self) -> bool {
        false
    }

    /// Sets the number of a handle, which a conditional node of the graph reads.
    ///
    /// # Errors
    ///
    /// The launch is of no graph with such a number.
    fn set_number(&self, handle: u64, value: u32) -> Result<(), Fault> {
        let _nobody = (handle, value);
        Err(Fault::IllegalAddress)
    }

    /// Memory of the device's heap; none if there is not so much.
    fn allocate(&self, bytes: u64) -> Option<u64>;

    /// Gives memory of the heap back.
    ///
    /// # Errors
    ///
    /// The address is none that [`allocate`](Self::allocate) gave.
    fn release(&self, address: u64) -> Result<(), Fault>;

    /// The texture of a handle.
    fn texture(&self, handle: u64) -> Option<Arc<Texture>> {
        let _none = handle;
        None
    }

    /// The texels of a surface's handle.
    fn surface(&self, handle: u64) -> Option<Arc<Image>> {
        let _none = handle;
        None
    }
}

/// The addresses of words that lie one after the other.
#[inline]
pub fn run_from(first: u64, bytes: usize) -> Row {
    std::array::from_fn(|lane| first.wrapping_add((lane * bytes) as u64))
}

/// Where a kernel's texts go.
pub trait Output: Sync {
    /// Prints the text of `printf`.
    fn print(&self, text: &[u8]);
    /// Prints the text of an assertion that failed.
    fn complain(&self, text: &str);
    /// Where the launch faulted first.
    fn faulted(&self, accident: &Accident) {
        let _nobody = accident;
    }
    /// Whether launches can go on without accesses that fault. Then the threads of a warp make each access one by one.
    fn may_leave_out(&self) -> bool {
        false
    }
    /// Whether a launch goes on without an access of a thread that faults: what it would have loaded is 0.
    fn leaves_out(&self, accident: &Accident) -> bool {
        let _nobody = accident;
        false
    }
    /// How many steps the warps of a launch made.
    fn ran(&self, steps: u64) {
        let _nobody = steps;
    }
}

/// The reason why a launch ends before its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// An access to what is not memory; calls that go deeper than the stack make
    /// one.
    IllegalAddress,
    /// An access to an address that is not a multiple of its size.
    MisalignedAddress,
    /// `trap` or `brkpt`.
    Trap,
    /// An operand that only shows when it runs, such as a barrier's number,
    /// was out of range.
    IllegalInstruction,
    /// A call or a branch to what is no code.
    InvalidPc,
    /// An assertion failed.
    Assert,
    /// No thread of a block can go on: they wait at barriers for one another.
    /// Or the steps of the launch are spent.
    LaunchTimeout,
    /// The launch was to end.
    CutOff,
}

/// A kernel with everything that its launch needs.
#[derive(Clone, Copy)]
pub struct Launch<'a> {
    /// The module.
    pub module: &'a Module,
    /// The kernel, by its index in [`Module::kernels`].
    pub kernel: usize,
    /// The blocks in each dimension.
    pub grid: [u32; 3],
    /// The threads of a block in each dimension.
    pub block: [u32; 3],
    /// The blocks of a cluster in each dimension, if the launch or the kernel says so.
    pub cluster: Option<[u32; 3]>,
    /// The bytes of dynamic shared memory.
    pub dynamic_shared: usize,
    /// The parameters, each at its offset.
    pub params: &'a [u8],
    /// The device address of each of [`Module::globals`].
    pub globals: &'a [u64],
    /// Device memory.
    pub memory: &'a dyn Memory,
    /// The address of the grid's workspace, zeroed; 0 if the launch is not a
    /// cooperative one.
    pub workspace: u64,
    /// Where texts go.
    pub output: &'a dyn Output,
    /// How many threads of the host run blocks, at most.
    pub workers: usize,
    /// How many steps all warps may make, about.
    pub most_steps: u64,
}

/// Runs a launch to its end.
///
/// # Errors
///
/// A thread faulted; other threads may have run before and after it.
pub fn run(launch: &Launch<'_>) -> Result<(), Fault> {
    let Some(kernel) = launch.module.kernels.get(launch.kernel) else {
        return Err(Fault::IllegalInstruction);
    };
    if launch.grid.contains(&0) || launch.block.contains(&0) {
        return Ok(());
    }
    let threads = launch.block.iter().fold(1, |all: u64, &one| all.saturating_mul(one.into()));
    if launch.block.iter().any(|&one| one > MOST_THREADS) || threads > u64::from(MOST_THREADS) {
        return Err(Fault::IllegalInstruction);
    }
    let cluster = launch.cluster.unwrap_or([1; 3]);
    let divides = |(&whole, part): (&u32, u32)| part != 0 && whole % part == 0;
    let blocks = cluster.iter().fold(1u32, |all, &one| all.saturating_mul(one));
    if blocks > MOST_BLOCKS || !launch.grid.iter().zip(cluster).all(divides) {
        return Err(Fault::IllegalInstruction);
    }
    if launch.output.may_leave_out() {
        return pool::run(launch, &left_out::one_by_one(kernel));
    }
    pool::run(launch, kernel)
}
