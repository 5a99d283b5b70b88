//! Matrices of a warp: `wmma`, `stmatrix` and `movmatrix`.

use std::fmt::Write as _;

use super::super::fragment::{Element, Fragment, Role, Sum};
use super::super::run::matrix::{bits, cut, dot, value};
use super::device::{Loaded, params};

/// Registers of a kind, from a number on.
fn vector(kind: &str, from: usize, count: usize) -> String {
    let list: Vec<String> = (from..from + count).map(|at| format!("%{kind}{at}")).collect();
    format!("{{{}}}", list.join(", "))
}

/// A kernel of a body with four pointers.
fn kernel(body: &str) -> Loaded {
    Loaded::new(&format!(
        ".version 8.7\n.target sm_90\n.address_size 64\n\
         .visible .entry test(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d)\n{{\n\
         .reg .b32 %r<99>; .reg .f32 %f<99>; .reg .f64 %fd<99>; .reg .b64 %rd<9>;\n\
         .shared .align 128 .b8 tile[1024];\n\
         ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u64 %rd3, [c]; ld.param.u64 %rd4, [d];\n\
         {body}\nret;\n}}\n"
    ))
}

/// Small whole numbers, which all types have.
fn pattern(element: Element, index: usize) -> f64 {
    let number = (index * 7 + index / 5) % 13;
    match element {
        Element::B1 => (number % 2) as f64,
        Element::U8 | Element::U4 => number as f64,
        _ => number as f64 - 6.0,
    }
}

/// A value's bits in memory.
fn stored(element: Element, value: f64) -> u64 {
    match element {
        Element::BF16 => u64::from((value as f32).to_bits() >> 16),
        Element::S8 | Element::S4 | Element::U8 | Element::U4 | Element::B1 => {
            (value as i64).cast_unsigned() & ((1 << element.bits()) - 1)
        }
        _ => bits(element, value, false),
    }
}

/// A matrix's bytes: each line begins a stride of elements after the one before.
fn bytes(
    element: Element,
    (rows, columns): (usize, usize),
    by_rows: bool,
    stride: usize,
) -> Vec<u8> {
    let lines = if by_rows { rows } else { columns };
    let mut out = vec![0u8; lines * stride * element.bits() / 8 + 8];
    for row in 0..rows {
        for column in 0..columns {
            let (line, within) = if by_rows { (row, column) } else { (column, row) };
            let at = (line * stride + within) * element.bits();
            let word = stored(element, pattern(element, row * columns + column));
            for bit in 0..element.bits() {
                out[(at + bit) / 8] |= ((word >> bit & 1) as u8) << ((at + bit) % 8);
            }
        }
    }
    out
}

/// `wmma` of a shape and types, with the layouts of its matrices.
fn wmma(shape: [usize; 3], types: [&str; 3], lines: [&str; 3], suffix: &str) {
    let [m, n, k] = shape;
    let [element, c, d] = types.map(|name| Element::named(name).unwrap());
    let registers = |role, element: Element, rows, columns| {
        let least = Fragment::new(role, element, rows, columns).registers();
        if role != Role::C && element == Element::F16 { 8 } else { least }
    };
    let kind = |element: Element| match element {
        Element::F32 => "f",
        Element::F64 => "fd",
        _ => "r",
    };
    let vectors = [
        vector(kind(element), 1, registers(Role::A, element, m, k)),
        vector(kind(element), 10, registers(Role::B, element, k, n)),
        vector(kind(c), 20, registers(Role::C, c, m, n)),
        vector(kind(d), 30, registers(Role::C, d, m, n)),
    ];
    let size = format!("m{m}n{n}k{k}");
    let by_rows = lines.map(|line| line == "row");
    // Lines have room between them, but in `d`.
    let stride = |by_rows: bool, rows, columns| (if by_rows { columns } else { rows }) + 32;
    let strides = [stride(by_rows[0], m, k), stride(by_rows[1], k, n), stride(by_rows[2], m, n)];
    let mut text = String::new();
    for (at, (name, element)) in
        [("a", types[0]), ("b", types[0]), ("c", types[1])].iter().enumerate()
    {
        writeln!(
            text,
            "wmma.load.{name}.sync.aligned.{}.{size}.global.{element} {}, [%rd{}], {};",
            lines[at],
            vectors[at],
            at + 1,
            strides[at]
        )
        .unwrap();
    }
    let [e, c_name, d_name] = types;
    let (before, types) = match element {
        Element::F16 => (String::new(), format!("{d_name}.{c_name}")),
        Element::B1 => (suffix.to_owned(), format!("{d_name}.{e}.{e}.{c_name}")),
        _ => (String::new(), format!("{d_name}.{e}.{e}.{c_name}")),
    };
    let [a, b, c_list, d_list] = &vectors;
    writeln!(
        text,
        "wmma.mma{before}.sync.aligned.{}.{}.{size}.{types} {d_list}, {a}, {b}, {c_list};\n\
         wmma.store.d.sync.aligned.row.{size}.global.{d_name} [%rd4], {d_list};",
        lines[0], lines[1]
    )
    .unwrap();
    let loaded = kernel(&text);
    let place = |element, extents, by_rows, stride| {
        loaded.device.place(&bytes(element, extents, by_rows, stride))
    };
    let pa = place(element, (m, k), by_rows[0], strides[0]);
    let pb = place(element, (k, n), by_rows[1], strides[1]);
    let pc = place(c, (m, n), by_rows[2], strides[2]);
    let pd = loaded.device.room(m * n * 8);
    loaded.launch("test", [1; 3], [32, 1, 1], 0, params![pa, pb, pc, pd]).unwrap();
    let width = d.bits() / 8;
    let out: Vec<u8> = loaded.device.get(pd, m * n * width);
    for row in 0..m {
        for column in 0..n {
            let term = |at: usize| {
                let a = pattern(element, row * k + at);
                let b = pattern(element, at * n + column);
                if suffix == ".xor.popc" { (a - b).abs() } else { a * b }
            };
            let wanted = pattern(c, row * n + column) + (0..k).map(term).sum::<f64>();
            let mut word = [0; 8];
            word[..width].copy_from_slice(&out[(row * n + column) * width..][..width]);
            let got = value(d, u64::from_le_bytes(word));
            assert_eq!(got, wanted, "{size} {types} {lines:?} {row} {column}");
        }
    }
}

#[test]
fn wmma_of_every_type() {
    for shape in [[16, 16, 16], [32, 8, 16], [8, 32, 16]] {
        for (a, b, c) in [("row", "col", "row"), ("col", "row", "col"), ("row", "row", "row")] {
            for (c_type, d_type) in [("f32", "f32"), ("f16", "f16"), ("f16", "f32"), ("f32", "f16")]
            {
                wmma(shape, ["f16", c_type, d_type], [a, b, c], "");
            }
            for element in ["bf16", "s8", "u8"] {
                let sum = if element == "bf16" { "f32" } else { "s32" };
                wmma(shape, [element, sum, sum], [a, b, c], "");
            }
        }
    }
    for (a, b, c) in [("row", "col", "row"), ("col", "row", "col")] {
        wmma([16, 16, 8], ["tf32", "f32", "f32"], [a, b, c], "");
        wmma([8, 8, 4], ["f64", "f64", "f64"], [a, b, c], "");
    }
    for c in ["row", "col"] {
        for element in ["s4", "u4"] {
            wmma([8, 8, 32], [element, "s32", "s32"], ["row", "col", c], "");
        }
        for suffix in [".xor.popc", ".and.popc"] {
            wmma([8, 8, 128], ["b1", "s32", "s32"], ["row", "col", c], suffix);
        }
    }
}

#[test]
fn matrices_of_eight_rows() {
    let loaded = kernel(
        "mov.u32 %r0, %tid.x; mul.wide.u32 %rd5, %r0, 4; add.u64 %rd1, %rd1, %rd5; add.u64 %rd4, %rd4, %rd5;\n\
         ld.global.u32 %r1, [%rd1]; ld.global.u32 %r2, [%rd1+128];\n\
         mov.u32 %r3, tile; and.b32 %r4, %r0, 15; mad.lo.u32 %r4, %r4, 16, %r3;\n\
         stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r4], {%r1, %r2};\n\
         ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r5, %r6}, [%r4];\n\
         st.global.u32 [%rd4], %r5; st.global.u32 [%rd4+128], %r6;\n\
         stmatrix.sync.aligned.m8n8.x1.trans.shared::cta.b16 [%r4], {%r1};\n\
         ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r5}, [%r4];\n\
         movmatrix.sync.aligned.m8n8.trans.b16 %r6, %r1;\n\
         st.global.u32 [%rd4+256], %r5; st.global.u32 [%rd4+384], %r6;",
    );
    let words: Vec<u32> = (0..64).map(|i| (2 * i) | (2 * i + 1) << 16).collect();
    let (a, d) = (loaded.device.put(&words), loaded.device.room(512));
    loaded.launch("test", [1; 3], [32, 1, 1], 0, params![a, 0u64, 0u64, d]).unwrap();
    let got: Vec<u32> = loaded.device.get(d, 128);
    assert_eq!(got[..64], words);
    for lane in 0..32 {
        let (row, column) = (lane / 4, lane % 4 * 2);
        // Element (row, column) of the matrix is 8 * row + column.
        let wanted = (8 * column + row) | (8 * (column + 1) + row) << 16;
        assert_eq!(got[64 + lane], wanted as u32, "stored by columns, lane {lane}");
        assert_eq!(got[96 + lane], wanted as u32, "moved, lane {lane}");
    }
}

/// A sum of an H100: how it is formed, `c`, the factors, and the result's bits.
type Measured = (Sum, u32, &'static [(f64, f64)], u32);

/// Those that one rounding of the exact sum would not give.
#[rustfmt::skip]
const MEASURED: &[Measured] = &[
    (Sum::Aligned(-14), 0x40554916, &[(0.9833984375, 0.00632476806640625), (-1.1318359375, -0.8271484375), (3.5390625, 0.63720703125), (0.07598876953125, -0.045379638671875), (-0.94189453125, 0.5693359375), (1.103515625, -0.130126953125), (0.595703125, 0.0479736328125), (-0.7734375, -0.09185791015625)], 0x40be4940),
    (Sum::Aligned(-14), 0xbe46e76e, &[(-0.220703125, 0.43701171875), (-15.9453125, 1.9189453125), (-15.828125, -1.783203125), (-1.1376953125, -1.556640625), (1.4892578125, -0.0086669921875), (-0.74560546875, -0.9287109375), (0.313720703125, -1.19140625), (0.5029296875, 0.055908203125)], 0xbf0f2a18),
    (Sum::Aligned(-126), 0x4049a611, &[(1.3740234375, 10.3984375), (1.5966796875, 6.31640625), (-0.74560546875, -1.755859375), (0.9931640625, -15.8359375), (0.67529296875, -1.4052734375), (-1.642578125, -0.65966796875), (-0.34326171875, 0.08795166015625), (-0.2841796875, -0.1011962890625)], 0x4153d069),
    (Sum::Aligned(-126), 0xc0595d09, &[(1.3740234375, -1.857421875), (1.5966796875, -1.794921875), (-0.74560546875, 0.206298828125), (0.9931640625, 9.6640625), (0.67529296875, -0.9541015625), (-1.642578125, 1.8203125), (-0.34326171875, -0.8125), (-0.2841796875, -0.271728515625)], 0xc0297ec1),
    (Sum::Halved(2), 0xbe43db8e, &[(-0.109375, -5.0), (7.5, -0.0003662109375), (0.1171875, -0.0390625), (0.28125, 0.0), (0.009765625, 5.0), (-1.25, 9.1552734375e-05), (416.0, 48.0), (0.40625, 0.0068359375), (-1.625, -0.1875), (128.0, 0.25), (-0.8125, -0.4375), (-1.5, 0.000152587890625), (-22.0, -40.0), (-0.021484375, 20.0), (88.0, -1.5), (-0.34375, 1.25)], 0x46a21866),
    (Sum::Halved(2), 0xbe940e93, &[(-0.109375, -0.09375), (7.5, -0.1875), (0.1171875, -0.000152587890625), (0.28125, -0.046875), (0.009765625, 0.01953125), (-1.25, -0.000152587890625), (416.0, -0.015625), (0.40625, -0.0001068115234375), (-1.625, 0.5), (128.0, 20.0), (-0.8125, -0.0234375), (-1.5, -0.125), (-22.0, 32.0), (-0.021484375, -9.1552734375e-05), (88.0, -0.09375), (-0.34375, -7.0)], 0x44e62b45),
];

#[test]
fn sums_have_the_bits_of_the_hardware() {
    for &(sum, c, pairs, wanted) in MEASURED {
        let exact = dot(sum, f64::from(f32::from_bits(c)), pairs);
        let got = bits(Element::F32, cut(sum, Element::F32, exact), false);
        assert_eq!(got, u64::from(wanted), "{sum:?} {pairs:?}");
    }
}
