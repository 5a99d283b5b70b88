//! Loads, stores and atomic operations of the lanes of a warp.

use super::super::code::{
    Access, Base, CLUSTER_SPAN, FIRST_PARAM, LOCAL_WINDOW, Order, PARAM_WINDOW, Pair,
    SHARED_WINDOW, Slot, Space, Src, Update, WINDOW,
};
use super::super::ops::lanes::lanes;
use super::super::ops::wide::{Lie, Pattern, Shape, lie, wide};
use super::super::ops::{Row, fma_f32};
use super::block::Shared;
use super::warp::{Group, Warp};
use super::{Fault, Memory};
use super::{reach, report};
use std::sync::atomic::{Ordering, fence};

/// The windows of generic addresses: where each begins and ends, what its addresses count from, and the space
/// after it.
const WINDOWS: [(u64, u64, u64, Space); 4] = [
    (SHARED_WINDOW, SHARED_WINDOW + CLUSTER_SPAN, SHARED_WINDOW, Space::Shared),
    (SHARED_WINDOW + CLUSTER_SPAN, LOCAL_WINDOW, SHARED_WINDOW, Space::Cluster),
    (LOCAL_WINDOW, PARAM_WINDOW, LOCAL_WINDOW, Space::Local),
    (PARAM_WINDOW, PARAM_WINDOW + WINDOW, FIRST_PARAM, Space::Param),
];

/// Where generic addresses of device memory begin, or of nothing.
const DEVICE_MEMORY: u64 = PARAM_WINDOW + WINDOW;

/// Runs `f` for each space that the addresses of some lanes lead to, with the
/// addresses in it and the lanes.
#[inline]
pub(super) fn by_space(
    space: Space,
    at: &Row,
    mask: u32,
    mut f: impl FnMut(Space, &Row, u32) -> Result<(), Fault>,
) -> Result<(), Fault> {
    // No device memory is at 0.
    if space != Space::Generic {
        return f(space, at, mask);
    }
    let within = |from: u64, to: u64| {
        lanes(mask)
            .filter(|&lane| (from..to).contains(&at[lane]))
            .fold(0, |all, lane| all | 1u32 << lane)
    };
    // Mostly all of them lead to device memory.
    if lie(at, DEVICE_MEMORY, u64::MAX - 1 - DEVICE_MEMORY, 1) != Lie::Beyond {
        return f(Space::Global, at, mask);
    }
    let global = within(DEVICE_MEMORY, u64::MAX);
    if global == mask {
        return f(Space::Global, at, mask);
    }
    if within(0, SHARED_WINDOW) != 0 || mask & !within(0, u64::MAX) != 0 {
        return Err(Fault::IllegalAddress);
    }
    for (start, end, base, space) in WINDOWS {
        let own = within(start, end);
        if own != 0 {
            f(space, &std::array::from_fn(|lane| at[lane].wrapping_sub(base)), own)?;
        }
    }
    if global == 0 { Ok(()) } else { f(Space::Global, at, global) }
}

/// A word of `N` bytes.
#[inline]
fn word<const N: usize>(bytes: &[u8], address: u64) -> Result<u64, Fault> {
    let at = usize::try_from(address).map_err(|_| Fault::IllegalAddress)?;
    let place = bytes.get(at..).and_then(<[u8]>::first_chunk::<N>);
    let mut word = [0; 8];
    word[..N].copy_from_slice(place.ok_or(Fault::IllegalAddress)?);
    Ok(u64::from_le_bytes(word))
}

/// The place of a word of `N` bytes.
#[inline]
fn place<const N: usize>(bytes: &mut [u8], address: u64) -> Result<&mut [u8; N], Fault> {
    let at = usize::try_from(address).map_err(|_| Fault::IllegalAddress)?;
    let place = bytes.get_mut(at..).and_then(<[u8]>::first_chunk_mut::<N>);
    place.ok_or(Fault::IllegalAddress)
}

/// A word of 1, 2, 4 or 8 bytes.
pub(super) fn read(bytes: &[u8], address: u64, size: usize) -> Result<u64, Fault> {
    match size {
        1 => word::<1>(bytes, address),
        2 => word::<2>(bytes, address),
        4 => word::<4>(bytes, address),
        _ => word::<8>(bytes, address),
    }
}

/// Writes a word of 1, 2, 4 or 8 bytes.
pub(super) fn write(bytes: &mut [u8], address: u64, size: usize, value: u64) -> Result<(), Fault> {
    let value = value.to_le_bytes();
    match size {
        1 => place::<1>(bytes, address)?.copy_from_slice(&value[..1]),
        2 => place::<2>(bytes, address)?.copy_from_slice(&value[..2]),
        4 => place::<4>(bytes, address)?.copy_from_slice(&value[..4]),
        _ => place::<8>(bytes, address)?.copy_from_slice(&value),
    }
    Ok(())
}

/// The value of a word.
#[inline(always)]
fn value<const N: usize>(word: [u8; N]) -> u64 {
    let mut bytes = [0; 8];
    bytes[..N].copy_from_slice(&word);
    u64::from_le_bytes(bytes)
}

/// The word of a value.
#[inline(always)]
fn bytes<const N: usize>(value: u64) -> [u8; N] {
    std::array::from_fn(|at| value.to_le_bytes()[at])
}

/// How aligned addresses of all lanes lie among words of `N` bytes, and the first lane's word.
#[inline]
fn lie_of<const N: usize>(count: usize, at: &Row) -> (Lie, usize) {
    let Some(last) = count.checked_sub(1) else { return (Lie::Beyond, 0) };
    (lie(at, 0, (last * N) as u64, N as u64), at[0] as usize / N)
}

wide! {
    /// Reads the words at aligned addresses of all lanes; whether all of them are there.
    fn gathered[const N: usize](words: &[[u8; N]], at: &Row, out: &mut Row) -> bool {
        match lie_of::<N>(words.len(), at) {
            (Lie::Beyond, _) => return false,
            (Lie::Run, first) => {
                for (out, &word) in out.iter_mut().zip(&words[first..first + 32]) {
                    *out = value(word);
                }
            }
            (Lie::Within, _) => {
                for (out, &at) in out.iter_mut().zip(at) {
                    *out = value(words[at as usize / N]);
                }
            }
        }
        true
    }
}

wide! {
    /// Writes the words at aligned addresses of all lanes; whether all of them are there, else none.
    fn scattered[const N: usize](words: &mut [[u8; N]], at: &Row, values: &Row) -> bool {
        match lie_of::<N>(words.len(), at) {
            (Lie::Beyond, _) => return false,
            (Lie::Run, first) => {
                for (word, &value) in words[first..first + 32].iter_mut().zip(values) {
                    *word = bytes(value);
                }
            }
            (Lie::Within, _) => {
                for (&value, &at) in values.iter().zip(at) {
                    words[at as usize / N] = bytes(value);
                }
            }
        }
        true
    }
}

/// Words in each half of a warp, by the number of the first: one after the other, or all the same.
#[derive(Clone, Copy)]
struct Halves {
    starts: [usize; 2],
    /// How many they are: 16, or 1.
    len: usize,
}

impl Halves {
    /// The words that an access of all lanes is for, if it is plain, they are aligned and lie so.
    #[inline(always)] // else it is copied from one place to the other
    fn of(warp: &mut Warp, group: Group, access: &Access) -> Option<Self> {
        let Base::Reg(slot) = access.address.base else { return None };
        let Shape { starts, step } = warp.registers.shape((group.base() + slot) as usize);
        let (step, size) = (step?, u64::from(access.bytes));
        let starts = starts.map(|start| start.wrapping_add(access.address.offset.cast_unsigned()));
        let aligned = (starts[0] | starts[1]) & (size - 1) == 0;
        let len = if step == size { 16 } else { 1 };
        let plain = access.order == Order::Weak && access.count == 1;
        // A power of two.
        let starts = starts.map(|at| (at >> size.trailing_zeros()) as usize);
        (plain && aligned && (len == 16 || step == 0)).then_some(Self { starts, len })
    }
}

/// Whether the words of both halves are among so many.
#[inline]
fn within(first: usize, second: usize, len: usize, count: usize) -> bool {
    len <= count && first.max(second) <= count - len
}

wide! {
    /// Reads such words; whether all of them are there, else none.
    fn read_halves[const N: usize](
        words: &[[u8; N]], first: usize, second: usize, len: usize, out: &mut Row,
    ) -> bool {
        if !within(first, second, len, words.len()) {
            return false;
        }
        for (start, out) in [first, second].into_iter().zip(out.as_chunks_mut::<16>().0) {
            if len == 16 {
                for (out, &word) in out.iter_mut().zip(&words[start..start + 16]) {
                    *out = value(word);
                }
            } else {
                out.fill(value(words[start]));
            }
        }
        true
    }
}

wide! {
    /// Writes such words, which lie one after the other; whether all of them are there, else none.
    fn write_halves[const N: usize](
        words: &mut [[u8; N]], first: usize, second: usize, values: &Row,
    ) -> bool {
        if !within(first, second, 16, words.len()) {
            return false;
        }
        for (start, values) in [first, second].into_iter().zip(values.as_chunks::<16>().0) {
            for (word, &value) in words[start..start + 16].iter_mut().zip(values) {
                *word = bytes(value);
            }
        }
        true
    }
}

/// Sums of half a warp.
type Sums = [u32; 16];

/// Adds products of words to sums: of 16 words or one for all of them, as the numbers say.
#[inline(always)]
fn add_products<const X: usize, const Y: usize>(sums: &mut Sums, x: &[[u8; 4]], y: &[[u8; 4]]) {
    let (Some(x), Some(y)) = (x.first_chunk::<X>(), y.first_chunk::<Y>()) else { return };
    for (lane, sum) in sums.iter_mut().enumerate() {
        *sum = fma_f32(value(x[lane % X]), value(y[lane % Y]), (*sum).into()) as u32;
    }
}

wide! {
    /// Adds products of such words, all of which are there, one after the other to a register: of words so far apart from the
    /// first ones.
    fn sums(
        words: &[[u8; 4]], factors: [Halves; 2], apart: &[[i32; 2]], rows: &mut [Row], c: usize, d: usize,
    ) {
        let ([x, y], mut sums) = (factors, [Sums::default(); 2]);
        sums.as_flattened_mut().iter_mut().zip(&rows[c]).for_each(|(sum, &c)| *sum = c as u32);
        let of = |halves: Halves, half: usize, apart: i32| {
            &words[halves.starts[half].wrapping_add_signed(apart as isize)..]
        };
        for &[by_x, by_y] in apart {
            for (half, sums) in sums.iter_mut().enumerate() {
                let (of_x, of_y) = (of(x, half, by_x), of(y, half, by_y));
                match (x.len, y.len) {
                    (16, 16) => add_products::<16, 16>(sums, of_x, of_y),
                    (16, _) => add_products::<16, 1>(sums, of_x, of_y),
                    (_, 16) => add_products::<1, 16>(sums, of_x, of_y),
                    _ => add_products::<1, 1>(sums, of_x, of_y),
                }
            }
        }
        rows[d].iter_mut().zip(sums.as_flattened()).for_each(|(d, &sum)| *d = sum.into());
    }
}

/// Runs two loads and the sum that takes them for all lanes, and those of the chain behind them, if their words lie so. Gives
/// how many were run: the chain, one, or none.
#[inline]
pub(super) fn pairs(warp: &mut Warp, shared: &Shared<'_>, group: Group, pair: &Pair) -> usize {
    let Some(x) = Halves::of(warp, group, &pair.first) else { return 0 };
    let Some(y) = Halves::of(warp, group, &pair.second) else { return 0 };
    let (words, chain) = (shared.memory.as_chunks::<4>().0, &pair.chain);
    let there = |of: Halves, apart: i32| {
        let [first, second] = of.starts.map(|start| start.wrapping_add_signed(apart as isize));
        within(first, second, of.len, words.len())
    };
    let (apart, d) = if chain.apart.iter().all(|&[by_x, by_y]| there(x, by_x) && there(y, by_y)) {
        (&chain.apart[..], chain.d)
    } else if there(x, 0) && there(y, 0) {
        (&chain.apart[..1], pair.d)
    } else {
        return 0;
    };
    let (c, d) = (Warp::at(group, pair.c), (group.base() + d) as usize);
    sums(words, [x, y], apart, warp.registers.with_written(d), c, d);
    apart.len()
}

/// Reads such words of some bytes.
#[inline]
fn read_plain<const N: usize>(bytes: &[u8], halves: Halves, out: &mut Row) -> bool {
    let Halves { starts: [first, second], len } = halves;
    read_halves(bytes.as_chunks::<N>().0, first, second, len, out)
}

/// Writes such words to some bytes.
#[inline]
fn write_plain<const N: usize>(bytes: &mut [u8], halves: Halves, values: &Row) -> bool {
    let Halves { starts: [first, second], len } = halves;
    len == 16 && write_halves(bytes.as_chunks_mut::<N>().0, first, second, values)
}

/// Words of one size for some lanes.
macro_rules! by_size {
    ($size:expr, $f:ident($($x:expr),*)) => {
        match $size {
            1 => $f::<1>($($x),*),
            2 => $f::<2>($($x),*),
            4 => $f::<4>($($x),*),
            _ => $f::<8>($($x),*),
        }
    };
}

fn gather<const N: usize>(bytes: &[u8], at: &Row, mask: u32, out: &mut Row) -> Result<(), Fault> {
    if mask == u32::MAX && gathered(bytes.as_chunks::<N>().0, at, out) {
        return Ok(());
    }
    lanes(mask).try_for_each(|lane| {
        out[lane] = word::<N>(bytes, at[lane])?;
        Ok(())
    })
}

fn scatter<const N: usize>(
    bytes: &mut [u8],
    at: &Row,
    mask: u32,
    values: &Row,
) -> Result<(), Fault> {
    if mask == u32::MAX && scattered(bytes.as_chunks_mut::<N>().0, at, values) {
        return Ok(());
    }
    lanes(mask).try_for_each(|lane| {
        let value = values[lane].to_le_bytes();
        place::<N>(bytes, at[lane])?.copy_from_slice(&value[..N]);
        Ok(())
    })
}

/// The addresses of an access, checked for alignment.
pub(super) fn addresses(
    warp: &Warp,
    shared: &Shared<'_>,
    group: Group,
    mask: u32,
    access: &Access,
) -> Result<Row, Fault> {
    let mut at = [0; 32];
    find(warp, shared, group, mask, access, &mut at)?;
    Ok(at)
}

/// The same to a place of the caller's; how the words lie, if they are all lanes'.
#[inline]
fn find(
    warp: &Warp,
    shared: &Shared<'_>,
    group: Group,
    mask: u32,
    access: &Access,
    at: &mut Row,
) -> Result<Pattern, Fault> {
    let (bits, pattern) = warp.words_at(shared, group, access.address, access.bytes.into(), at);
    // The bytes are a power of two.
    let low = u64::from(access.bytes) * u64::from(access.count) - 1;
    if bits & low != 0 && lanes(mask).any(|lane| at[lane] & low != 0) {
        return Err(report::misaligned(shared, access.space, low + 1, at, mask));
    }
    Ok(if mask == u32::MAX { pattern } else { Pattern::Other })
}

/// Notes an access that a loop may wait with, and orders what it orders.
#[inline]
pub(super) fn order(shared: &mut Shared<'_>, access: &Access) {
    match access.order {
        Order::Weak => {}
        Order::Relaxed => shared.waits += 1,
        Order::Fence => {
            shared.waits += 1;
            fence(Ordering::SeqCst);
        }
    }
}

#[inline]
pub(super) fn load(
    warp: &mut Warp,
    shared: &mut Shared<'_>,
    group: Group,
    mask: u32,
    access: &Access,
    d: &[Slot],
    extend: u64,
) -> Result<(), Fault> {
    if mask == u32::MAX
        && extend == 0
        && access.space == Space::Shared
        && let Some(halves) = Halves::of(warp, group, access)
    {
        let out = &mut warp.registers[(group.base() + d[0]) as usize];
        if by_size!(usize::from(access.bytes), read_plain(&shared.memory, halves, out)) {
            return Ok(());
        }
    }
    load_any(warp, shared, group, mask, access, d, extend)
}

/// A load that need not be a simple one.
#[inline(never)]
fn load_any(
    warp: &mut Warp,
    shared: &mut Shared<'_>,
    group: Group,
    mask: u32,
    access: &Access,
    d: &[Slot],
    extend: u64,
) -> Result<(), Fault> {
    let size = usize::from(access.bytes);
    let unused = 64 - 8 * size.min(8) as u32;
    if access.space == Space::Param && access.address.base == Base::Zero {
        // The same for all lanes.
        for (part, &d) in (0..).zip(d) {
            let address = access.address.offset.wrapping_add(part * size as i64) as u64;
            let value = extended(read(shared.launch.params, address, size)?, unused, extend);
            warp.fill(group, d, mask, value);
        }
        return Ok(());
    }
    let mut at = [0; 32];
    let pattern = find(warp, shared, group, mask, access, &mut at)?;
    let run = pattern == Pattern::Run;
    // Memory that threads share, at one place: one of them reads it for all.
    let one = pattern == Pattern::Same
        && match access.space {
            Space::Global | Space::Shared => true,
            Space::Generic => at[0] >= DEVICE_MEMORY,
            Space::Local | Space::Param | Space::Cluster => false,
        };
    let mask = if one { 1 } else { mask };
    for (part, &d) in d.iter().enumerate() {
        if part > 0 {
            at.iter_mut().for_each(|at| *at = at.wrapping_add(size as u64));
        }
        let out = &mut warp.registers[(group.base() + d) as usize];
        let made = by_space(access.space, &at, mask, |space, at, mask| match space {
            Space::Shared => by_size!(size, gather(&shared.memory, at, mask, out)),
            Space::Cluster => lanes(mask).try_for_each(|lane| {
                let (memory, address) = reach::block(shared, at[lane])?;
                out[lane] = read(memory, address, size)?;
                Ok(())
            }),
            Space::Param => by_size!(size, gather(shared.launch.params, at, mask, out)),
            Space::Local => lanes(mask).try_for_each(|lane| {
                out[lane] = read(&warp.local[lane], at[lane], size)?;
                Ok(())
            }),
            Space::Global | Space::Generic if run && mask == u32::MAX => {
                shared.launch.memory.load_run(at[0], size, out)
            }
            Space::Global | Space::Generic => {
                let memory = shared.launch.memory;
                match memory.load(at, mask, size, out) {
                    Err(Fault::IllegalAddress) if part > 0 => {
                        past_end(memory, at, mask, size, part, out)
                    }
                    made => made,
                }
            }
        });
        if let Err(fault) = made {
            return Err(report::missed(warp, shared, (access.space, mask), &at, size, fault));
        }
        let out = &mut warp.registers[(group.base() + d) as usize];
        if extend != 0 {
            lanes(mask).for_each(|lane| out[lane] = extended(out[lane], unused, extend));
        }
        if one {
            *out = [out[0]; 32];
        }
    }
    order(shared, access);
    Ok(())
}

/// Reads an element of vectors some of which go past the end of their memory. Compilers make such of loads of the elements
/// that are there, and GPUs read what is after them (F642).
#[cold]
fn past_end(
    memory: &dyn Memory,
    at: &Row,
    mask: u32,
    size: usize,
    part: usize,
    out: &mut Row,
) -> Result<(), Fault> {
    lanes(mask).try_for_each(|lane| {
        if memory.room(at[lane]) >= size as u64 {
            return memory.load(at, 1 << lane, size, out);
        }
        if memory.room(at[lane].wrapping_sub((part * size) as u64)) == 0 {
            return Err(Fault::IllegalAddress);
        }
        out[lane] = 0;
        Ok(())
    })
}

/// A loaded value, extended by its sign to what a register holds, if it is.
#[inline]
fn extended(value: u64, unused: u32, extend: u64) -> u64 {
    match extend {
        0 => value,
        _ => ((value << unused).cast_signed() >> unused).cast_unsigned() & extend,
    }
}

pub(super) fn store(
    warp: &mut Warp,
    shared: &mut Shared<'_>,
    group: Group,
    mask: u32,
    access: &Access,
    a: &[Src],
) -> Result<(), Fault> {
    order(shared, access);
    let size = usize::from(access.bytes);
    if mask == u32::MAX
        && access.space == Space::Shared
        && let Some(halves) = Halves::of(warp, group, access)
    {
        let values = &warp.registers[Warp::at(group, a[0])];
        if by_size!(size, write_plain(&mut shared.memory, halves, values)) {
            return Ok(());
        }
    }
    let mut at = [0; 32];
    let run = find(warp, shared, group, mask, access, &mut at)? == Pattern::Run;
    for (part, &a) in a.iter().enumerate() {
        if part > 0 {
            at.iter_mut().for_each(|at| *at = at.wrapping_add(size as u64));
        }
        let values = &warp.registers[Warp::at(group, a)];
        by_space(access.space, &at, mask, |space, at, mask| match space {
            Space::Shared => by_size!(size, scatter(&mut shared.memory, at, mask, values)),
            Space::Cluster => lanes(mask).try_for_each(|lane| {
                let (memory, address) = reach::block_mut(shared, at[lane])?;
                write(memory, address, size, values[lane])
            }),
            Space::Local => lanes(mask)
                .try_for_each(|lane| write(&mut warp.local[lane], at[lane], size, values[lane])),
            Space::Param => Err(Fault::IllegalAddress),
            Space::Global | Space::Generic if run && mask == u32::MAX => {
                shared.launch.memory.store_run(at[0], size, values)
            }
            Space::Global | Space::Generic => shared.launch.memory.store(at, mask, size, values),
        })
        .map_err(|fault| report::missed(warp, shared, (access.space, mask), &at, size, fault))?;
    }
    Ok(())
}

/// An atomic operation with its operands.
pub(super) struct Atomic<'o> {
    pub(super) access: &'o Access,
    pub(super) update: Update,
    pub(super) d: &'o [Slot],
    pub(super) b: &'o [Src],
    pub(super) c: Src,
}

pub(super) fn atomic(
    warp: &mut Warp,
    shared: &mut Shared<'_>,
    group: Group,
    mask: u32,
    op: &Atomic<'_>,
) -> Result<(), Fault> {
    order(shared, op.access);
    let size = usize::from(op.access.bytes);
    let mut at = addresses(warp, shared, group, mask, op.access)?;
    for (part, &b) in op.b.iter().enumerate() {
        let (b, c) = (*warp.row(shared.kernel, group, b), *warp.row(shared.kernel, group, op.c));
        let mut old = [0; 32];
        by_space(op.access.space, &at, mask, |space, at, mask| {
            for lane in lanes(mask) {
                let (address, b, c) = (at[lane], b[lane], c[lane]);
                old[lane] = match space {
                    Space::Shared | Space::Cluster => {
                        let (memory, address) = reach::block_mut(shared, address)?;
                        let old = read(memory, address, size)?;
                        let new = op.update.update(old, b, c);
                        write(memory, address, size, new)?;
                        old
                    }
                    // By a generic address alone (F640).
                    Space::Local => {
                        let old = read(&warp.local[lane], address, size)?;
                        let new = op.update.update(old, b, c);
                        write(&mut warp.local[lane], address, size, new)?;
                        old
                    }
                    Space::Param => return Err(Fault::IllegalAddress),
                    Space::Global | Space::Generic => {
                        let mut update =
                            |old| Some(op.update.update(old, b, c)).filter(|&new| new != old);
                        shared.launch.memory.atomic(address, size, &mut update)?
                    }
                };
            }
            Ok(())
        })
        .map_err(|fault| report::missed(warp, shared, (op.access.space, mask), &at, size, fault))?;
        if let Some(&d) = op.d.get(part) {
            warp.put(group, d, mask, &old);
        }
        at.iter_mut().for_each(|at| *at = at.wrapping_add(size as u64));
    }
    if op.access.order == Order::Fence {
        fence(Ordering::SeqCst);
    }
    Ok(())
}

/// The operands of an exchange of 16 bytes: halves, the low one first.
pub(super) struct Wide<'o> {
    pub(super) access: &'o Access,
    pub(super) d: Slot,
    /// The value that the old one is compared with, if it is.
    pub(super) expected: Option<[Src; 2]>,
    pub(super) new: [Src; 2],
}

/// `atom.exch.b128` and `atom.cas.b128`.
pub(super) fn wide(
    warp: &mut Warp,
    shared: &mut Shared<'_>,
    group: Group,
    mask: u32,
    op: &Wide<'_>,
) -> Result<(), Fault> {
    order(shared, op.access);
    let at = addresses(warp, shared, group, mask, op.access)?;
    let half = |warp: &Warp, src, lane: usize| warp.row(shared.kernel, group, src)[lane];
    let mut old = [[0; 32]; 2];
    for lane in lanes(mask) {
        let both = |[low, high]: [Src; 2]| [half(warp, low, lane), half(warp, high, lane)];
        let (expected, new) = (op.expected.map(both), both(op.new));
        let chosen = |old: [u64; 2]| expected.is_none_or(|expected| expected == old).then_some(new);
        let mut seen = [0; 2];
        by_space(op.access.space, &at, 1 << lane, |space, at, _| {
            match space {
                Space::Shared | Space::Cluster => {
                    let (memory, at) = reach::block_mut(shared, at[lane])?;
                    seen = [word::<8>(memory, at)?, word::<8>(memory, at + 8)?];
                    if let Some([low, high]) = chosen(seen) {
                        write(memory, at, 8, low)?;
                        write(memory, at + 8, 8, high)?;
                    }
                }
                Space::Global | Space::Generic => {
                    seen = exchange(shared.launch.memory, at[lane], chosen)?;
                }
                Space::Local => {
                    let (memory, at) = (&mut warp.local[lane][..], at[lane]);
                    seen = [word::<8>(memory, at)?, word::<8>(memory, at + 8)?];
                    if let Some([low, high]) = chosen(seen) {
                        write(memory, at, 8, low)?;
                        write(memory, at + 8, 8, high)?;
                    }
                }
                Space::Param => return Err(Fault::IllegalAddress),
            }
            Ok(())
        })
        .map_err(|fault| {
            report::missed(warp, shared, (op.access.space, 1 << lane), &at, 16, fault)
        })?;
        (old[0][lane], old[1][lane]) = (seen[0], seen[1]);
    }
    warp.put(group, op.d, mask, &old[0]);
    warp.put(group, op.d + 1, mask, &old[1]);
    Ok(())
}

/// Replaces 16 bytes; in one step for others that do so, while plain accesses
/// see two halves.
fn exchange(
    memory: &dyn Memory,
    address: u64,
    chosen: impl Fn([u64; 2]) -> Option<[u64; 2]>,
) -> Result<[u64; 2], Fault> {
    static ONE_AT_A_TIME: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let _alone = crate::sync::lock(&ONE_AT_A_TIME);
    let (low, high) = ([address; 32], [address.wrapping_add(8); 32]);
    let (mut old_low, mut old_high) = ([0; 32], [0; 32]);
    memory.load(&low, 1, 8, &mut old_low)?;
    memory.load(&high, 1, 8, &mut old_high)?;
    let old = [old_low[0], old_high[0]];
    if let Some(new) = chosen(old) {
        memory.store(&low, 1, 8, &[new[0]; 32])?;
        memory.store(&high, 1, 8, &[new[1]; 32])?;
    }
    Ok(old)
}

/// `cp.async`: copies at once.
pub(super) fn copy(
    warp: &mut Warp,
    shared: &mut Shared<'_>,
    group: Group,
    mask: u32,
    (to, from, bytes): (&Access, &Access, u32),
    given: Option<Src>,
) -> Result<(), Fault> {
    let given = given.map(|src| *warp.row(shared.kernel, group, src));
    // Where nothing is read, the address may be any.
    let reads = given.map_or(mask, |given| {
        lanes(mask).filter(|&lane| given[lane] as u32 != 0).fold(0, |all, lane| all | 1 << lane)
    });
    let to = addresses(warp, shared, group, mask, to)?;
    let from = addresses(warp, shared, group, reads, from)?;
    for lane in lanes(mask) {
        let given = given.map_or(bytes, |given| (given[lane] as u32).min(bytes));
        for at in (0..u64::from(bytes)).step_by(4) {
            let mut out = [0; 32];
            if at < u64::from(given) {
                let address = from[lane].wrapping_add(at);
                shared.launch.memory.load(&[address; 32], 1 << lane, 4, &mut out)?;
            }
            let kept = (u64::from(given).saturating_sub(at)).min(4) as u32;
            let value = out[lane] & ((1u64 << (8 * kept)) - 1);
            write(&mut shared.memory, to[lane].wrapping_add(at), 4, value)?;
        }
    }
    Ok(())
}

/// The bytes up to a NUL at a generic address, at most so many.
pub(super) fn text(
    warp: &Warp,
    shared: &Shared<'_>,
    lane: usize,
    address: u64,
    most: usize,
) -> Result<Vec<u8>, Fault> {
    let mut text = Vec::new();
    while text.len() < most {
        let byte = generic(warp, shared, lane, address.wrapping_add(text.len() as u64), 1)? as u8;
        if byte == 0 {
            break;
        }
        text.push(byte);
    }
    Ok(text)
}

/// A word at a generic address of a lane.
pub(super) fn generic(
    warp: &Warp,
    shared: &Shared<'_>,
    lane: usize,
    address: u64,
    size: usize,
) -> Result<u64, Fault> {
    let mut out = [0; 32];
    reach::load(warp, shared, (Space::Generic, 1 << lane), &[address; 32], size, &mut out)?;
    Ok(out[lane])
}
