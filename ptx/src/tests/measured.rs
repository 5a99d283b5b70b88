//! Products of matrices against what an H100 gave, bit by bit: `measured.txt` has the words.
//!
//! A case is a line that names it, and words behind it. Those of `sparse` are what the lanes of a warp hold in the
//! registers of `a`, `b`, `c`, the metadata and `d`, one register after the other. Those of `wgmma` are 16 rows of
//! `a` and 8 columns of `b`, of 32 bytes each, and the first four registers of `d` in the lanes of the first warp.

use std::fmt::Write as _;

use super::device::{Loaded, params};

/// The names and words of the cases of a kind.
fn cases(kind: &str) -> Vec<(Vec<&'static str>, Vec<u32>)> {
    let mut list: Vec<(Vec<&str>, Vec<u32>)> = Vec::new();
    for line in include_str!("measured.txt").lines() {
        let parts: Vec<&str> = line.split_whitespace().collect();
        if ["sparse", "wgmma"].contains(&parts[0]) {
            list.push((parts, Vec::new()));
        } else if let Some((_, words)) = list.last_mut() {
            words.extend(parts.iter().map(|word| u32::from_str_radix(word, 16).unwrap()));
        }
    }
    list.retain(|(name, _)| name[0] == kind);
    list
}

/// A kernel of a body with a pointer to what it reads and one to what it writes.
fn kernel(body: &str) -> Loaded {
    Loaded::new(&format!(
        ".version 8.7\n.target sm_90a\n.address_size 64\n.extern .shared .align 1024 .b8 memory[];\n\
         .visible .entry test(.param .u64 in, .param .u64 out)\n{{\n\
         .reg .pred %p<9>; .reg .b32 %r<200>; .reg .f32 %f<99>; .reg .b64 %rd<9>;\n\
         ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; mov.u32 %r0, %tid.x;\n\
         mul.wide.u32 %rd3, %r0, 4; add.u64 %rd1, %rd1, %rd3; add.u64 %rd2, %rd2, %rd3;\n\
         {body}\nret;\n}}\n"
    ))
}

/// Registers from a number on.
fn vector(kind: &str, from: usize, count: usize) -> String {
    let list: Vec<String> = (from..from + count).map(|at| format!("%{kind}{at}")).collect();
    format!("{{{}}}", list.join(", "))
}

#[test]
fn sparse_products() {
    let cases = cases("sparse");
    for (name, words) in &cases {
        let [_, types, selector] = name[..] else { panic!("{name:?}") };
        let (inputs, wanted) = words.split_at(words.len() - 128);
        // `a` and `b` have as many registers each; four of `c` and one of metadata follow.
        let registers = inputs.len() / 32;
        let factor = (registers - 5) / 2;
        let kind = if types.ends_with("f32") { "f" } else { "r" };
        let mut body = String::new();
        for at in 0..registers {
            let kind = if (2 * factor..2 * factor + 4).contains(&at) { kind } else { "r" };
            writeln!(body, "ld.global.b32 %{kind}{}, [%rd1+{}];", 1 + at, 128 * at).unwrap();
        }
        let (a, b) = (vector("r", 1, factor), vector("r", 1 + factor, factor));
        let (c, d) = (vector(kind, 1 + 2 * factor, 4), vector(kind, 50, 4));
        writeln!(
            body,
            "mma.sp::ordered_metadata.sync.aligned.{types} {d}, {a}, {b}, {c}, %r{registers}, {selector};"
        )
        .unwrap();
        for at in 0..4 {
            writeln!(body, "st.global.b32 [%rd2+{}], %{kind}{};", 128 * at, 50 + at).unwrap();
        }
        let loaded = kernel(&body);
        let (from, to) = (loaded.device.put(inputs), loaded.device.room(512));
        loaded.launch("test", [1; 3], [32, 1, 1], 0, params![from, to]).unwrap();
        assert_eq!(loaded.device.get::<u32>(to, 128), wanted, "{types} {selector}");
    }
    assert_eq!(cases.len(), 4);
}

/// The distances of the parts of a matrix, along its rows and down its columns, for each way of swizzling.
const DISTANCES: [(u32, u32); 4] = [(1024, 128), (2048, 1024), (1024, 512), (512, 256)];

/// Where a byte of a row is: rows of 32 bytes, in memory that is swizzled.
fn place(swizzle: usize, row: u32, byte: u32) -> u32 {
    let (along, down) = DISTANCES[swizzle];
    if swizzle == 0 {
        return byte / 16 * along + row / 8 * down + row % 8 * 16 + byte % 16;
    }
    let (pitch, mask) = [(128, 0x70), (64, 0x30), (32, 0x10)][swizzle - 1];
    let at = row / 8 * down + row % 8 * pitch + byte;
    at ^ (at >> 3 & mask)
}

#[test]
fn products_of_four_warps() {
    let cases = cases("wgmma");
    for (name, words) in &cases {
        let (types, swizzle) = (name[1], name[2].parse::<usize>().unwrap());
        let (a, rest) = words.split_at(128);
        let (b, wanted) = rest.split_at(64);
        let (along, down) = DISTANCES[swizzle];
        let descriptor =
            u64::from(along >> 4) << 16 | u64::from(down >> 4) << 32 | (swizzle as u64) << 62;
        // Of all rows and columns, only those that were kept are not zero.
        let mut memory = vec![0u32; 16384];
        for (start, matrix) in [(0, a), (32768, b)] {
            for (index, &word) in matrix.iter().enumerate() {
                let (row, byte) = (index as u32 / 8, index as u32 % 8 * 4);
                memory[(start + place(swizzle, row, byte)) as usize / 4] = word;
            }
        }
        let columns: usize = types.split(['n', 'k']).nth(1).unwrap().parse().unwrap();
        let whole = types.contains("s32");
        let (kind, first) = if whole { ("r", "0") } else { ("f", "0f3E000000") };
        let mut body = String::from(
            "mov.u32 %r1, %r0; mov.u32 %r2, memory; mad.lo.u32 %r3, %r0, 4, %r2;\n\
             FILL: ld.global.b32 %r4, [%rd1]; st.shared.b32 [%r3], %r4;\n\
             add.u64 %rd1, %rd1, 512; add.u32 %r3, %r3, 512; add.u32 %r1, %r1, 128;\n\
             setp.lt.u32 %p1, %r1, 16384; @%p1 bra FILL;\n\
             bar.sync 0; fence.proxy.async.shared::cta;\n\
             shr.u32 %r2, %r2, 4; cvt.u64.u32 %rd4, %r2;\n",
        );
        writeln!(body, "or.b64 %rd4, %rd4, {descriptor}; add.u64 %rd5, %rd4, {};", 32768 >> 4)
            .unwrap();
        for at in 0..columns / 2 {
            writeln!(body, "mov.b32 %{kind}{}, {first};", 10 + at).unwrap();
        }
        let d = vector(kind, 10, columns / 2);
        let tail: String =
            name[3..].iter().map(|one| format!(", {}", one.trim_end_matches(','))).collect();
        writeln!(
            body,
            "setp.eq.u32 %p2, 1, 1; wgmma.fence.sync.aligned;\n\
             wgmma.mma_async.sync.aligned.{types} {d}, %rd4, %rd5, %p2{tail};\n\
             wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;"
        )
        .unwrap();
        for at in 0..4 {
            writeln!(body, "st.global.b32 [%rd2+{}], %{kind}{};", 512 * at, 10 + at).unwrap();
        }
        let loaded = kernel(&body);
        let (from, to) = (loaded.device.put(&memory), loaded.device.room(2048));
        loaded.launch("test", [1; 3], [128, 1, 1], 65536, params![from, to]).unwrap();
        let got: Vec<u32> = loaded.device.get(to, 512);
        let first_warp: Vec<u32> =
            got.chunks(128).flat_map(|register| register[..32].to_vec()).collect();
        assert_eq!(first_warp, wanted, "{types} {swizzle}");
        // The other warps have rows of zeros, which make no number of the infinities of e5m2.
        if types.ends_with("e5m2") {
            continue;
        }
        let start = if whole { 0 } else { 0.125f32.to_bits() };
        for register in got.chunks(128) {
            assert_eq!(register[32..], [start; 96], "{types} {swizzle}");
        }
    }
    assert_eq!(cases.len(), 6);
}
