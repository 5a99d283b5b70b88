//! The page-locked memory in which the guarded kernels of a context note where they failed.
#![allow(unsafe_code, reason = "calls the driver, and looks at memory that kernels write")]

use crate::call::{later, name};
use crate::driver::capture_mode::relaxed;
use crate::driver::fork;
use crate::driver::release::report_drop;
use crate::error::{Error, OutOfBounds, Result};
use crate::memory::PinnedBuffer;
use crate::owned::StreamInner;
use crate::stack::PushedGuard;
use crate::sync::Arc as StreamArc;
use cuscope_guard::{AccessKind, GuardedKernel};
use ffi::CUdeviceptr;
use std::mem;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// The slots of a context.
const SLOTS: usize = 4096;
/// The index of no slot.
const NO_SLOT: usize = usize::MAX;

/// The boards of all contexts. No code of the program runs while this is held.
static BOARDS: Mutex<Vec<(usize, Weak<Board>)>> = Mutex::new(Vec::new());

/// The slots of a context, and what is known of its guarded kernels.
///
/// Whatever a kernel may write a slot for, its module is loaded, and the module owns the board until it has been unloaded,
/// which waits for its kernels ([F50](crate::driver_facts#F50)). So no kernel writes a board that is gone.
#[allow(unreachable_pub, reason = "a sealed method takes it")]
pub struct Board {
    memory: PinnedBuffer<u64>,
    /// A slot that was given back last, or [`NO_SLOT`]: a launch that waits takes it and puts it back with two swaps.
    spare: AtomicUsize,
    /// The slots in use, and the spare one, one bit each.
    taken: [AtomicU64; SLOTS / 64],
    state: Mutex<State>,
    /// Whether there are slots of streams that are gone.
    has_retired: AtomicBool,
}

#[derive(Default)]
struct State {
    /// The last tag that was given out.
    last: u32,
    modules: Vec<Loaded>,
    /// Slots that kernels in these streams may still write. Nobody else has the streams.
    retired: Vec<(StreamArc<StreamInner>, usize)>,
}

/// The kernels of a module. The first one has this tag, and the next ones those behind it.
struct Loaded {
    first: u32,
    kernels: Arc<[GuardedKernel]>,
    /// Whether the module is gone: it stays here only for failures that nobody has looked at yet.
    gone: bool,
}

impl Loaded {
    fn kernel(&self, tag: u32) -> Option<&GuardedKernel> {
        self.kernels.get(tag.checked_sub(self.first)? as usize)
    }
}

/// The kernels of a module that is loaded, with their tags.
pub(crate) struct Code {
    board: Arc<Board>,
    first: u32,
    kernels: Arc<[GuardedKernel]>,
}

impl Code {
    pub(crate) fn board(&self) -> &Arc<Board> {
        &self.board
    }

    /// Returns a kernel and its tag.
    pub(crate) fn kernel(&self, name: &str) -> Option<(&GuardedKernel, u32)> {
        let at = self.kernels.iter().position(|kernel| kernel.name() == name)?;
        Some((&self.kernels[at], self.first + at as u32))
    }
}

impl Drop for Code {
    fn drop(&mut self) {
        let Some(mut state) = fork::lock(&self.board.state) else { return };
        for module in &mut state.modules {
            module.gone |= module.first == self.first;
        }
        self.board.forget(&mut state);
    }
}

impl Board {
    /// Returns the board of a guard's context.
    ///
    /// # Errors
    /// The errors of [`PushedGuard::pinned`].
    pub(crate) fn of(gpu: &PushedGuard<'_>) -> Result<Arc<Board>> {
        let key = gpu.context().key();
        let known = |boards: &[(usize, Weak<Board>)]| {
            boards.iter().filter(|(one, _)| *one == key).find_map(|(_, one)| one.upgrade())
        };
        if let Some(board) = known(&boards()) {
            return Ok(board);
        }
        let new = Arc::new(Board {
            memory: gpu.pinned(SLOTS)?,
            spare: AtomicUsize::new(NO_SLOT),
            taken: [const { AtomicU64::new(0) }; SLOTS / 64],
            state: Mutex::default(),
            has_retired: AtomicBool::new(false),
        });
        let mut boards = boards();
        if let Some(board) = known(&boards) {
            // Another thread was first. The new one goes when nothing is locked.
            drop(boards);
            return Ok(board);
        }
        boards.retain(|(_, board)| board.strong_count() > 0);
        boards.push((key, Arc::downgrade(&new)));
        Ok(new)
    }

    /// Notes the kernels of a module that is being loaded.
    ///
    /// # Errors
    /// [`InvalidArgument`](Error::InvalidArgument) if no tags are left.
    pub(crate) fn load(self: Arc<Board>, kernels: Arc<[GuardedKernel]>) -> Result<Code> {
        let all = || Error::InvalidArgument {
            call: name!(cuModuleLoadDataEx),
            reason: "2^32 guarded kernels were loaded: start the program again".into(),
        };
        let mut state = self.state();
        let first = state.last.checked_add(1).ok_or_else(all)?;
        state.last = u32::try_from(kernels.len())
            .ok()
            .and_then(|n| state.last.checked_add(n))
            .ok_or_else(all)?;
        state.modules.push(Loaded { first, kernels: kernels.clone(), gone: false });
        drop(state);
        Ok(Code { board: self, first, kernels })
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[inline]
    fn word(&self, index: usize) -> &AtomicU64 {
        let place = self.memory.start().wrapping_add(index);
        // SAFETY: one of the `SLOTS` aligned words of the memory, which lives as long as this. The host uses them in no other
        // way. A kernel stores 8 aligned bytes there at once, and whoever looks has waited for it.
        unsafe { AtomicU64::from_ptr(place) }
    }

    /// Takes a slot that nobody uses.
    #[inline]
    pub(super) fn take(&self) -> Option<usize> {
        match self.spare.swap(NO_SLOT, Ordering::AcqRel) {
            NO_SLOT => self.take_another(),
            spare => Some(spare),
        }
    }

    #[cold]
    #[inline(never)]
    fn take_another(&self) -> Option<usize> {
        self.reclaim();
        self.take_free()
    }

    /// Takes a slot that nobody uses, without a look at those of streams that are gone.
    fn take_free(&self) -> Option<usize> {
        let spare =
            Some(self.spare.swap(NO_SLOT, Ordering::AcqRel)).filter(|&spare| spare != NO_SLOT);
        spare.or_else(|| (0..self.taken.len()).find_map(|place| self.take_of(place)))
    }

    /// Takes a slot of a word.
    fn take_of(&self, place: usize) -> Option<usize> {
        // The lowest bit that is 0.
        let with_another = |now: u64| (now != u64::MAX).then(|| now | (now + 1));
        let taken = &self.taken[place];
        let before = taken.fetch_update(Ordering::Acquire, Ordering::Relaxed, with_another).ok()?;
        Some(place * 64 + before.trailing_ones() as usize)
    }

    /// Gives back a slot that no kernel writes any more. A failure that nobody was told of goes to the hook, so code of the
    /// program may run.
    ///
    /// Not in the child of a fork: the slot is the parent's, and no fact says that page-locked memory is there.
    #[inline]
    pub(super) fn give_back(&self, index: usize) {
        if fork::is_child() {
            return;
        }
        if self.word(index).load(Ordering::Acquire) != 0 {
            self.report(index);
        }
        self.put_back(index);
    }

    /// Tells the hook of a failure that nobody was told of.
    #[cold]
    fn report(&self, index: usize) {
        if let Err(error) = self.tell(index) {
            report_drop(error);
        }
    }

    /// Looks at the slot of a kernel that is over, and gives it back.
    ///
    /// # Errors
    /// [`OutOfBounds`](Error::OutOfBounds).
    #[inline]
    pub(super) fn end(&self, index: usize) -> Result {
        if self.word(index).load(Ordering::Acquire) != 0 {
            return self.end_failed(index);
        }
        self.put_back(index);
        Ok(())
    }

    #[cold]
    fn end_failed(&self, index: usize) -> Result {
        let told = self.tell(index);
        self.put_back(index);
        told
    }

    /// Makes a slot whose word is 0 the spare one.
    #[inline]
    fn put_back(&self, index: usize) {
        match self.spare.swap(index, Ordering::AcqRel) {
            NO_SLOT => {}
            other => self.free(other),
        }
    }

    /// Frees a slot that is no longer the spare one.
    #[cold]
    #[inline(never)]
    fn free(&self, index: usize) {
        self.taken[index / 64].fetch_and(!(1 << (index % 64)), Ordering::Release);
    }

    /// Returns the address of a slot, as the device sees it.
    #[inline]
    pub(super) fn address(&self, index: usize) -> CUdeviceptr {
        self.memory.mapped() + (index * size_of::<u64>()) as CUdeviceptr
    }

    /// Looks whether a kernel failed. A failure is told once.
    ///
    /// # Errors
    /// [`OutOfBounds`](Error::OutOfBounds).
    #[inline]
    pub(super) fn look(&self, index: usize) -> Result {
        match self.word(index).load(Ordering::Acquire) {
            0 => Ok(()),
            _ => self.tell(index),
        }
    }

    #[cold]
    fn tell(&self, index: usize) -> Result {
        match self.word(index).swap(0, Ordering::AcqRel) {
            // Another thread has told it.
            0 => Ok(()),
            noted => Err(self.failure(noted)),
        }
    }

    /// Gives back the slots of streams that are gone and have nothing left to do. Their streams end here, and code of the
    /// program may run.
    pub(super) fn reclaim(&self) {
        if self.has_retired.load(Ordering::Acquire) {
            self.reclaim_retired();
        }
    }

    #[cold]
    fn reclaim_retired(&self) {
        let retired = mem::take(&mut self.state().retired);
        // Without the lock, as the driver is called.
        let (idle, busy): (Vec<_>, Vec<_>) =
            retired.into_iter().partition(|(stream, _)| is_idle(stream));
        let mut state = self.state();
        state.retired.extend(busy);
        self.has_retired.store(!state.retired.is_empty(), Ordering::Release);
        drop(state);
        for (_, index) in &idle {
            self.give_back(*index);
        }
    }

    /// Forgets the modules that are gone and of which no failure is left to tell.
    fn forget(&self, state: &mut State) {
        let told = |module: &Loaded| {
            let failed = |index| {
                module.kernel((self.word(index).load(Ordering::Relaxed) >> 32) as u32).is_some()
            };
            !(0..SLOTS).any(failed)
        };
        state.modules.retain(|module| !module.gone || !told(module));
    }

    /// Returns the error of a failure that a kernel noted.
    #[cold]
    fn failure(&self, noted: u64) -> Error {
        let (tag, number) = ((noted >> 32) as u32, noted as u32);
        let mut state = self.state();
        let error = state.modules.iter().find_map(|module| module.kernel(tag)).map(|kernel| {
            let mut error =
                OutOfBounds { kernel: kernel.name().to_owned(), ..OutOfBounds::default() };
            if let Some(site) = kernel.site(number) {
                error.line = site.line;
                error.further = site.further.clone();
                error.instruction = site.instruction.clone();
                error.source = site.source.clone();
                error.function = site.function.clone();
                error.arguments = site.parameters.clone();
                error.bytes = site.bytes;
                error.does = match site.kind {
                    AccessKind::Read => "read",
                    AccessKind::Write => "write",
                    AccessKind::Update => "update",
                };
            }
            error
        });
        self.forget(&mut state);
        Error::OutOfBounds(Box::new(error.unwrap_or_default()))
    }
}

impl Drop for Board {
    fn drop(&mut self) {
        // The modules are gone, so the kernels of these streams are over.
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        for (_, index) in mem::take(&mut state.retired) {
            self.give_back(index);
        }
    }
}

/// No code of the program runs while this is held.
fn boards() -> std::sync::MutexGuard<'static, Vec<(usize, Weak<Board>)>> {
    BOARDS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns whether a stream has nothing left to do.
fn is_idle(stream: &StreamInner) -> bool {
    let raw = stream.raw;
    // SAFETY: the stream is alive; needs no current context (F37). Captures of other code do not refuse it.
    relaxed(unsafe { later!(cuStreamQuery(raw)) }).ready() == Ok(true)
}

/// A word that one user has for its kernels.
pub(super) struct Slot {
    board: Arc<Board>,
    index: usize,
    /// Its address, as the device sees it.
    address: CUdeviceptr,
    /// Whether kernels may still write it when this ends.
    is_left: bool,
}

impl Slot {
    /// Takes a slot that nobody uses. No code of the program runs.
    #[inline]
    pub(super) fn take(board: &Arc<Board>) -> Option<Slot> {
        let index = board.take_free()?;
        let address = board.address(index);
        Some(Slot { board: board.clone(), index, address, is_left: false })
    }

    #[inline]
    pub(super) fn is_of(&self, board: &Arc<Board>) -> bool {
        Arc::ptr_eq(&self.board, board)
    }

    /// Returns its address, as the device sees it.
    #[inline]
    pub(super) fn address(&self) -> CUdeviceptr {
        self.address
    }

    /// Looks whether a kernel failed. A failure is told once.
    ///
    /// # Errors
    /// [`OutOfBounds`](Error::OutOfBounds).
    #[inline]
    pub(super) fn look(&self) -> Result {
        self.board.look(self.index)
    }

    /// Leaves the slot to the kernels that are in the stream now, until they are over.
    pub(super) fn retire(mut self, stream: &StreamArc<StreamInner>) {
        if !fork::is_child() && is_idle(stream) {
            return;
        }
        self.is_left = true;
        if let Some(mut state) = fork::lock(&self.board.state) {
            state.retired.push((stream.clone(), self.index));
            self.board.has_retired.store(true, Ordering::Release);
        }
    }
}

impl Drop for Slot {
    #[inline]
    fn drop(&mut self) {
        if !self.is_left {
            self.board.give_back(self.index);
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::call::answer;
    use crate::context::{Context, ContextFlags};
    use crate::device::Device;
    use crate::memory::watch::{Record as _, Watch};
    use crate::stack::ContextStack;
    use std::ffi::c_void;
    use std::iter::from_fn;

    const TWO: &str = ".version 7.0
.target sm_52
.address_size 64
.visible .entry one(.param .u64 p) {
    .reg .b64 %d<2>;
    ld.param.u64 %d0, [p]; cvta.to.global.u64 %d1, %d0;
    st.global.u32 [%d1], 1;
    ret;
}
.visible .entry two(.param .u64 p) {
    .reg .b64 %d<2>;
    ld.param.u64 %d0, [p]; cvta.to.global.u64 %d1, %d0;
    st.global.u32 [%d1], 2;
    ret;
}";

    fn kernels() -> Arc<[GuardedKernel]> {
        cuscope_guard::guard(TWO).unwrap().kernels().into()
    }

    fn load(board: &Arc<Board>) -> Code {
        board.clone().load(kernels()).unwrap()
    }

    fn context() -> Context {
        Context::create(Device::get(0).unwrap(), ContextFlags::default()).unwrap()
    }

    fn with_board(test: impl FnOnce(&PushedGuard<'_>, &Arc<Board>)) {
        let context = context();
        let mut stack = ContextStack::current_thread().unwrap();
        let gpu = stack.push(&context).unwrap();
        let board = Board::of(&gpu).unwrap();
        test(&gpu, &board);
    }

    fn all(board: &Board) -> Vec<usize> {
        let mut all: Vec<_> = from_fn(|| board.take()).collect();
        all.sort_unstable();
        all
    }

    #[test]
    #[cfg_attr(miri, ignore = "takes every slot, which takes Miri minutes")]
    fn each_slot_is_taken_once_and_again_when_it_was_given_back() {
        with_board(|_, board| {
            assert_eq!(all(board), (0..SLOTS).collect::<Vec<_>>());
            let some = [70, 71, SLOTS - 1];
            some.into_iter().for_each(|index| board.give_back(index));
            assert_eq!(all(board), some);
            assert_eq!(board.address(71) - board.address(70), 8);
        });
    }

    #[test]
    fn a_failure_is_told_once_with_its_kernel_and_its_place() {
        with_board(|_, board| {
            let (code, other) = (load(board), load(board));
            let mut tags = Vec::new();
            for (code, name) in [(&code, "one"), (&code, "two"), (&other, "one"), (&other, "two")] {
                let (kernel, tag) = code.kernel(name).unwrap();
                let [site] = kernel.sites() else { panic!("one store") };
                tags.push(tag);
                let index = board.take().unwrap();
                let noted = u64::from(tag) << 32 | u64::from(site.number);
                board.word(index).store(noted, Ordering::Release);
                let Err(Error::OutOfBounds(told)) = board.look(index) else { panic!("it failed") };
                assert_eq!((told.kernel(), told.line()), (name, site.line));
                assert_eq!(board.look(index), Ok(()));
                board.word(index).store(noted, Ordering::Release);
                assert!(matches!(board.end(index), Err(Error::OutOfBounds(_))));
                // It is the next one.
                assert_eq!(board.take(), Some(index));
                board.give_back(index);
            }
            tags.sort_unstable();
            tags.dedup();
            assert!(tags.len() == 4 && !tags.contains(&0), "{tags:?}");
        });
    }

    #[test]
    fn a_module_is_forgotten_once_it_is_gone_and_its_failures_are_told() {
        with_board(|_, board| {
            let loaded = || board.state().modules.len();
            let (code, other) = (load(board), load(board));
            let index = board.take().unwrap();
            let tag = code.kernel("two").unwrap().1;
            board.word(index).store(u64::from(tag) << 32, Ordering::Release);
            drop(code);
            assert_eq!(loaded(), 2);
            assert!(board.look(index).is_err());
            assert_eq!(loaded(), 1);
            drop(other);
            assert_eq!(loaded(), 0);
        });
    }

    #[test]
    #[cfg(unix)]
    #[cfg_attr(miri, ignore = "Miri does not fork")]
    fn in_the_child_of_a_fork_a_slot_stays_as_it_is() {
        with_board(|_, board| {
            let slot = Slot::take(board).unwrap();
            let index = slot.index;
            board.word(index).store(1, Ordering::Release);
            let _state = board.state();
            // Nothing of its memory is touched.
            assert!(fork::is_true_in_child(|| {
                board.give_back(index);
                board.take() != Some(index)
            }));
            board.word(index).store(0, Ordering::Release);
        });
    }

    #[test]
    fn a_module_for_which_no_tags_are_left_is_refused() {
        with_board(|_, board| {
            for last in [u32::MAX - 1, u32::MAX] {
                board.state().last = last;
                let refused = board.clone().load(kernels()).map(drop).unwrap_err();
                assert_eq!(refused.call(), Some(name!(cuModuleLoadDataEx)));
                assert!(refused.to_string().contains("2^32 guarded kernels"), "{refused}");
            }
        });
    }

    #[test]
    fn a_context_has_one_board() {
        let [first, second] = [context(), context()];
        let of = |context: &Context| context.with(|gpu| Board::of(gpu)).unwrap();
        let boards = [of(&first), of(&second), of(&first), of(&second)];
        assert!(Arc::ptr_eq(&boards[0], &boards[2]) && Arc::ptr_eq(&boards[1], &boards[3]));
        assert!(!Arc::ptr_eq(&boards[0], &boards[1]));
        // Two threads that ask at once get the same. It is gone when they have dropped it.
        drop(boards);
        for _ in 0..if cfg!(miri) { 2 } else { 100 } {
            let together = std::sync::Barrier::new(2);
            let ask = || {
                first.with(|gpu| {
                    together.wait();
                    Board::of(gpu)
                })
            };
            let (one, other) = std::thread::scope(|s| {
                let other = s.spawn(ask);
                (ask().unwrap(), other.join().unwrap().unwrap())
            });
            assert!(Arc::ptr_eq(&one, &other));
        }
    }

    /// Waits until the flag is set.
    unsafe extern "C" fn hold(open: *mut c_void) {
        // SAFETY: the flag that `the_slot_of_a_busy_stream_is_taken_when_it_is_idle` passes, which is there until the stream
        // has been waited for.
        let open = unsafe { AtomicBool::from_ptr(open.cast()) };
        while !open.load(Ordering::Acquire) {
            std::thread::yield_now();
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "takes every slot, which takes Miri minutes")]
    fn the_slot_of_a_busy_stream_is_taken_when_it_is_idle() {
        with_board(|gpu, board| {
            let stream = gpu.stream().unwrap();
            let retired = || {
                let (open, raw) = (AtomicBool::new(false), stream.raw());
                let data = open.as_ptr().cast();
                // SAFETY: the stream is alive, and so is the flag until the stream has been waited for. The function does
                // not unwind.
                unsafe { answer!(cuLaunchHostFunc(raw, Some(hold), data)) }.result().unwrap();
                let slot = Slot::take(board).unwrap();
                let index = slot.index;
                slot.retire(&stream.inner);
                let others = all(board);
                open.store(true, Ordering::Release);
                stream.synchronize().unwrap();
                assert!(others.len() == SLOTS - 1 && !others.contains(&index));
                (index, others)
            };
            // It is the only one that is left.
            let (index, others) = retired();
            assert_eq!(board.take(), Some(index));
            assert_eq!(board.take(), None);
            others.into_iter().chain([index]).for_each(|index| board.give_back(index));
            // There are others, and the stream ends all the same.
            let (_, others) = retired();
            others.into_iter().for_each(|index| board.give_back(index));
            Watch::default().record("a launch", board).unwrap();
            assert!(board.state().retired.is_empty());
            assert_eq!(all(board).len(), SLOTS);
        });
    }
}
