//! Products of matrices and video instructions against what an H100 gave, bit by bit.
//!
//! `measured.txt` has the words of products. A case is a line that names it, and words after it. Those of `sparse` are
//! what the lanes of a warp hold in the registers of `a`, `b`, `c`, the metadata and `d`, one register after the other.
//! The line of a `wgmma` has its shape and types, the way of swizzling, how `a` and `b` lie (`k`: along the lines of
//! memory, `m`: across them, `r`: in registers), which eight columns were kept, and operands. Its words are 16 rows of `a`
//! (or the registers of the first warp) and the columns of `b`, of 32 bytes each, and the registers of `d` that belong to
//! them, in the lanes of the first warp. `wgmma.sp` is the same with the selector before the operands, the metadata of the
//! first warp after `a`, and columns of `b` of 64 bytes.
//!
//! `video.txt` begins with three words for each of 64 threads. A line has an instruction of them, and the FNV-1a digest of
//! the 64 results.

use std::fmt::Write as _;

use super::device::{Loaded, params};

/// The names and words of the cases of a kind.
fn cases(kind: &str) -> Vec<(Vec<&'static str>, Vec<u32>)> {
    let mut list: Vec<(Vec<&str>, Vec<u32>)> = Vec::new();
    for line in include_str!("measured.txt").lines() {
        let parts: Vec<&str> = line.split_whitespace().collect();
        if ["sparse", "wgmma", "wgmma.sp"].contains(&parts[0]) {
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

/// The distances of the parts of a matrix: of those that a line of 32 bytes goes on in, and of eight lines, for each way
/// of swizzling; then those of a matrix whose rows lie across the lines.
const DISTANCES: [(u32, u32); 4] = [(1024, 128), (2048, 1024), (1024, 512), (512, 256)];
const ACROSS: [(u32, u32); 4] = [(2048, 128), (4096, 1024), (4096, 512), (4096, 256)];

/// Where a byte of a row of 32 bytes is, in memory that is swizzled. Rows that lie across have two bytes an element.
fn place(swizzle: usize, across: bool, row: u32, byte: u32) -> u32 {
    let (width, mask) = [(16, 0), (128, 0x70), (64, 0x30), (32, 0x10)][swizzle];
    let (line, byte) = if across { (byte / 2, row * 2 + byte % 2) } else { (row, byte) };
    let (first, second) = if across { ACROSS[swizzle] } else { DISTANCES[swizzle] };
    // Without a swizzle, what the distances of such a matrix are of changes.
    let (parts, lines) = if across && swizzle == 0 { (second, first) } else { (first, second) };
    let at = byte / width * parts + line / 8 * lines + line % 8 * width + byte % width;
    at ^ (at >> 3 & mask)
}

/// A matrix, put into memory from a place on: its rows from one on, of so many words.
fn put(
    memory: &mut [u8],
    start: u32,
    (rows, first, words): (&[u32], u32, u32),
    swizzle: usize,
    across: bool,
) {
    for (index, word) in rows.iter().enumerate() {
        let (row, byte) = (first + index as u32 / words, index as u32 % words * 4);
        for (byte, value) in (byte..).zip(word.to_le_bytes()) {
            memory[(start + place(swizzle, across, row, byte)) as usize] = value;
        }
    }
}

#[test]
fn products_of_four_warps() {
    assert_eq!(products("wgmma"), 18);
}

#[test]
fn sparse_products_of_four_warps() {
    assert_eq!(products("wgmma.sp"), 5);
}

/// Compares the cases of a kind, and counts them.
fn products(kind_of_case: &str) -> usize {
    let sparse = kind_of_case == "wgmma.sp";
    let cases = cases(kind_of_case);
    for (name, words) in &cases {
        let [_, types, swizzle, a_lies, b_lies, block, ref tail @ ..] = name[..] else {
            panic!("{name:?}");
        };
        let (swizzle, block): (usize, usize) = (swizzle.parse().unwrap(), block.parse().unwrap());
        let (selector, tail) = if sparse { (tail[0], &tail[1..]) } else { ("", tail) };
        let (a, rest) = words.split_at(128);
        let (metadata, rest) = rest.split_at(if sparse { 32 } else { 0 });
        // The rows of `b` have the columns that `a` leaves out, too.
        let length = if sparse { 16 } else { 8 };
        let (b, wanted) = rest.split_at(8 * length as usize);
        let descriptor = |across: bool| {
            let (first, second) = if across { ACROSS[swizzle] } else { DISTANCES[swizzle] };
            u64::from(first >> 4) << 16 | u64::from(second >> 4) << 32 | (swizzle as u64) << 62
        };
        // Of all rows and columns, only those that were kept are not zero. Registers lie after what is shared.
        let mut memory = vec![0u8; 65536 + 2560];
        for (index, word) in metadata.iter().enumerate() {
            let at = 65536 + 2048 + index * 4;
            memory[at..at + 4].copy_from_slice(&word.to_le_bytes());
        }
        match a_lies {
            "r" => {
                for (index, word) in a.iter().enumerate() {
                    let at = 65536 + index / 32 * 512 + index % 32 * 4;
                    memory[at..at + 4].copy_from_slice(&word.to_le_bytes());
                }
            }
            _ => put(&mut memory, 0, (a, 0, 8), swizzle, a_lies == "m"),
        }
        put(&mut memory, 32768, (b, 8 * block as u32, length), swizzle, b_lies == "m");
        let columns: usize = types.split(['n', 'k']).nth(1).unwrap().parse().unwrap();
        let parts: Vec<&str> = types.split('.').collect();
        let (kind, start) = if parts[1] == "f32" { ("f", 0.125f32.to_bits()) } else { ("r", 0) };
        // An f16 is one of two in a register.
        let registers = columns / if parts[1] == "f16" { 4 } else { 2 };
        let each = registers / (columns / 8);
        let mut body = String::from(
            "mov.u32 %r1, %r0; mov.u32 %r2, memory; mad.lo.u32 %r3, %r0, 4, %r2;\n\
             FILL: ld.global.b32 %r4, [%rd1]; st.shared.b32 [%r3], %r4;\n\
             add.u64 %rd1, %rd1, 512; add.u32 %r3, %r3, 512; add.u32 %r1, %r1, 128;\n\
             setp.lt.u32 %p1, %r1, 16384; @%p1 bra FILL;\n\
             bar.sync 0; fence.proxy.async.shared::cta;\n\
             shr.u32 %r2, %r2, 4; cvt.u64.u32 %rd4, %r2; add.u64 %rd5, %rd4, 2048;\n",
        );
        let (first, second) = (descriptor(a_lies == "m"), descriptor(b_lies == "m"));
        writeln!(body, "or.b64 %rd4, %rd4, {first}; or.b64 %rd5, %rd5, {second};").unwrap();
        for at in 0..5 {
            writeln!(body, "ld.global.b32 %r{}, [%rd1+{}];", 190 + at, 512 * at).unwrap();
        }
        for at in 0..registers {
            writeln!(body, "mov.b32 %{kind}{}, {start};", 10 + at).unwrap();
        }
        let d = vector(kind, 10, registers);
        let mut operands = vec![match a_lies {
            "r" => vector("r", 190, 4),
            _ => "%rd4".to_owned(),
        }];
        operands.push("%rd5".to_owned());
        if sparse {
            operands.extend(["%r194".to_owned(), selector.to_owned()]);
        }
        operands.push("%p2".to_owned());
        operands.extend(tail.iter().map(|one| one.trim_end_matches(',').to_owned()));
        if parts[2].ends_with("f16") {
            let lies = [a_lies, b_lies].into_iter().filter(|&lies| lies != "r");
            operands.extend(lies.map(|lies| u8::from(lies == "m").to_string()));
        }
        let sp = if sparse { ".sp" } else { "" };
        writeln!(
            body,
            "setp.eq.u32 %p2, 1, 1; wgmma.fence.sync.aligned;\n\
             wgmma.mma_async{sp}.sync.aligned.{types} {d}, {};\n\
             wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;",
            operands.join(", ")
        )
        .unwrap();
        for at in 0..each {
            let register = 10 + block * each + at;
            writeln!(body, "st.global.b32 [%rd2+{}], %{kind}{register};", 512 * at).unwrap();
        }
        let loaded = kernel(&body);
        let (from, to) = (loaded.device.place(&memory), loaded.device.room(2048));
        loaded.launch("test", [1; 3], [128, 1, 1], 65536, params![from, to]).unwrap();
        let got: Vec<u32> = loaded.device.get(to, 128 * each);
        let first_warp: Vec<u32> =
            got.chunks(128).flat_map(|register| register[..32].to_vec()).collect();
        assert_eq!(first_warp, wanted, "{name:?}");
        // The other warps have rows of zeros, which make no number of the infinities of e5m2.
        if types.contains("e5m2") {
            continue;
        }
        for register in got.chunks(128) {
            assert_eq!(register[32..], [start; 96], "{name:?}");
        }
    }
    cases.len()
}

#[test]
fn video_instructions() {
    let mut lines = include_str!("video.txt").lines();
    let words = lines.by_ref().take(16).flat_map(str::split_whitespace);
    let words: Vec<u32> = words.map(|word| u32::from_str_radix(word, 16).unwrap()).collect();
    let forms: Vec<&str> = lines.collect();
    for forms in forms.chunks(47) {
        let mut body = String::from(
            "mul.wide.u32 %rd3, %r0, 8; add.u64 %rd1, %rd1, %rd3;\n\
             ld.global.u32 %r1, [%rd1]; ld.global.u32 %r2, [%rd1+4]; ld.global.u32 %r3, [%rd1+8];\n",
        );
        for (at, form) in forms.iter().enumerate() {
            let form = &form[9..];
            let form = ["%d", "%a", "%b", "%c"]
                .iter()
                .zip(["%r4", "%r1", "%r2", "%r3"])
                .fold(form.to_owned(), |form, (name, register)| form.replace(name, register));
            writeln!(body, "{form} st.global.u32 [%rd2+{}], %r4;", 256 * at).unwrap();
        }
        let loaded = kernel(&body);
        let (from, to) = (loaded.device.put(&words), loaded.device.room(256 * forms.len()));
        loaded.launch("test", [1; 3], [64, 1, 1], 0, params![from, to]).unwrap();
        let got: Vec<u8> = loaded.device.get(to, 256 * forms.len());
        for (form, results) in forms.iter().zip(got.chunks(256)) {
            let digest = results.iter().fold(0x811c_9dc5_u32, |digest, &byte| {
                (digest ^ u32::from(byte)).wrapping_mul(0x0100_0193)
            });
            assert_eq!(format!("{digest:08x}"), form[..8], "{form}");
        }
    }
    assert_eq!(forms.len(), 376);
}
