//! Which products the assembler makes a part of the sums that take them: what NVIDIA's assembler 13.0 made of each text.

use super::device::{Loaded, params, source};

/// Returns the values that instructions put into two registers, with a number whose square is 1 + 2^-11 + 2^-24, of which a
/// rounding leaves 1 + 2^-11.
fn stored(text: &str) -> [u32; 2] {
    let start = "mov.f32 %f1, 0f3F800800; mov.f32 %f2, 0f3F800800; mov.f32 %f3, 0fBF801000; mov.f32 %f4, 0f3F801000;
        mov.f32 %f7, 0fBF001000; mov.f32 %f8, 0f00000000; mov.f32 %f0, 0f00000000; mov.u32 %r2, %tid.x; setp.eq.u32 %p1, %r2, 0;";
    let end = "st.global.f32 [%out], %f8; st.global.f32 [%out+4], %f0;";
    let loaded = Loaded::new(&source(&format!("{start}\n{text}\n{end}")));
    let out = loaded.device.put(&[7u32; 2]);
    loaded.launch("test", [1, 1, 1], [1, 1, 1], 0, params![out]).unwrap();
    loaded.device.get(out, 2).try_into().unwrap()
}

/// 2^-24, what a rounding of the product takes away, its negative, and none.
const MORE: u32 = 0x3380_0000;
const LESS: u32 = 0xb380_0000;

#[test]
fn a_product_is_fused_with_the_sums_that_alone_take_it() {
    for (text, what) in [
        ("mul.f32 %f5, %f1, %f2; add.f32 %f8, %f5, %f3;", [MORE, 0]),
        ("mul.f32 %f5, %f1, %f2; add.f32 %f8, %f3, %f5;", [MORE, 0]),
        ("mul.f32 %f5, %f1, %f2; sub.f32 %f8, %f5, %f4;", [MORE, 0]),
        ("mul.f32 %f5, %f1, %f2; sub.f32 %f8, %f4, %f5;", [LESS, 0]),
        ("mul.f32 %f5, %f1, %f2; neg.f32 %f6, %f5; add.f32 %f8, %f6, %f4;", [LESS, 0]),
        ("mul.f32 %f5, %f1, %f2; neg.f32 %f6, %f5; sub.f32 %f8, %f6, %f3;", [LESS, 0]),
        ("mul.f32 %f5, %f1, %f2; neg.f32 %f6, %f5; sub.f32 %f8, %f3, %f6;", [MORE, 0]),
        ("mul.f32 %f5, %f1, %f2; add.f32 %f8, %f5, %f3; add.f32 %f0, %f5, %f3;", [MORE, MORE]),
        ("mul.f32 %f5, %f1, %f2; add.f32 %f8, %f3, %f5; sub.f32 %f0, %f4, %f5;", [MORE, LESS]),
        ("mul.ftz.f32 %f5, %f1, %f2; add.ftz.f32 %f8, %f5, %f3;", [MORE, 0]),
        ("mul.f32 %f5, %f1, %f2; @%p1 add.f32 %f8, %f5, %f3;", [MORE, 0]),
        ("mul.f32 %f5, %f1, %f2; mov.f32 %f6, %f5; add.f32 %f8, %f6, %f3;", [MORE, 0]),
        (
            "mul.f32 %f5, %f1, %f2; mov.b32 %r3, %f5; mov.b32 %f6, %r3; sub.f32 %f8, %f4, %f6;",
            [LESS, 0],
        ),
        ("mul.f32 %f5, %f1, %f2; NEVER: add.f32 %f8, %f5, %f3;", [MORE, 0]),
        (
            "mul.f32 %f5, %f1, %f2; add.f32 %f8, %f5, %f3; @%p2 tex.1d.v4.f32.s32 {%f2, %f6, %f7, %f4}, [%rd1, {%r1}];",
            [MORE, 0],
        ),
        // The registers are other values afterwards.
        ("mul.f32 %f1, %f1, %f2; add.f32 %f8, %f1, %f3;", [MORE, 0]),
        ("mul.f32 %f5, %f1, %f2; add.f32 %f5, %f5, %f3; mov.f32 %f8, %f5;", [MORE, 0]),
        (
            "mul.f32 %f5, %f1, %f2; add.f32 %f8, %f5, %f3; mov.f32 %f5, %f4; mov.f32 %f0, %f5;",
            [MORE, 0x3f80_1000],
        ),
    ] {
        assert_eq!(stored(text), what, "{text}");
    }
}

#[test]
fn a_product_that_is_computed_anyway_is_not_fused() {
    for text in [
        "mul.rn.f32 %f5, %f1, %f2; add.f32 %f8, %f5, %f3;",
        "mul.f32 %f5, %f1, %f2; add.rn.f32 %f8, %f5, %f3;",
        "mul.ftz.f32 %f5, %f1, %f2; add.f32 %f8, %f5, %f3;",
        "mul.f32 %f5, %f1, %f2; add.ftz.f32 %f8, %f5, %f3;",
        "mul.f32 %f5, %f1, %f2; @%p1 bra L; mov.f32 %f3, 0f00000000; L: add.f32 %f8, %f5, %f3;",
        "mul.f32 %f5, %f1, %f2; abs.f32 %f6, %f5; add.f32 %f8, %f6, %f3;",
        "mov.f32 %f5, %f4; @%p1 mul.f32 %f5, %f1, %f2; @%p1 add.f32 %f8, %f5, %f3;",
    ] {
        assert_eq!(stored(text), [0, 0], "{text}");
    }
    let twice = "mul.f32 %f5, %f1, %f2; add.f32 %f8, %f5, %f3; mov.f32 %f0, %f5;";
    assert_eq!(stored(twice), [0, 0x3f80_1000]);
    let by_product = "mul.f32 %f5, %f1, %f2; add.f32 %f8, %f5, %f3; mul.f32 %f0, %f5, %f8;";
    assert_eq!(stored(by_product), [0, 0]);
    let in_loop =
        "mov.u32 %r1, 0; mov.f32 %f5, %f4; L: add.f32 %f8, %f5, %f3; mul.f32 %f5, %f1, %f2;
        add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 2; @%p1 bra L;";
    assert_eq!(stored(in_loop), [0, 0]);
}

/// Between a product and its sum: what the assembler makes branches of, and what not.
#[test]
fn a_stretch_of_code_ends_where_the_assembler_branches() {
    for (between, ends) in [
        ("@%p1 ld.global.f32 %f7, [%out];", true),
        ("ld.global.f32 %f7, [%out];", false),
        ("@%p1 st.global.f32 [%out], %f4;", true),
        ("st.global.f32 [%out], %f4;", false),
        ("@%p1 bar.sync 0;", true),
        ("bar.sync 0;", false),
        ("@%p1 shfl.sync.idx.b32 %r3, %r2, 0, 31, 1;", true),
        ("shfl.sync.idx.b32 %r3, %r2, 0, 31, 1;", false),
        ("@%p1 add.cc.u32 %r3, %r2, 1;", true),
        ("add.cc.u32 %r3, %r2, 1;", false),
        ("@%p1 mov.f32 %f7, %f4;", false),
        ("@%p1 cvt.rn.f32.u32 %f7, %r2;", false),
        ("@%p1 mov.u32 %r3, %clock;", false),
        ("membar.gl;", true),
        ("fence.acq_rel.gpu;", true),
        ("pmevent 1;", true),
        ("div.rn.f32 %f7, %f4, %f3;", true),
        ("rcp.rz.f32 %f7, %f4;", true),
        ("sqrt.rn.f32 %f7, %f4;", true),
        ("sqrt.rn.f64 %fd1, %fd2;", true),
        ("rsqrt.approx.f64 %fd1, %fd2;", true),
        ("rsqrt.approx.ftz.f64 %fd1, %fd2;", false),
        ("div.full.f32 %f7, %f4, %f3;", false),
        ("rcp.approx.f32 %f7, %f4;", false),
        ("rem.u32 %r3, %r2, 3;", false),
        ("rem.s32 %r3, %r2, 3;", true),
        ("div.u64 %rd1, %rd2, 3;", true),
    ] {
        let text = format!("mul.f32 %f5, %f1, %f2; {between} add.f32 %f8, %f5, %f3;");
        assert_eq!(stored(&text), [if ends { 0 } else { MORE }, 0], "{text}");
        // The other product is in the stretch of the sum.
        let text = format!(
            "mul.f32 %f5, %f7, 0f40000000; {between} mul.f32 %f6, %f1, %f2; mov.f32 %f7, 0fBF001000; add.f32 %f8, %f5, %f6;"
        );
        if ends && !between.contains("%f7") {
            assert_eq!(stored(&text), [MORE, 0], "{text}");
        }
    }
}

#[test]
fn of_a_sum_of_two_products_the_first_is_fused() {
    let first = "mul.f32 %f5, %f1, %f2; mul.f32 %f6, %f7, 0f40000000; add.f32 %f8, %f5, %f6;";
    assert_eq!(stored(first), [MORE, 0]);
    let second = "mul.f32 %f5, %f7, 0f40000000; mul.f32 %f6, %f1, %f2; add.f32 %f8, %f5, %f6;";
    assert_eq!(stored(second), [0, 0]);
    // Two sums take the first, one the second; and the other way around.
    let fewer = "mul.f32 %f5, %f7, 0f40000000; mul.f32 %f6, %f1, %f2; add.f32 %f8, %f5, %f6; add.f32 %f0, %f5, %f4;";
    assert_eq!(stored(fewer), [MORE, 0]);
    let more = "mul.f32 %f5, %f7, 0f40000000; mul.f32 %f6, %f1, %f2; add.f32 %f8, %f5, %f6; add.f32 %f0, %f6, %f3;";
    assert_eq!(stored(more), [0, 0]);
    // The first is computed anyway, and so the second is fused.
    let other = "mul.f32 %f5, %f7, 0f40000000; mul.f32 %f6, %f1, %f2; add.f32 %f8, %f5, %f6; abs.f32 %f0, %f5;";
    assert_eq!(stored(other), [MORE, 0x3f80_1000]);
}

#[test]
fn the_result_of_a_function_is_computed() {
    let function = ".func (.reg .f32 r) both(.reg .f32 a, .reg .f32 c, .reg .u64 at) {
        .reg .f32 s; mul.f32 r, a, a; add.f32 s, r, c; st.global.f32 [at], s; ret; }";
    let call =
        "mov.f32 %f1, 0f3F800800; mov.f32 %f3, 0fBF801000; call (%f2), both, (%f1, %f3, %out);
        st.global.f32 [%out+4], %f2;";
    let text = source(call).replace(".visible .entry", &format!("{function}\n.visible .entry"));
    let loaded = Loaded::new(&text);
    let out = loaded.device.put(&[7u32; 2]);
    loaded.launch("test", [1, 1, 1], [1, 1, 1], 0, params![out]).unwrap();
    assert_eq!(loaded.device.get::<u32>(out, 2), [0, 0x3f80_1000]);
}
