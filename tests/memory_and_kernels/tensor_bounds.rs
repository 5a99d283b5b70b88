//! Which bytes a tensor map lets kernels reach: the bound that is checked against the copies that are made.
#![allow(unsafe_code, reason = "launches kernels")]

use crate::common::gpu::with_gpu;
use crate::common::thorough;
use crate::{skip, skip_under_miri};
use cuscope::tensor_map::{FloatFormat, Interleave, Swizzle, TensorElement, TensorLayout};
use cuscope::{LaunchConfig, Module, PushedGuard, Stream};
use std::iter::zip;

/// The bytes of the memory that every tensor here begins, and of shared memory for a box.
const ROOM: usize = 64 << 10;
const TILE: u32 = 8 << 10;

/// The value of each byte of the memory: in the tensor, after it, and in the last element of the tensor.
const WITHIN: u8 = 1;
const BEYOND: u8 = 2;
const LAST: u8 = 4;
/// The answer of a kernel for a copy that did not end.
const STUCK: u32 = 8;

/// Kernels of one warp that copy a box, or pixels, at each of a number of places. A place is the coordinates, then the
/// offsets of pixels, each in 4 bytes.
///
/// `loads` collects the bits of all that arrives, and returns the last box; `stores` stores ones.
fn kernels(rank: usize, pixels: bool) -> String {
    let corners = if pixels { rank - 2 } else { 0 };
    let place = (0..rank).map(|at| format!("%c{at}")).collect::<Vec<_>>().join(", ");
    let offsets = (0..corners).map(|at| format!("%o{at}")).collect::<Vec<_>>().join(", ");
    let (load, store, offsets) = if pixels {
        ("im2col", "im2col_no_offs", format!(", {{{offsets}}}"))
    } else {
        ("tile", "tile", String::new())
    };
    let mut read: String =
        (0..rank).map(|at| format!("ld.global.u32 %c{at}, [%at+{}];\n", 4 * at)).collect();
    for at in 0..corners {
        read += &format!("ld.global.u16 %o{at}, [%at+{}];\n", 4 * (rank + at));
    }
    let step = 4 * (rank + corners);
    let begin = format!(
        "(.param .align 64 .b8 map[128], .param .u64 places, .param .u64 out, .param .u32 count, .param .u32 bytes)
{{
    .reg .b64 %map, %at, %out, %state, %to; .reg .b16 %o<3>; .reg .pred %first, %p;
    .reg .b32 %n, %count, %bytes, %tile, %bar, %i, %w, %any, %phase, %lane, %tries, %c<5>;
    .shared .align 1024 .b8 tile[{TILE}];
    .shared .align 8 .b64 bar;
    mov.b64 %map, map; cvta.param.u64 %map, %map;
    ld.param.u64 %at, [places]; cvta.to.global.u64 %at, %at;
    ld.param.u64 %out, [out]; cvta.to.global.u64 %out, %out;
    ld.param.u32 %count, [count]; ld.param.u32 %bytes, [bytes];
    mov.u32 %lane, %tid.x; setp.eq.u32 %first, %lane, 0;
    mov.u32 %tile, tile; mov.u32 %bar, bar;
    mov.u32 %n, 0; mov.u32 %any, 0; mov.u32 %phase, 0;
"
    );
    format!(
        ".version 8.0
.target sm_90
.address_size 64
.visible .entry loads{begin}
    @%first mbarrier.init.shared.b64 [%bar], 1;
    fence.proxy.async;
    bar.sync 0;
NEXT:
    setp.ge.u32 %p, %n, %count; @%p bra END;
    @!%first bra WAITING;
    {read}
    mbarrier.arrive.expect_tx.shared.b64 %state, [%bar], %bytes;
    cp.async.bulk.tensor.{rank}d.shared::cluster.global.{load}.mbarrier::complete_tx::bytes
        [%tile], [%map, {{{place}}}], [%bar]{offsets};
WAITING:
    mov.u32 %tries, 0;
WAIT:
    mbarrier.try_wait.parity.shared.b64 %p, [%bar], %phase; @%p bra ARRIVED;
    add.u32 %tries, %tries, 1; setp.lt.u32 %p, %tries, 1000000; @%p bra WAIT;
    or.b32 %any, %any, {STUCK};
    bra END;
ARRIVED:
    mul.lo.u32 %i, %lane, 4;
SCAN:
    setp.ge.u32 %p, %i, %bytes; @%p bra SCANNED;
    add.u32 %w, %tile, %i; ld.shared.u32 %w, [%w]; or.b32 %any, %any, %w;
    add.u32 %i, %i, 128; bra SCAN;
SCANNED:
    xor.b32 %phase, %phase, 1;
    add.u32 %n, %n, 1; add.u64 %at, %at, {step};
    fence.proxy.async;
    bar.sync 0;
    bra NEXT;
END:
    red.global.or.b32 [%out], %any;
    mul.lo.u32 %i, %lane, 4;
COPY:
    setp.ge.u32 %p, %i, %bytes; @%p bra COPIED;
    add.u32 %w, %tile, %i; ld.shared.u32 %w, [%w];
    cvt.u64.u32 %to, %i; add.u64 %to, %to, %out; st.global.u32 [%to+4], %w;
    add.u32 %i, %i, 128; bra COPY;
COPIED:
    ret;
}}
.visible .entry stores{begin}
    mul.lo.u32 %i, %lane, 4;
FILL:
    setp.ge.u32 %p, %i, {TILE}; @%p bra FILLED;
    add.u32 %w, %tile, %i; mov.u32 %any, 0xffffffff; st.shared.u32 [%w], %any;
    add.u32 %i, %i, 128; bra FILL;
FILLED:
    fence.proxy.async;
    bar.sync 0;
    @!%first bra END;
NEXT:
    setp.ge.u32 %p, %n, %count; @%p bra END;
    {read}
    cp.async.bulk.tensor.{rank}d.global.shared::cta.{store}.bulk_group [%map, {{{place}}}], [%tile];
    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group 0;
    add.u32 %n, %n, 1; add.u64 %at, %at, {step};
    bra NEXT;
END:
    ret;
}}
"
    )
}

/// The kernels for boxes of 1 to 5 dimensions, and those for pixels of 3 to 5.
fn modules<'ctx>(gpu: &PushedGuard<'ctx>) -> (Vec<Module<'ctx>>, Vec<Module<'ctx>>) {
    let boxes = (1..=5).map(|rank| gpu.load_ptx(kernels(rank, false)).unwrap()).collect();
    let pixels = (3..=5).map(|rank| gpu.load_ptx(kernels(rank, true)).unwrap()).collect();
    (boxes, pixels)
}

/// Leaves the test on a device without the accelerator.
macro_rules! accelerator {
    ($gpu:expr) => {
        if $gpu.device().compute_capability().unwrap().0 < 9 {
            skip!("the device has no tensor memory accelerator");
        }
    };
}

/// Numbers that are the same in each run.
struct Numbers(u64);

impl Numbers {
    /// One of a range.
    fn of(&mut self, range: std::ops::RangeInclusive<u64>) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        range.start() + (self.0 >> 33) % (range.end() - range.start() + 1)
    }
}

/// The pieces that are copied.
#[derive(Debug)]
enum Pieces {
    Box(Vec<u32>),
    Pixels { lower: Vec<i32>, upper: Vec<i32>, channels: u32, pixels: u32 },
}

/// A tensor at the beginning of its memory.
#[derive(Debug)]
struct Case {
    /// Bytes of an element.
    size: u64,
    interleave: Interleave,
    extents: Vec<u64>,
    strides: Option<Vec<u64>>,
    steps: Vec<u32>,
    pieces: Pieces,
}

/// All lists with one of the numbers of each list.
fn product(lists: &[Vec<i32>]) -> Vec<Vec<i32>> {
    lists.iter().fold(vec![Vec::new()], |all, list| {
        all.iter().flat_map(|one| list.iter().map(|&at| [&one[..], &[at]].concat())).collect()
    })
}

impl Case {
    fn boxes(
        size: u64,
        interleave: Interleave,
        rank: usize,
        packed: bool,
        some: &mut Numbers,
    ) -> Case {
        // The number of elements in 16 bytes, of which a row has a multiple.
        let least = 16 / size;
        let first = match (interleave, packed) {
            (Interleave::None, true) => least * some.of(1..=3),
            (Interleave::None, false) => some.of(1..=3 * least),
            _ => some.of(1..=20),
        };
        let mut extents = vec![first];
        extents.extend((1..rank).map(|_| some.of(1..=3)));
        let strides = (!packed).then(|| (1..rank).map(|_| 32 * some.of(0..=20)).collect());
        // The innermost dimension has no step.
        let mut steps = vec![1];
        steps.extend((1..rank).map(|_| some.of(1..=3) as u32));
        let mut pieces = vec![least as u32];
        pieces.extend(steps[1..].iter().map(|step| 2 * step));
        Case { size, interleave, extents, strides, steps, pieces: Pieces::Box(pieces) }
    }

    fn pixels(size: u64, rank: usize, packed: bool, inside: bool, some: &mut Numbers) -> Case {
        let whole = Case::boxes(size, Interleave::None, rank, packed, some);
        let mut corners = || -> Vec<i32> {
            (2..rank).map(|_| if inside { 0 } else { -(some.of(0..=2) as i32) }).collect()
        };
        let (lower, mut upper) = (corners(), corners());
        for ((lower, upper), &extent) in zip(&lower, &mut upper).zip(&whole.extents[1..]) {
            *upper = (*upper).max(lower + 1 - extent as i32);
        }
        let channels = 16 / size as u32;
        Case { pieces: Pieces::Pixels { lower, upper, channels, pixels: 5 }, ..whole }
    }

    fn layout(&self) -> TensorLayout {
        let layout = match &self.pieces {
            Pieces::Box(pieces) => TensorLayout::tiled(&self.extents, pieces),
            Pieces::Pixels { lower, upper, channels, pixels } => {
                TensorLayout::im2col(&self.extents, lower, upper, *channels, *pixels)
            }
        };
        let layout = layout.element_steps(&self.steps).interleave(self.interleave);
        match &self.strides {
            Some(strides) => layout.strides(strides),
            None => layout,
        }
    }

    /// The bytes that arrive with a load. Of the slices of channels of a pixel a box has one.
    fn bytes(&self) -> u32 {
        let rank = self.extents.len();
        let plain = self.interleave == Interleave::None;
        let unit = match self.interleave {
            Interleave::Bytes16 => 16,
            Interleave::Bytes32 => 32,
            _ => self.size as u32,
        };
        match &self.pieces {
            Pieces::Box(pieces) => {
                let counts = (1..rank).filter(|&at| plain || at + 2 != rank);
                let counts = counts.map(|at| pieces[at].div_ceil(self.steps[at]));
                unit * pieces[0] * counts.product::<u32>()
            }
            Pieces::Pixels { channels, pixels, .. } => unit * channels * pixels,
        }
    }

    /// Places from which copies reach both ends of each dimension, and what lies before and after it if they are loads.
    fn places(&self, loads: bool) -> Vec<Vec<i32>> {
        // Elements are copied from multiples of 16 bytes on.
        let least = if self.interleave == Interleave::None { 16 / self.size as i32 } else { 1 };
        let last = |at: usize| self.extents[at] as i32 - 1;
        let mut lists = vec![vec![0, last(0) / least * least]];
        match &self.pieces {
            Pieces::Box(_) => lists.extend(
                (1..self.extents.len())
                    .map(|at| if loads { vec![-1, 0, last(at)] } else { vec![0, last(at)] }),
            ),
            Pieces::Pixels { lower, upper, .. } => {
                let corners = zip(lower, upper).enumerate();
                lists
                    .extend(corners.map(|(at, (&lower, upper))| vec![lower, last(at + 1) + upper]));
                lists.push(vec![0, last(self.extents.len() - 1)]);
                lists.extend(
                    upper.iter().map(|upper| if loads { vec![0, -upper] } else { vec![0] }),
                );
            }
        }
        product(&lists)
    }

    /// Compares the least memory that the tensor is encoded for with what loads and stores reach. `repeated` makes an
    /// element with a byte at each place.
    fn check<'ctx, T: TensorElement + PartialEq + Default>(
        &self,
        gpu: &PushedGuard<'ctx>,
        stream: &Stream<'ctx>,
        module: &Module<'ctx>,
        repeated: fn(u8) -> T,
    ) {
        let (layout, count) = (self.layout(), ROOM / size_of::<T>());
        let on = gpu.on(stream);
        let mut memory = on.zeroed::<T>(count).unwrap();
        let fits = |len: usize| gpu.tensor_map(&layout, memory.slice(..len).unwrap()).is_ok();
        let (mut refused, mut least) = (0, count);
        assert!(fits(least), "{self:?}: {:?}", gpu.tensor_map(&layout, &memory));
        while least - refused > 1 {
            let middle = refused.midpoint(least);
            if fits(middle) { least = middle } else { refused = middle }
        }
        let one = LaunchConfig::new(1, 32);
        let run = |name: &str| module.function(name).unwrap();

        let mut out = on.zeroed::<u32>(1 + TILE as usize / 4).unwrap();
        let mut values = vec![repeated(BEYOND); count];
        values[..least].fill(repeated(WITHIN));
        values[least - 1] = repeated(LAST);
        on.upload(&values, &mut memory).unwrap();
        let places = self.places(true);
        let (number, bytes) = (places.len() as u32, self.bytes());
        let places = on.from_slice(&places.concat()).unwrap();
        let map = gpu.tensor_map(&layout, memory.slice(..least).unwrap()).unwrap();
        // SAFETY: copies boxes of the map at so many places to shared memory that has room for one, and writes to `out`.
        unsafe { on.launch_unchecked(&run("loads"), one, (map, &places, &mut out, number, bytes)) }
            .unwrap();
        let seen = on.to_vec(&out).unwrap()[0];
        let bits = seen.to_le_bytes().into_iter().fold(0, |all, byte| all | byte);
        assert_eq!(seen & STUCK, 0, "a load has another number of bytes: {self:?}");
        assert_eq!(bits & BEYOND, 0, "a load reaches bytes behind {least} elements: {self:?}");
        assert_eq!(bits & LAST, LAST, "no load reaches the last of {least} elements: {self:?}");

        // Pixels are stored within the image alone.
        let inside = match &self.pieces {
            Pieces::Box(_) => true,
            Pieces::Pixels { lower, upper, .. } => lower.iter().chain(upper).all(|at| *at == 0),
        };
        if !inside {
            return;
        }
        on.zero(&mut memory).unwrap();
        let places = self.places(false);
        let number = places.len() as u32;
        let places = on.from_slice(&places.concat()).unwrap();
        // Stores write whole pieces of 16 bytes, and so need as much memory.
        let read = least;
        let mut refused = read - 1;
        least = count;
        while least - refused > 1 {
            let middle = refused.midpoint(least);
            let mut part = memory.slice_mut(..middle).unwrap();
            if gpu.tensor_map(&layout, &mut part).is_ok() {
                least = middle
            } else {
                refused = middle
            }
        }
        assert!((least - read) * size_of::<T>() < 16, "{self:?}: {read} and {least}");
        let (mut first, _) = memory.split_at_mut(least).unwrap();
        let map = gpu.tensor_map(&layout, &mut first).unwrap();
        // SAFETY: copies boxes from shared memory, which has room for one, to the map at so many places.
        unsafe {
            on.launch_unchecked(&run("stores"), one, (map, &places, &mut out, number, bytes))
        }
        .unwrap();
        let values = on.to_vec(&memory).unwrap();
        let last = values.iter().rposition(|value| *value != T::default());
        assert_eq!(last, Some(least - 1), "stores reach another last element: {self:?}");
        assert!(values[least - 1] == repeated(0xff), "a store reaches a part of the last element");
    }

    /// The same with the type that has the size.
    fn check_all<'ctx>(
        &self,
        gpu: &PushedGuard<'ctx>,
        stream: &Stream<'ctx>,
        (boxes, pixels): &(Vec<Module<'ctx>>, Vec<Module<'ctx>>),
    ) {
        let rank = self.extents.len();
        let module = match self.pieces {
            Pieces::Box(_) => &boxes[rank - 1],
            Pieces::Pixels { .. } => &pixels[rank - 3],
        };
        match self.size {
            1 => self.check::<u8>(gpu, stream, module, |byte| byte),
            2 => self.check::<u16>(gpu, stream, module, |byte| u16::from_ne_bytes([byte; 2])),
            4 => self.check::<u32>(gpu, stream, module, |byte| u32::from_ne_bytes([byte; 4])),
            _ => self.check::<u64>(gpu, stream, module, |byte| u64::from_ne_bytes([byte; 8])),
        }
    }
}

/// A map is encoded for the memory that copies reach the end of, and for no less.
#[test]
fn boxes_reach_all_of_the_memory_that_a_map_needs_and_no_more() {
    skip_under_miri!("copies thousands of boxes");
    with_gpu(|gpu| {
        accelerator!(gpu);
        let (stream, modules) = (gpu.stream().unwrap(), modules(gpu));
        let mut some = Numbers(1);
        for size in [1, 2, 4, 8] {
            for interleave in [Interleave::None, Interleave::Bytes16, Interleave::Bytes32] {
                let least = if interleave == Interleave::None { 1 } else { 3 };
                for rank in least..=5 {
                    for packed in [true, false] {
                        for _ in 0..thorough(10) {
                            let case = Case::boxes(size, interleave, rank, packed, &mut some);
                            case.check_all(gpu, &stream, &modules);
                        }
                    }
                }
            }
        }
    });
}

#[test]
fn pixels_reach_all_of_the_memory_that_a_map_needs_and_no_more() {
    skip_under_miri!("copies thousands of pixels");
    with_gpu(|gpu| {
        accelerator!(gpu);
        let (stream, modules) = (gpu.stream().unwrap(), modules(gpu));
        let mut some = Numbers(2);
        for size in [1, 2, 4, 8] {
            for rank in 3..=5 {
                for (packed, inside) in [(true, true), (true, false), (false, true), (false, false)]
                {
                    for _ in 0..thorough(10) {
                        let case = Case::pixels(size, rank, packed, inside, &mut some);
                        case.check_all(gpu, &stream, &modules);
                    }
                }
            }
        }
    });
}

/// The program that wrote memory of somebody else: a map of the first 32 bytes of a buffer. The innermost extent counts
/// slices, of which these have two, or one.
#[test]
fn slices_beyond_the_memory_are_refused() {
    with_gpu(|gpu| {
        accelerator!(gpu);
        let mut buffer = gpu.alloc::<u16>(256).unwrap();
        let (mut first, _other) = buffer.split_at_mut(16).unwrap();
        for (interleave, slices) in [(Interleave::Bytes16, 2), (Interleave::Bytes32, 1)] {
            for strides in [None, Some([32, 32])] {
                let mut encoded = |extent| {
                    let layout = TensorLayout::tiled(&[extent, 1, 1], &[8, 1, 1]);
                    let layout = layout.interleave(interleave);
                    let layout = match &strides {
                        Some(strides) => layout.strides(strides),
                        None => layout,
                    };
                    gpu.tensor_map(&layout, &mut first).map(drop)
                };
                encoded(slices).unwrap();
                let error = encoded(slices + 1).unwrap_err();
                assert!(error.to_string().contains("larger than its memory"), "{error}");
                encoded(16).unwrap_err();
            }
        }
    });
}

/// Loads one box of rows at a place, and returns it.
fn loaded<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    layout: &TensorLayout,
    values: &[f32],
    (place, bytes): ([i32; 2], u32),
) -> Vec<u32> {
    let on = gpu.on(stream);
    let module = gpu.load_ptx(kernels(2, false)).unwrap();
    let (memory, place) = (on.from_slice(values).unwrap(), on.from_slice(&place).unwrap());
    let mut out = on.zeroed::<u32>(1 + TILE as usize / 4).unwrap();
    let map = gpu.tensor_map(layout, &memory).unwrap();
    let (loads, one) = (module.function("loads").unwrap(), LaunchConfig::new(1, 32));
    // SAFETY: copies a box of the map to shared memory that has room for it, and writes to `out`.
    unsafe { on.launch_unchecked(&loads, one, (map, &place, &mut out, 1_u32, bytes)) }.unwrap();
    let mut out = on.to_vec(&out).unwrap();
    out.drain(1..1 + bytes as usize / 4).collect()
}

/// Each swizzle moves pieces of 16 bytes within as many bytes as its name says.
#[test]
fn boxes_are_shuffled_as_their_swizzle_says() {
    skip_under_miri!("compiles large kernels");
    with_gpu(|gpu| {
        accelerator!(gpu);
        let stream = gpu.stream().unwrap();
        for (swizzle, row, mask) in [
            (Swizzle::None, 128, 0),
            (Swizzle::Bytes32, 32, 0x10),
            (Swizzle::Bytes64, 64, 0x30),
            (Swizzle::Bytes128, 128, 0x70),
        ] {
            let words = row / 4;
            let values: Vec<f32> = (0..words * 16).map(f32::from_bits).collect();
            let layout = TensorLayout::tiled(&[words.into(), 16], &[words, 16]).swizzle(swizzle);
            let got = loaded(gpu, &stream, &layout, &values, ([0, 0], row * 16));
            for (word, value) in (0..).zip(values) {
                let byte = 4 * word;
                let at = byte ^ ((byte >> 3) & mask);
                assert_eq!(got[at as usize / 4], value.to_bits(), "{swizzle:?}: {word}");
            }
        }
    });
}

/// Values that are read beyond a tensor, and changes of numbers on the way.
#[test]
fn numbers_arrive_as_their_format_says() {
    skip_under_miri!("compiles large kernels");
    with_gpu(|gpu| {
        accelerator!(gpu);
        let stream = gpu.stream().unwrap();
        // A number with more bits than TF32 has, and a subnormal one.
        let values = [f32::from_bits(0x3f80_1fff), f32::from_bits(0x0040_2000), 0.0, 0.0];
        let load = |layout: TensorLayout| loaded(gpu, &stream, &layout, &values, ([0, 0], 32));
        let layout = TensorLayout::tiled(&[4, 1], &[4, 2]);
        let got = [
            FloatFormat::Keep,
            FloatFormat::FlushDenormals,
            FloatFormat::Tf32,
            FloatFormat::Tf32FlushDenormals,
        ]
        .map(|format| load(layout.clone().float_format(format))[..2].to_vec());
        // Maps of f32 and of TF32 keep subnormal numbers, whatever they say.
        assert_eq!(got[0], [0x3f80_1fff, 0x0040_2000]);
        assert_eq!(got[1], got[0]);
        assert_eq!(got[2], [0x3f80_2000, 0x0040_2000]);
        assert_eq!(got[3], got[2]);
        assert_eq!(load(layout.clone())[4..], [0; 4]);
        assert!(load(layout.nan_beyond())[4..].iter().all(|&word| f32::from_bits(word).is_nan()));
    });
}
