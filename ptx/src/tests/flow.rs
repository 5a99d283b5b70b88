//! Control flow: branches, calls, barriers, clocks, traps.

use std::time::{Duration, Instant};

use super::super::Module;
use super::super::run::Fault;
use super::device::{Loaded, body, params};

#[test]
fn reduce() {
    let loaded = Loaded::new(include_str!("../../../softdriver/tests/kernels/reduce.ptx"));
    let n = 100_000u32;
    // Whole numbers, whose sums are exact in any order.
    let x: Vec<f32> = (0..n).map(|i| (i % 13) as f32).collect();
    let (px, out) = (loaded.device.put(&x), loaded.device.room(4));
    loaded.launch("reduce", [7, 1, 1], [256, 1, 1], 0, params![n, px, out]).unwrap();
    let sum: f32 = x.iter().sum();
    assert_eq!(loaded.device.get::<f32>(out, 1), [sum]);
    assert_eq!(loaded.module.kernels[0].static_shared, 1024);
}

#[test]
fn matmul() {
    let loaded = Loaded::new(include_str!("../../../softdriver/tests/kernels/matmul.ptx"));
    let n = 40usize;
    let a: Vec<f32> = (0..n * n).map(|i| (i % 17) as f32 - 8.0).collect();
    let b: Vec<f32> = (0..n * n).map(|i| (i % 11) as f32 * 0.5).collect();
    let (pa, pb) = (loaded.device.put(&a), loaded.device.put(&b));
    let out = loaded.device.room(n * n * 4);
    let values = params![n as u32, pa, pb, out];
    loaded.launch("matmul", [3, 3, 1], [16, 16, 1], 0, values).unwrap();
    let got: Vec<f32> = loaded.device.get(out, n * n);
    for row in 0..n {
        for col in 0..n {
            let sum = (0..n).fold(0f32, |sum, k| a[row * n + k].mul_add(b[k * n + col], sum));
            assert_eq!(got[row * n + col], sum, "{row}, {col}");
        }
    }
}

fn branchy(v: i32) -> i32 {
    let mut acc = 0i32;
    for j in 0..v & 15 {
        if v.wrapping_add(j) % 3 == 0 {
            for k in 0..j {
                if k == 5 {
                    break;
                }
                acc = acc.wrapping_add(k.wrapping_mul(v));
            }
        } else if (v ^ j) & 4 != 0 {
            acc -= j;
            continue;
        }
        acc = acc.wrapping_add(1);
    }
    match v % 9 {
        0 => acc += 100,
        1 => acc = acc.wrapping_mul(3),
        2 => acc = (acc - 7) ^ 0x55,
        3 => acc ^= 0x55,
        4 => acc = acc.wrapping_neg(),
        5 => acc = acc.wrapping_mul(acc).wrapping_add(1),
        6 => acc = acc.wrapping_add(v),
        7 => {
            while acc > 10 {
                acc /= 2;
            }
        }
        _ => acc = 42,
    }
    acc
}

#[test]
fn branches() {
    let loaded = Loaded::new(include_str!("../../../softdriver/tests/kernels/branches.ptx"));
    let x: Vec<i32> = (0..500).map(|i| i * 7919 % 1000 - 100).collect();
    let (px, out) = (loaded.device.put(&x), loaded.device.room(2000));
    loaded.launch("branches", [4, 1, 1], [128, 1, 1], 0, params![500u32, px, out]).unwrap();
    let got: Vec<i32> = loaded.device.get(out, 500);
    for (&x, &got) in x.iter().zip(&got) {
        assert_eq!(got, branchy(x), "of {x}");
    }
}

#[test]
fn calls() {
    let loaded = Loaded::new(include_str!("../../../softdriver/tests/kernels/branches.ptx"));
    let out = loaded.device.room(400);
    loaded.launch("calls", [1, 1, 1], [128, 1, 1], 0, params![100u32, out]).unwrap();
    let fibonacci = [0, 1, 1, 2, 3, 5, 8, 13, 21, 34];
    let got: Vec<u32> = loaded.device.get(out, 100);
    assert!(got.iter().enumerate().all(|(i, &got)| got == fibonacci[i % 10]), "{got:?}");
}

#[test]
fn calls_with_registers_and_structures() {
    let text = ".version 8.0\n.target sm_80\n.address_size 64\n\
        .func (.reg .u32 sum) add(.reg .u32 a, .reg .u32 b)\n{ add.u32 sum, a, b; ret; }\n\
        .func (.param .align 8 .b8 back[8]) swap(.param .align 8 .b8 both[8])\n\
        { .reg .b32 %x, %y; ld.param.v2.u32 {%x, %y}, [both]; st.param.u32 [back], %y;\n\
          st.param.u32 [back+4], %x; ret; }\n\
        .func forever() { call forever; ret; }\n\
        .visible .entry test(.param .u64 out) {\n\
        .reg .u64 %o; .reg .b32 %r<9>; .param .align 8 .b8 in[8]; .param .align 8 .b8 ret[8];\n\
        ld.param.u64 %o, [out]; mov.u32 %r1, %tid.x;\n\
        call (%r2), add, (%r1, 40);\n\
        st.param.v2.u32 [in], {%r2, %r1}; call.uni (ret), swap, (in);\n\
        ld.param.v2.u32 {%r3, %r4}, [ret]; mul.lo.u32 %r3, %r3, 1000; add.u32 %r3, %r3, %r4;\n\
        mad.wide.u32 %o, %r1, 4, %o; st.global.u32 [%o], %r3; exit; }\n\
        .visible .entry deep() { call forever; }";
    let loaded = Loaded::new(text);
    let out = loaded.device.room(256);
    loaded.launch("test", [1; 3], [64, 1, 1], 0, params![out]).unwrap();
    let got: Vec<u32> = loaded.device.get(out, 64);
    assert!((0..64).zip(&got).all(|(i, &got)| got == i * 1000 + i + 40), "{got:?}");
    assert_eq!(loaded.launch("deep", [1; 3], [1; 3], 0, &[]), Err(Fault::IllegalAddress));
}

#[test]
fn spin() {
    let loaded = Loaded::new(include_str!("../../../softdriver/tests/kernels/spin.ptx"));
    let start = Instant::now();
    loaded.launch("spin", [1; 3], [32, 1, 1], 0, params![20_000_000u64]).unwrap();
    assert!(start.elapsed() >= Duration::from_millis(20));
}

#[test]
fn clocks() {
    let loaded = Loaded::new(include_str!("../../../softdriver/tests/kernels/clock.ptx"));
    let (grid, block) = ([2u32, 3, 2], [10u32, 3, 2]);
    let threads = 60;
    let out = loaded.device.room(12 * threads * 128);
    loaded.launch("clocks", grid, block, 128, params![out]).unwrap();
    let got: Vec<u64> = loaded.device.get(out, 12 * threads * 16);
    for (at, o) in got.chunks(16).enumerate() {
        let (b, t) = ((at / threads) as u64, (at % threads) as u64);
        assert_eq!(o[0], (t % 10) | ((t / 10 % 3) << 10) | (t / 30) << 20);
        assert_eq!(o[1], 10 | 3 << 10 | 2 << 20);
        assert_eq!(o[2], (b % 2) | ((b / 2 % 3) << 10) | (b / 6) << 20);
        assert_eq!(o[3], 2 | 3 << 10 | 2 << 20);
        assert_eq!((o[4], o[5], o[6]), (t % 32, t / 32, 2));
        assert!(o[7] < o[8]);
        assert_eq!(o[9], (1 << (t % 32)) - 1);
        assert_eq!(o[10], u64::from(u32::MAX) - o[9]);
        assert_eq!((o[11], o[12]), (128, 128));
        assert!(o[13] > 1_600_000_000_000_000_000);
        assert!(o[15] > 0 && o[15] < 10_000_000_000);
    }
}

#[test]
fn trap() {
    let loaded = Loaded::new(include_str!("../../../softdriver/tests/kernels/trap.ptx"));
    assert_eq!(loaded.launch("trap_if", [2; 3], [4; 3], 0, params![0i32]), Ok(()));
    assert_eq!(loaded.launch("trap_if", [2; 3], [4; 3], 0, params![1i32]), Err(Fault::Trap));
}

#[test]
fn indexed_branch() {
    let got = body(
        "and.b32 %r1, %r0, 3;\nsetp.eq.u32 %p1, %r1, 3;\n@%p1 bra OTHER;\n\
         list: .branchtargets ZERO, ONE, TWO;\nbrx.idx %r1, list;\n\
         ZERO: mov.u32 %r2, 10; bra.uni DONE;\nONE: mov.u32 %r2, 11; bra DONE;\n\
         TWO: mov.u32 %r2, 12; bra DONE;\nOTHER: mov.u32 %r2, 13;\n\
         DONE: st.global.u32 [%lane], %r2;",
        &[0; 32],
    )
    .unwrap();
    assert_eq!(got, (0..32).map(|lane| 10 + lane % 4).collect::<Vec<_>>());
}

/// A lane that waits for one that is after it in the text.
#[test]
fn lanes_make_progress() {
    let got = body(
        "setp.eq.u32 %p1, %r0, 5;\n@%p1 bra SET;\n\
         WAIT: ld.volatile.global.u32 %r1, [%out];\nsetp.eq.u32 %p2, %r1, 0;\n@%p2 bra WAIT;\n\
         bra END;\nSET: st.volatile.global.u32 [%out], 1;\nEND:",
        &[0],
    );
    assert_eq!(got, Ok(vec![1]));
}

#[test]
fn barriers_that_cannot_complete() {
    let text = "setp.lt.u32 %p1, %r0, 7;\n@%p1 bra A;\nbar.sync 1;\nbra E;\nA: bar.sync 2;\nE:";
    assert_eq!(body(text, &[0]), Err(Fault::LaunchTimeout));
    assert_eq!(body("bar.sync 0, 64;", &[0]), Err(Fault::LaunchTimeout));
    // The low bits of the number count (F244): two threads at each.
    assert_eq!(body("bar.sync %r0;", &[0]), Err(Fault::LaunchTimeout));
    let crossed = "setp.eq.u32 %p1, %r0, 0;\n@%p1 bra A;\nbar.sync 1;\nbra E;\n\
        A: bar.warp.sync 3;\nE:";
    assert_eq!(body(crossed, &[0]), Err(Fault::LaunchTimeout));
    // Threads that have exited are not waited for.
    assert_eq!(body("setp.lt.u32 %p1, %r0, 7;\n@%p1 exit;\nbar.sync 0;", &[0]), Ok(vec![0]));
}

#[test]
fn barriers_by_count_and_with_reductions() {
    let loaded = Loaded::new(
        ".version 8.0\n.target sm_80\n.visible .entry test(.param .u64 out) {\n\
         .reg .u64 %o; .reg .b32 %r<9>; .reg .pred %p<5>; .shared .b32 box;\n\
         ld.param.u64 %o, [out]; mov.u32 %r1, %tid.x; mad.wide.u32 %o, %r1, 4, %o;\n\
         setp.lt.u32 %p1, %r1, 32; @%p1 bra MAKE;\n\
         bar.sync 3, 64; ld.shared.u32 %r2, [box]; bra JOIN;\n\
         MAKE: st.shared.u32 [box], 77; bar.arrive 3, 64; mov.u32 %r2, 1;\n\
         JOIN: setp.gt.u32 %p2, %r1, 40; bar.red.popc.u32 %r3, 0, %p2;\n\
         barrier.cta.red.or.pred %p3, 0, %p2; barrier.red.and.aligned.pred %p4, 0, !%p2;\n\
         @%p3 add.u32 %r3, %r3, 1000; @%p4 add.u32 %r3, %r3, 5000;\n\
         mad.lo.u32 %r2, %r2, 10000, %r3; st.global.u32 [%o], %r2; ret; }",
    );
    let out = loaded.device.room(256);
    loaded.launch("test", [1; 3], [64, 1, 1], 0, params![out]).unwrap();
    let got: Vec<u32> = loaded.device.get(out, 64);
    for (i, &got) in got.iter().enumerate() {
        assert_eq!(got, if i < 32 { 10_000 } else { 770_000 } + 1000 + 23, "thread {i}");
    }
}

#[test]
fn a_kernel_reports_its_parameters_memory_and_limits() {
    let module = Module::parse(
        ".version 8.0\n.target sm_80\n.extern .shared .align 16 .b8 dynamic[];\n\
         .shared .b8 unused[40000];\n.shared .align 4 .b8 used[10];\n\
         .entry test(.param .u8 a, .param .align 8 .b8 b[12], .param .u16 c)\n\
         .maxntid 8, 4, 2\n.minnctapersm 1\n{ .local .b8 own[20]; .reg .u64 %r;\n\
         mov.u64 %r, used; mov.u64 %r, dynamic; ret; }",
    )
    .unwrap();
    let kernel = &module.kernels[0];
    let places: Vec<_> = kernel.params.iter().map(|p| (p.offset, p.size, p.align)).collect();
    assert_eq!(places, [(0, 1, 1), (8, 12, 8), (20, 2, 2)]);
    assert_eq!((kernel.param_bytes, kernel.static_shared), (22, 10));
    assert_eq!(kernel.local_bytes, 32);
    assert_eq!((kernel.block.max_threads, kernel.block.required), (Some(64), None));
    assert!(kernel.registers > 0);
    assert_eq!(module.target, 80);
}
