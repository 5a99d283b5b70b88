//! Bulk copies, copies of tensors, and stores that tell a barrier.

use super::super::run::Fault;
use super::super::tensor::Map;
use super::device::{Loaded, params};
use super::tensors::plain;

/// A kernel in clusters of two, with three pointers. One thread of a block runs the body.
fn kernel(body: &str) -> Loaded {
    Loaded::new(&format!(
        ".version 8.7\n.target sm_90a\n.address_size 64\n\
         .visible .entry test(.param .u64 a, .param .u64 b, .param .u64 c) .reqnctapercluster 2\n{{\n\
         .reg .pred %p<9>; .reg .b16 %rs<9>; .reg .b32 %r<40>; .reg .b64 %rd<20>; .reg .f32 %f<9>;\n\
         .shared .align 1024 .b8 words[4096]; .shared .align 8 .b64 bar;\n\
         ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u64 %rd3, [c];\n\
         mov.u32 %r0, %cluster_ctarank; mov.u32 %r1, words; mov.u32 %r2, bar;\n\
         mbarrier.init.shared::cta.b64 [%r2], 1;\n\
         barrier.cluster.arrive; barrier.cluster.wait;\n{body}\n\
         barrier.cluster.arrive; barrier.cluster.wait;\nret;\n}}\n"
    ))
}

/// Waits for the first phase of the barrier.
const WAIT: &str =
    "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p8, [%r2], 0; @!%p8 bra WAIT;\n";

fn run(loaded: &Loaded, pointers: [u64; 3]) -> Result<(), Fault> {
    let [a, b, c] = pointers;
    loaded.launch("test", [2, 1, 1], [1; 3], 0, params![a, b, c])
}

#[test]
fn there_and_back() {
    let body = format!(
        "mbarrier.arrive.expect_tx.shared::cta.b64 %rd9, [%r2], 64;
         cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1], 64, [%r2];
         {WAIT}
         mbarrier.test_wait.shared::cta.b64 %p1, [%r2], %rd9;
         selp.u32 %r5, 1, 0, %p1; st.shared.u32 [%r1+4], %r5;
         fence.proxy.async.shared::cta;
         mul.wide.u32 %rd8, %r0, 64; add.u64 %rd2, %rd2, %rd8;
         cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r1], 64;
         cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;
         cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd3], [%r1], 64;
         cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;"
    );
    let loaded = kernel(&body);
    let words: Vec<u32> = (100..116).collect();
    let (a, b, c) = (loaded.device.put(&words), loaded.device.room(128), loaded.device.put(&words));
    run(&loaded, [a, b, c]).unwrap();
    let mut copied = words.clone();
    copied[1] = 1;
    for block in 0..2 {
        assert_eq!(loaded.device.get::<u32>(b + 64 * block, 16), copied);
    }
    let sums: Vec<u32> = words.iter().zip(&copied).map(|(word, added)| word + 2 * added).collect();
    assert_eq!(loaded.device.get::<u32>(c, 16), sums);
    // An address that is no multiple of 16.
    assert_eq!(run(&loaded, [a + 8, b, c]), Err(Fault::MisalignedAddress));
}

#[test]
fn to_other_blocks() {
    let body = format!(
        "setp.eq.u32 %p1, %r0, 0; setp.ne.u32 %p2, %r0, 0; mapa.shared::cluster.u32 %r3, %r1, 1; mapa.shared::cluster.u32 %r4, %r2, 1;
         @%p2 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], 76;
         @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], 32;
         @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r1], [%rd1], 32, [%r2], 3;
         @%p1 st.shared.v4.u32 [%r1+64], {{7, 8, 9, 10}};
         @%p1 add.u32 %r5, %r1, 64; @%p1 add.u32 %r6, %r3, 48;
         @%p1 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r6], [%r5], 16, [%r4];
         @%p1 add.u32 %r6, %r3, 32;
         @%p1 st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b64 [%r6], {{5, 6}}, [%r4];
         @%p1 red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r6], 40, [%r4];
         @%p1 add.u32 %r6, %r3, 48;
         @%p1 mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%r4], 16;
         @%p1 mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r4], 16;
         @%p1 mbarrier.expect_tx.shared::cluster.b64 [%r4], 8;
         @%p1 cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.max.u32 [%r6], [%r5], 16, [%r4];
         {WAIT}
         @%p1 bra END;
         ld.shared.v4.u32 {{%r10, %r11, %r12, %r13}}, [%r1]; st.global.v4.u32 [%rd2], {{%r10, %r11, %r12, %r13}};
         ld.shared.v4.u32 {{%r10, %r11, %r12, %r13}}, [%r1+32]; st.global.v4.u32 [%rd2+16], {{%r10, %r11, %r12, %r13}};
         ld.shared.v4.u32 {{%r10, %r11, %r12, %r13}}, [%r1+48]; st.global.v4.u32 [%rd2+32], {{%r10, %r11, %r12, %r13}};
         END:"
    );
    let loaded = kernel(&body);
    let (a, b) = (loaded.device.put(&[1u32, 2, 3, 4, 5, 6, 7, 8]), loaded.device.room(64));
    run(&loaded, [a, b, 0]).unwrap();
    assert_eq!(loaded.device.get::<u32>(b, 12), [1, 2, 3, 4, 45, 0, 6, 0, 7, 8, 9, 10]);
}

/// Copies a box to shared memory, that to `b`, and the box to the tensor again, elsewhere.
#[test]
fn boxes_of_tensors() {
    let body = format!(
        "setp.ne.u32 %p1, %r0, 0; @%p1 bra END;
         prefetch.tensormap [%rd1];
         mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], 256;
         mov.u32 %r5, 4; mov.u32 %r6, -1;
         cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%rd1, {{%r5, %r6}}], [%r2];
         {WAIT}
         cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r1], 256;
         mov.u32 %r5, -4; mov.u32 %r6, 4;
         cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd1, {{%r5, %r6}}], [%r1];
         cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%rd1, {{%r5, %r6}}], [%r1];
         END:"
    );
    let loaded = kernel(&body);
    // 10 columns and 6 rows of 32-bit numbers; boxes of 8 by 8.
    let number = |row: usize, column: usize| (100 * row + column + 1) as u32;
    let numbers: Vec<u32> =
        (0..6).flat_map(|row| (0..12).map(move |column| number(row, column))).collect();
    for swizzle in 0..2 {
        let tensor = loaded.device.put(&numbers);
        let (extents, strides) = (vec![10, 6], vec![48]);
        let map = Map { swizzle, extents, strides, ..plain(tensor) };
        let words = map.encode();
        assert_eq!(Map::decode(&words), Some(map));
        let (a, b) = (loaded.device.put(&words), loaded.device.room(256));
        run(&loaded, [a, b, 0]).unwrap();
        let inside = |row: i64, column: i64| (0..6).contains(&row) && (0..10).contains(&column);
        let from = |row: usize, column: usize| {
            let (y, x) = (row as i64 - 1, column as i64 + 4);
            if inside(y, x) { number(y as usize, x as usize) } else { 0 }
        };
        let got: Vec<u32> = loaded.device.get(b, 64);
        for (row, column) in (0..8).flat_map(|row| (0..8).map(move |column| (row, column))) {
            // A swizzle of 32 bytes swaps halves of the rows 4 to 7 of 8.
            let swap = if swizzle == 1 && row >= 4 { 4 } else { 0 };
            assert_eq!(
                got[row * 8 + (column ^ swap)],
                from(row, column),
                "{swizzle} {row} {column}"
            );
        }
        let after: Vec<u32> = loaded.device.get(tensor, 72);
        for (row, column) in (0..6).flat_map(|row| (0..12).map(move |column| (row, column))) {
            let written = row >= 4 && column < 4;
            let wanted = if written { 2 * from(row - 4, column + 4) } else { number(row, column) };
            assert_eq!(after[row * 12 + column], wanted, "{swizzle} {row} {column}");
        }
    }
    let none = loaded.device.room(128);
    assert_eq!(run(&loaded, [none, none, 0]), Err(Fault::IllegalInstruction));
}
