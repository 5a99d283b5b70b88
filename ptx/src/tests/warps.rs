//! Operations of a whole warp.

use super::super::Module;
use super::device::{Loaded, body, params, source};

const PTX: &str = include_str!("../../../softdriver/tests/kernels/warp_sum.ptx");

#[test]
fn warp_sum() {
    let loaded = Loaded::new(PTX);
    let x: Vec<u32> = (0..200).map(|i| i * i).collect();
    let (px, out) = (loaded.device.put(&x), loaded.device.room(32));
    loaded.launch("warp_sum", [2, 1, 1], [128, 1, 1], 0, params![200u32, px, out]).unwrap();
    let got: Vec<u32> = loaded.device.get(out, 8);
    for (warp, &got) in got.iter().enumerate() {
        let of: u32 = x.iter().skip(32 * warp).take(32).sum();
        assert_eq!(got, of, "warp {warp}");
    }
}

#[test]
fn warp_operations() {
    let loaded = Loaded::new(PTX);
    let x: Vec<u32> = (0..32).map(|i| i * 37 % 29).collect();
    let (px, out) = (loaded.device.put(&x), loaded.device.room(9 * 128));
    loaded.launch("warp_ops", [1; 3], [32, 1, 1], 0, params![px, out]).unwrap();
    let got: Vec<u32> = loaded.device.get(out, 9 * 32);
    let mask = |test: &dyn Fn(usize) -> bool| {
        (0..32).filter(|&i| test(i)).fold(0u32, |all, i| all | 1 << i)
    };
    let ballot = mask(&|i| x[i] & 1 == 1);
    for i in 0..32 {
        let row = |row: usize| got[32 * row + i];
        assert_eq!(row(0), x[i ^ 5], "xor, lane {i}");
        assert_eq!(row(1), x[if i >= 3 { i - 3 } else { i }], "up, lane {i}");
        assert_eq!(row(2), x[i & !7 | (i + 1) & 7], "idx, lane {i}");
        assert_eq!(row(3), x[if i % 4 < 2 { i + 2 } else { i }], "down, lane {i}");
        assert_eq!(row(4), ballot);
        assert_eq!(row(5), u32::from(x.contains(&7)) << 1 | 1);
        assert_eq!(row(6), mask(&|j| x[j] & 3 == x[i] & 3), "match, lane {i}");
        assert_eq!(row(7), 0);
        let part = if i % 2 == 1 {
            0xaaaa_aaaa ^ x[i ^ 2]
        } else {
            mask(&|j| j % 2 == 0 && x[j] & 2 != 0)
        };
        assert_eq!(row(8), part, "divergent, lane {i}");
    }
}

#[test]
fn reductions() {
    let text = "sub.s32 %r1, %r0, 7;\nredux.sync.add.s32 %r2, %r1, -1;\n\
        redux.sync.min.s32 %r3, %r1, -1;\nredux.sync.max.u32 %r4, %r1, -1;\n\
        redux.sync.xor.b32 %r5, %r0, -1;\nmatch.all.sync.b32 %r6|%p1, 5, -1;\n\
        st.global.v4.u32 [%out], {%r2, %r3, %r4, %r5};\nst.global.u32 [%out+16], %r6;";
    let got = body(text, &[0; 8]).unwrap();
    assert_eq!(got[..5], [272, (-7i32) as u32, u32::MAX, 0, u32::MAX]);
}

/// The forms before `.sync` take the lanes that are there.
#[test]
fn without_sync() {
    let text = "setp.lt.u32 %p1, %r0, 8;\nvote.ballot.b32 %r1, %p1;\n@!%p1 bra END;\n\
        shfl.down.b32 %r2|%p2, %r0, 1, 31;\nshfl.idx.b32 %r3, %r0, 2, 0x1f;\n\
        vote.all.pred %p3, %p1;\nselp.u32 %r4, 1, 0, %p3;\nactivemask.b32 %r5;\n\
        setp.ne.u32 %p4, %r0, 0;\n@%p4 bra END;\n\
        st.global.v4.u32 [%out], {%r1, %r2, %r3, %r4};\nst.global.u32 [%out+16], %r5;\nEND:";
    let text = source(text);
    let loaded =
        Loaded::new(&text.replace(".version 8.0\n.target sm_80", ".version 6.3\n.target sm_70"));
    let out = loaded.device.room(20);
    loaded.launch("test", [1; 3], [32, 1, 1], 0, params![out]).unwrap();
    assert_eq!(loaded.device.get::<u32>(out, 5), [0xff, 1, 2, 1, 0xff]);
    let refused = Module::parse(&text).unwrap_err();
    assert!(refused.log.contains("without '.sync'"), "{}", refused.log);
}

/// Lanes meet at operations that stand at different places.
#[test]
fn meeting_at_two_places() {
    let text = "and.b32 %r1, %r0, 1;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra EVEN;\n\
        add.u32 %r2, %r0, 100;\nshfl.sync.bfly.b32 %r3, %r2, 1, 31, -1;\nbra END;\n\
        EVEN: shfl.sync.bfly.b32 %r3, %r0, 1, 31, -1;\nEND: bar.warp.sync -1;\n\
        st.global.u32 [%lane], %r3;";
    let wanted: Vec<u32> =
        (0..32).map(|i: u32| (i ^ 1) + if i.is_multiple_of(2) { 100 } else { 0 }).collect();
    assert_eq!(body(text, &[0; 32]), Ok(wanted));
}
