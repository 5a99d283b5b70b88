//! Copies of boxes and pixels of tensors against what an H100 gave.
//!
//! A line of `tensors.txt` has, between bars: what is done, the type of the elements, and how they are interleaved,
//! swizzled and filled; the extents; the strides; the steps; the box, or the channels, the pixels and the corners of
//! their area; the place; the offsets of pixels; and what came of it: the fault, or the FNV-1a digest of the 4096 bytes
//! of shared memory after a load, and of the tensor after a store. At first, the words of the tensor are 256, 257 and so
//! on, and those of shared memory 0xeeeeeeee before a load, and 0x51000000, 0x51000001 and so on before a store.

use super::super::run::Fault;
use super::super::tensor::{Map, Pieces};
use super::device::{Loaded, params};

/// Words of the tensor, and of shared memory.
const WORDS: usize = 1024;

/// Numbers between spaces.
fn numbers<T: std::str::FromStr>(text: &str) -> Vec<T> {
    let number = |one: &str| one.parse().unwrap_or_else(|_| panic!("{text}"));
    text.split_whitespace().map(number).collect()
}

fn listed<T: std::fmt::Display>(list: &[T]) -> String {
    list.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// The digest of words.
fn digest(words: &[u32]) -> String {
    let bytes = words.iter().flat_map(|word| word.to_le_bytes());
    let digest = bytes
        .fold(0x811c_9dc5_u32, |digest, byte| (digest ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    format!("{digest:08x}")
}

/// A kernel with a map: fills shared memory, runs the body in one thread, and writes the memory to `out`.
pub(super) fn kernel(fill: &str, body: &str) -> Loaded {
    Loaded::new(&format!(
        ".version 8.7\n.target sm_90a\n.address_size 64\n\
         .visible .entry test(.param .u64 map, .param .u64 out)\n{{\n\
         .reg .pred %p<9>; .reg .b16 %rs<9>; .reg .b32 %r<40>; .reg .b64 %rd<20>;\n\
         .shared .align 1024 .b8 words[4096]; .shared .align 128 .b8 own[128]; .shared .align 8 .b64 bar;\n\
         ld.param.u64 %rd1, [map]; ld.param.u64 %rd2, [out];\n\
         mov.u32 %r1, words; mov.u32 %r2, bar; mov.u32 %r3, 0; mov.u32 %r5, own;\n\
         FILL: mad.lo.u32 %r4, %r3, 4, %r1; {fill} st.shared.u32 [%r4], %r6;\n\
         add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, {WORDS}; @%p1 bra FILL;\n\
         mbarrier.init.shared::cta.b64 [%r2], 1; fence.proxy.async;\n\
         {body}\n\
         cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r1], 4096;\n\
         cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\nret;\n}}\n"
    ))
}

/// Returns a load and the wait for it.
pub(super) fn awaited(load: &str, bytes: u32) -> String {
    format!(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], {bytes};\n{load}\n\
         WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p8, [%r2], 0; @!%p8 bra WAIT;\n"
    )
}

pub(super) const OLD: &str = "mov.u32 %r6, 0xeeeeeeee;";
const NEW: &str = "or.b32 %r6, %r3, 0x51000000;";

#[test]
fn copies() {
    let mut wrong = String::new();
    for line in include_str!("tensors.txt").lines() {
        let parts: Vec<&str> = line.split('|').map(str::trim).collect();
        let [what, extents, strides, steps, pieces, place, offsets, outcome] = parts[..] else {
            panic!("{line}");
        };
        let (what, modes) = what.split_once(' ').unwrap();
        let modes: Vec<u32> = numbers(modes);
        let (of, pieces) = pieces.split_once(' ').unwrap();
        let extents: Vec<u64> = numbers(extents);
        let rank = extents.len();
        let pieces = if of == "box" {
            Pieces::Box(numbers(pieces))
        } else {
            let list: Vec<i16> = numbers(pieces);
            let (lower, upper) = list[2..].split_at(rank - 2);
            Pieces::Pixels {
                lower: lower.to_vec(),
                upper: upper.to_vec(),
                channels: list[0] as u32,
                pixels: list[1] as u32,
            }
        };
        let steps: Vec<u32> = numbers(steps);
        let size = match (modes[1], modes[0]) {
            (0, 0) => 1,
            (0, 4 | 5 | 8) => 8,
            (0, 1 | 6 | 9) => 2,
            (0, _) => 4,
            (interleave, _) => 16 * interleave,
        };
        // Bytes that a load tells of: the step of the innermost dimension counts for slices of channels alone, of which a
        // box has one.
        let count = |(at, (&extent, &step)): (usize, (&u32, &u32))| match modes[1] {
            0 if at == 0 => extent,
            0 => extent.div_ceil(step),
            _ if at + 2 == rank => 1,
            _ => extent.div_ceil(step),
        };
        let bytes = size
            * match &pieces {
                Pieces::Box(list) => {
                    list.iter().zip(&steps).enumerate().map(count).product::<u32>()
                }
                Pieces::Pixels { pixels, .. } if modes[1] != 0 => *pixels,
                Pieces::Pixels { channels, pixels, .. } => channels * pixels,
            };
        let place: Vec<i32> = numbers(place);
        let place = format!("[%rd1, {{{}}}]", listed(&place));
        let loaded = match (what, of) {
            ("load", "box") => {
                let load = format!(
                    "cp.async.bulk.tensor.{rank}d.shared::cta.global.tile.mbarrier::complete_tx::bytes \
                     [%r1], {place}, [%r2];"
                );
                kernel(OLD, &awaited(&load, bytes))
            }
            ("load", _) => {
                let offsets = listed(&numbers::<i32>(offsets));
                let load = format!(
                    "cp.async.bulk.tensor.{rank}d.shared::cta.global.im2col.mbarrier::complete_tx::bytes \
                     [%r1], {place}, [%r2], {{{offsets}}};"
                );
                kernel(OLD, &awaited(&load, bytes))
            }
            _ => {
                let way = if of == "box" { "tile" } else { "im2col_no_offs" };
                let (head, name) = if what == "add" { ("cp.reduce", ".add") } else { ("cp", "") };
                let store = format!(
                    "{head}.async.bulk.tensor.{rank}d.global.shared::cta{name}.{way}.bulk_group {place}, [%r1];"
                );
                kernel(NEW, &store)
            }
        };
        let words: Vec<u32> = (0..4 * WORDS as u32).map(|word| 256 + word).collect();
        let tensor = loaded.device.put(&words);
        let map = Map {
            address: tensor,
            kind: modes[0],
            interleave: modes[1],
            swizzle: modes[2],
            promotion: 0,
            fill: modes[3],
            extents,
            strides: numbers(strides),
            steps,
            pieces,
        };
        let map = loaded.device.put(&map.encode());
        let out = loaded.device.room(4 * WORDS);
        let got = match loaded.launch("test", [1; 3], [1; 3], 0, params![map, out]) {
            Err(Fault::IllegalInstruction) => "715".to_owned(),
            Err(fault) => format!("{fault:?}"),
            Ok(()) if what == "load" => digest(&loaded.device.get::<u32>(out, WORDS)),
            Ok(()) => digest(&loaded.device.get::<u32>(tensor, WORDS)),
        };
        if got != outcome {
            wrong += &format!("{line}: {got}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// A map of two dimensions of 32-bit numbers.
pub(super) fn plain(address: u64) -> Map {
    Map {
        address,
        kind: 2,
        interleave: 0,
        swizzle: 0,
        promotion: 0,
        fill: 0,
        extents: vec![20, 10],
        strides: vec![80],
        steps: vec![1, 1],
        pieces: Pieces::Box(vec![8, 8]),
    }
}

/// Copies a map to shared memory, runs a body on it, and copies it to the memory of `map` again, as one warp.
fn changed(body: &str, map: &[u64; 16]) -> Result<Vec<u64>, Fault> {
    let loaded = kernel(
        OLD,
        &format!(
            "mov.u32 %r7, 0;\n\
             MAP: cvt.u64.u32 %rd3, %r7; add.u64 %rd3, %rd3, %rd1; add.u32 %r8, %r5, %r7;\n\
             ld.global.u32 %r9, [%rd3]; st.shared.u32 [%r8], %r9;\n\
             add.u32 %r7, %r7, 4; setp.lt.u32 %p1, %r7, 128; @%p1 bra MAP;\n\
             {body}\nbar.warp.sync 0xffffffff;\n\
             tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned \
             [%rd1], [%r5], 128;\nfence.proxy.tensormap::generic.acquire.gpu [%rd1], 128;"
        ),
    );
    let (place, out) = (loaded.device.put(map), loaded.device.room(4 * WORDS));
    loaded.launch("test", [1; 3], [32, 1, 1], 0, params![place, out])?;
    Ok(loaded.device.get(place, 16))
}

/// Every field is replaced, and nothing else.
#[test]
fn fields_of_maps() {
    type Change = (&'static str, &'static str, fn(&mut Map));
    let wide: fn(&mut Map) = |map| {
        map.extents.push(3);
        map.strides.push(800);
        map.steps.push(1);
        map.pieces = Pieces::Box(vec![8, 8, 2]);
    };
    let changes: &[Change] = &[
        ("global_address", "b64 [%r5], 4096;", |map| map.address = 4096),
        ("global_dim", "b32 [%r5], 1, 7;", |map| map.extents[1] = 7),
        ("global_dim", "b32 [%r5], 0, 12;", |map| map.extents[0] = 12),
        ("global_stride", "b64 [%r5], 0, 160;", |map| map.strides[0] = 160),
        ("box_dim", "b32 [%r5], 1, 256;", |map| map.pieces = Pieces::Box(vec![8, 256])),
        ("element_stride", "b32 [%r5], 1, 3;", |map| map.steps[1] = 3),
        ("elemtype", "b32 [%r5], 8;", |map| map.kind = 10),
        ("elemtype", "b32 [%r5], 9;", |map| map.kind = 8),
        ("elemtype", "b32 [%r5], 10;", |map| map.kind = 9),
        ("interleave_layout", "b32 [%r5], 1;", |map| map.interleave = 1),
        ("swizzle_mode", "b32 [%r5], 3;", |map| map.swizzle = 3),
        ("fill_mode", "b32 [%r5], 1;", |map| map.fill = 1),
        (
            "rank",
            "b32 [%r5], 2; tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r5], 2, 3;\
             tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r5], 2, 2;\
             tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%r5], 2, 1;\
             tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%r5], 1, 800;",
            wide,
        ),
    ];
    for (name, operands, change) in changes {
        let body = format!("tensormap.replace.tile.{name}.shared::cta.b1024.{operands}");
        let mut map = plain(256);
        let words = changed(&body, &map.encode()).unwrap();
        change(&mut map);
        assert_eq!(words, map.encode(), "{name}");
        assert_eq!(Map::decode(&words.try_into().unwrap()), Some(map), "{name}");
    }
    // Bytes that are neither a map nor zeros.
    let body = "tensormap.replace.tile.rank.shared::cta.b1024.b32 [%r5], 1;";
    assert_eq!(changed(body, &[1; 16]), Err(Fault::IllegalInstruction));
}

/// A map that is made of zeros in shared memory, copied to global memory, and loaded with.
#[test]
fn maps_that_kernels_make() {
    let body = [
        ("global_address", "b64 [%r5], %rd2;"),
        ("rank", "b32 [%r5], 1;"),
        ("box_dim", "b32 [%r5], 0, 8;"),
        ("box_dim", "b32 [%r5], 1, 8;"),
        ("global_dim", "b32 [%r5], 0, 20;"),
        ("global_dim", "b32 [%r5], 1, 10;"),
        ("global_stride", "b64 [%r5], 0, 80;"),
        ("element_stride", "b32 [%r5], 0, 1;"),
        ("element_stride", "b32 [%r5], 1, 1;"),
        ("elemtype", "b32 [%r5], 2;"),
        ("interleave_layout", "b32 [%r5], 0;"),
        ("swizzle_mode", "b32 [%r5], 0;"),
        ("fill_mode", "b32 [%r5], 0;"),
    ]
    .map(|(name, rest)| format!("tensormap.replace.tile.{name}.shared::cta.b1024.{rest}\n"))
    .concat();
    let load = "cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes \
                [%r1], [%rd1, {4, 5}], [%r2];";
    let load = awaited(load, 256);
    let made = kernel(
        OLD,
        &format!(
            "{body}\ntensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned \
             [%rd1], [%r5], 128;\nfence.proxy.tensormap::generic.acquire.gpu [%rd1], 128;\n{load}"
        ),
    );
    let words: Vec<u32> = (256..256 + WORDS as u32).collect();
    let (map, out) = (made.device.room(128), made.device.put(&words));
    made.launch("test", [1; 3], [1; 3], 0, params![map, out]).unwrap();
    let words_of_map: Vec<u64> = made.device.get(map, 16);
    assert_eq!(words_of_map, plain(out).encode());
    let got: Vec<u32> = made.device.get(out, 64);
    for (index, &word) in (0..).zip(&got) {
        let (column, row) = (4 + index % 8, 5 + index / 8);
        let wanted = if row < 10 { 256 + 20 * row + column } else { 0 };
        assert_eq!(word, wanted, "{row} {column}");
    }
}
