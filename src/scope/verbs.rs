//! What a queue does: copies, fills, launches.
#![allow(unsafe_code, reason = "enqueues work on memory that the scope borrows")]

use super::{Held, Queue, ScopeArgs, Source, StagedMemory};
use crate::enqueue::{self, COPY, DOWNLOAD, UPLOAD, ZERO, same_context, same_len};
use crate::{Element, LaunchSpec, Launchable, Result, launch};

// The context of what an operation uses is compared, and the operation ordered behind earlier ones, by one
// comparison with the gate, or else by `prepare`: see `Gate`.
//
// The obligation of everything in `enqueue`, that nobody disturbs the memory until the stream is past the
// operation: it is borrowed for `'s`, and the scope waits for its streams before that ends; what other
// operations of the scope do with it is ordered by its uses.

impl<'s, 'ctx> Queue<'s, 'ctx> {
    /// Copies a slice to the device. The slice stays borrowed until the scope ends.
    ///
    /// # Errors
    /// [`LengthMismatch`](crate::Error::LengthMismatch); [`OtherContext`](crate::Error::OtherContext);
    /// [`NotCurrent`](crate::Error::NotCurrent) if queues have to be ordered; a sticky error (F60).
    #[doc(alias = "cuMemcpyHtoDAsync")]
    #[inline]
    pub fn upload<T: Element>(&self, from: &'s [T], to: &mut Held<'s, T>) -> Result {
        same_len(UPLOAD, from.len(), to.len())?;
        if !to.is_noted(true, self.gate) {
            self.prepare(UPLOAD, self.has(to.memory()), &[to.used(true)])?;
        }
        // SAFETY: both have `to.size_bytes()` bytes, those of `from` are initialised
        // (`Element: NoUninit`), and both stay borrowed: see above.
        unsafe { enqueue::upload(self.raw, from.as_ptr().cast(), to.address(), to.size_bytes()) }
    }

    /// Copies a buffer to the host. The slice stays borrowed until the scope ends.
    ///
    /// # Errors
    /// As [`upload`](Self::upload).
    #[doc(alias = "cuMemcpyDtoHAsync")]
    #[inline]
    pub fn download<T: Element>(&self, from: impl Source<'s, 'ctx, T>, to: &'s mut [T]) -> Result {
        let source = from.lent();
        same_len(DOWNLOAD, source.len, to.len())?;
        if !source.is_ready(self.gate) {
            self.prepare(DOWNLOAD, self.has(source.memory), &[source.used])?;
        }
        let (target, bytes) = (to.as_mut_ptr().cast(), size_of_val(to));
        // SAFETY: both have `bytes` bytes, any of which are values of `T`
        // (`Element: AnyBitPattern`), and both stay borrowed: see above.
        unsafe { enqueue::download(self.raw, source.address, target, bytes) }
    }

    /// Copies staged memory to the device.
    ///
    /// # Errors
    /// As [`upload`](Self::upload).
    #[doc(alias = "cuMemcpyHtoDAsync")]
    #[inline]
    pub fn upload_staged<T: Element>(
        &self,
        from: &impl StagedMemory<'s, T>,
        to: &mut Held<'s, T>,
    ) -> Result {
        let from = from.stage();
        same_len(UPLOAD, from.len(), to.len())?;
        if !(from.is_noted(false, self.gate) && to.is_noted(true, self.gate)) {
            let uses = [from.used(false), to.used(true)];
            self.prepare(UPLOAD, self.has(to.memory()), &uses)?;
        }
        // SAFETY: as in `upload`; the host gets staged memory back when this is over.
        unsafe { enqueue::upload(self.raw, from.as_ptr().cast(), to.address(), to.size_bytes()) }
    }

    /// Copies a buffer to staged memory.
    ///
    /// # Errors
    /// As [`upload`](Self::upload).
    #[doc(alias = "cuMemcpyDtoHAsync")]
    #[inline]
    pub fn download_staged<T: Element>(
        &self,
        from: impl Source<'s, 'ctx, T>,
        to: &mut impl StagedMemory<'s, T>,
    ) -> Result {
        let (source, to) = (from.lent(), to.stage());
        same_len(DOWNLOAD, source.len, to.len())?;
        if !(source.is_ready(self.gate) && to.is_noted(true, self.gate)) {
            let uses = [source.used, to.used(true)];
            self.prepare(DOWNLOAD, self.has(source.memory), &uses)?;
        }
        let (target, bytes) = (to.as_ptr().cast(), source.len * size_of::<T>());
        // SAFETY: as in `download`; the host gets staged memory back when this is over.
        unsafe { enqueue::download(self.raw, source.address, target, bytes) }
    }

    /// Copies a buffer to another.
    ///
    /// # Errors
    /// As [`upload`](Self::upload).
    #[doc(alias = "cuMemcpyDtoDAsync")]
    #[inline]
    pub fn copy<T: Element>(&self, from: impl Source<'s, 'ctx, T>, to: &mut Held<'s, T>) -> Result {
        let source = from.lent();
        same_len(COPY, source.len, to.len())?;
        if !(source.is_ready(self.gate) && to.is_noted(true, self.gate)) {
            let same = self.has(source.memory) && self.has(to.memory());
            self.prepare(COPY, same, &[source.used, to.used(true)])?;
        }
        // SAFETY: both have `to.size_bytes()` bytes and stay borrowed: see above. They are distinct, as
        // `to` is borrowed exclusively.
        unsafe { enqueue::copy(self.raw, source.address, to.address(), to.size_bytes()) }
    }

    /// Sets every element to `value`. Elements have 1, 2 or 4 bytes: others do not compile.
    ///
    /// # Errors
    /// As [`upload`](Self::upload).
    #[doc(alias = "cuMemsetD8Async")]
    #[doc(alias = "cuMemsetD16Async")]
    #[doc(alias = "cuMemsetD32Async")]
    #[inline]
    pub fn fill<T: Element>(&self, to: &mut Held<'s, T>, value: T) -> Result {
        const { assert!(matches!(size_of::<T>(), 1 | 2 | 4), "elements have 1, 2 or 4 bytes") };
        if !to.is_noted(true, self.gate) {
            let call = enqueue::fill_call(size_of::<T>());
            self.prepare(call, self.has(to.memory()), &[to.used(true)])?;
        }
        // SAFETY: `to` has that many elements and stays borrowed: see above.
        unsafe { enqueue::fill(self.raw, to.address(), bytemuck::bytes_of(&value), to.len()) }
    }

    /// Sets every byte to zero, for elements of any size.
    ///
    /// # Errors
    /// As [`upload`](Self::upload).
    #[doc(alias = "cuMemsetD8Async")]
    #[inline]
    pub fn zero<T: Element>(&self, to: &mut Held<'s, T>) -> Result {
        if !to.is_noted(true, self.gate) {
            self.prepare(ZERO, self.has(to.memory()), &[to.used(true)])?;
        }
        // SAFETY: `to` has that many bytes and stays borrowed: see above. Zeros are a value
        // (`Element: AnyBitPattern`).
        unsafe { enqueue::fill(self.raw, to.address(), &[0], to.size_bytes()) }
    }

    /// Runs a kernel. A fault of it shows in a later call.
    ///
    /// # Errors
    /// As [`OnStream::launch`](crate::OnStream::launch); [`NotCurrent`](crate::Error::NotCurrent) if
    /// queues have to be ordered.
    ///
    /// # Safety
    /// 1. to 3. of [`OnStream::launch`](crate::OnStream::launch).
    #[doc(alias = "cuLaunchKernel")]
    #[doc(alias = "cuLaunchKernelEx")]
    #[inline]
    pub unsafe fn launch<A: ScopeArgs<'s, 'ctx>>(
        &self,
        kernel: &impl Launchable<'ctx, A>,
        config: impl LaunchSpec<'ctx>,
        args: A,
    ) -> Result {
        let (call, function) = (config.call(), kernel.function());
        if config.has_events() {
            same_context(call, config.all_of(self.context().key()))?;
        }
        if !args.all_ready(self.gate) {
            let same = args.all_of(self.context().key());
            args.with_uses(|uses| self.prepare(call, same, uses))?;
        }
        let refused = |code| launch::refused(call, code, function, self.context().key());
        // SAFETY: 1. The memory among the arguments stays borrowed: see above. 2. The caller's
        // obligations 1 to 3.
        unsafe { launch::launch(self.raw, function, &config, args, refused) }
    }
}
