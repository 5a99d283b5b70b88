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
fn kernel(fill: &str, body: &str) -> Loaded {
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

/// What a load is waited for with.
fn awaited(load: &str, bytes: usize) -> String {
    format!(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], {bytes};\n{load}\n\
         WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p8, [%r2], 0; @!%p8 bra WAIT;\n"
    )
}

const OLD: &str = "mov.u32 %r6, 0xeeeeeeee;";
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
        let size = if modes[0] == 0 {
            1
        } else if [1, 6, 9].contains(&modes[0]) {
            2
        } else {
            4
        };
        let elements: u32 = match &pieces {
            Pieces::Box(list) => {
                let steps = std::iter::once(&1).chain(&steps[1..]);
                list.iter().zip(steps).map(|(extent, step)| extent.div_ceil(*step)).product()
            }
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
                kernel(OLD, &awaited(&load, elements as usize * size))
            }
            ("load", _) => {
                let offsets = listed(&numbers::<i32>(offsets));
                let load = format!(
                    "cp.async.bulk.tensor.{rank}d.shared::cta.global.im2col.mbarrier::complete_tx::bytes \
                     [%r1], {place}, [%r2], {{{offsets}}};"
                );
                kernel(OLD, &awaited(&load, elements as usize * size))
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
