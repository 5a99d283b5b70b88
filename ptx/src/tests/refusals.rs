//! Texts that are refused, and how the log names the mistake.

use super::super::{Module, ParseErrorKind};
use super::device::source;

fn log(body: &str) -> String {
    match Module::parse(&source(body)) {
        Ok(_) => panic!("not refused: {body}"),
        Err(error) => {
            assert_eq!(error.kind, ParseErrorKind::InvalidPtx);
            error.log
        }
    }
}

#[test]
fn instructions_are_named() {
    for opcode in [
        "wmma.load.a.sync.aligned.row.m16n16k16.global.f16",
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32",
        "add.rz.f16",
        "add.ftz.f64",
        "sqrt.approx.f64",
        "sqrt.f32",
        "add.u8",
        "min.s16x2",
        "cp.async.bulk.shared::cluster.global",
        "cp.async.bulk.tensor.3d.shared::cluster.global.im2col::w.mbarrier::complete_tx::bytes",
        "cp.async.bulk.tensor.3d.global.shared::cta.im2col.bulk_group",
        "tensormap.replace.rank.shared::cta.b1024.b32",
        "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.acquire.gpu.sync.aligned",
        "tex.2d.v4.f32.s32",
        "setp.lt.b32",
        "setp.frob.s32",
        "shl.u32",
        "fma.f32",
        "mul.s32",
        "ld.global.v8.f32",
        "ld.global.v4.f64",
        "ld.frob.u32",
        "atom.global.min.f16x2",
        "bar.frob",
        "frobnicate",
    ] {
        let log = log(&format!("{opcode} %r1, %r2, %r3;"));
        assert!(log.contains(&format!("'{opcode}'")), "{log}");
        assert!(log.starts_with("ptxas application ptx input, line 16; error   : "), "{log}");
        assert!(log.ends_with("ptxas fatal   : Ptx assembly aborted due to errors\n"), "{log}");
    }
}

#[test]
fn statements() {
    for (body, message) in [
        ("add.u32 %r1, %r2;", "Incorrect number of operands"),
        ("add.u32 %r1, %r2, %r3, %r4;", "Incorrect number of operands"),
        ("add.u32 %r1, %r2, %r20;", "Unknown symbol '%r20'"),
        ("add.u32 %r1, %r2, %r01;", "Unknown symbol '%r01'"),
        ("add.u32 %r1, %r2, %rd1;", "Arguments mismatch"),
        ("cvt.rzi.u8.bf16 %rs1, %rs2;", "Arguments mismatch"),
        ("add.f32 %f1, %f2, 1;", "Arguments mismatch"),
        ("add.u32 %r1, %r2, 1.5;", "Arguments mismatch"),
        ("add.u32 1, %r2, 1;", "Arguments mismatch"),
        ("ld.volatile.global.L1::no_allocate.u32 %r1, [%rd1];", "is not supported"),
        ("cvt.u32.u16 %r1, %fd1;", "Arguments mismatch"),
        ("vmax.s32.s32.s32.min %r1, %r2, %r3, %r1;", "is not supported"),
        ("vmad.s32.s32.s32.sat %r1, %r2, %r3, %r1;", "is not supported"),
        ("vadd2.s32.s32.s32 %r1.h2, %r2, %r3, %r1;", "Unknown selector '.h2'"),
        ("testp.finite.number.f32 %p1, %f1;", "is not supported"),
        ("add.u32 %r1, [%r2], 1;", "Arguments mismatch"),
        ("mov.u32 %r1, %frob;", "Unknown symbol '%frob'"),
        ("mov.u32 %r1, %tid.q;", "Unknown symbol '%tid.q'"),
        ("mov.u64 %rd1, frob;", "Unknown symbol 'frob'"),
        ("bra NOWHERE;", "Unknown symbol 'NOWHERE'"),
        ("{ IN: } bra IN;", "Unknown symbol 'IN'"),
        ("{ .reg .u32 x; } mov.u32 x, 1;", "Unknown symbol 'x'"),
        ("L: L:", "Duplicate definition of label 'L'"),
        (".reg .u32 x; .reg .u32 x;", "Duplicate definition of variable 'x'"),
        (".reg .f8 x;", "Type '.f8' is not supported"),
        (".reg .bf16 x;", "This type is not allowed here"),
        ("@%r1 bra L; L:", "Arguments mismatch"),
        ("call frob;", "Unknown symbol 'frob'"),
        ("call %rd1;", "a prototype is expected"),
        ("ld.global.v2.u32 {%r1}, [%rd1];", "Arguments mismatch"),
        ("ld.global.u32 %r1, %rd1;", "an address is expected"),
        ("tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}], %f7;", "comparison of depth"),
        ("tld4.r.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}], {1, 1}, %f7;", "of depth"),
        (".reg .v4 .f64 v;", "exceeds 128 bit limit"),
        (".reg .v2 .pred v;", "This type is not allowed here"),
        (".reg .v2 .u32 v; mov.u32 v.q, 1;", "Unknown symbol 'v.q'"),
        (".reg .v2 .u32 v; mov.u32 v.z, 1;", "Unknown symbol 'v.z'"),
        (".reg .v2 .u32 v; mov.u32 v, 1;", "Arguments mismatch"),
        (".reg .v2 .u32 v; ld.global.v4.u32 v, [%rd1];", "the vector's length"),
        (".reg .v2 .u64 v; ld.global.u32 %r1, [v.x];", "is not an address"),
        (".reg .v2 .u32 v; mov.b64 v, {%r1, %r2};", "two vectors"),
        ("mov.v2.u32 {%r1, %r2}, %r1;", "Arguments mismatch"),
        ("mbarrier.test_wait.parity.shared.b64 %p1, [%r1], 2;", "a parity of 0 or 1"),
        ("ld.shared.u32 %r1, [out];", "State space mismatch"),
        ("st.param.u64 [out], 1;", "cannot be stored to"),
        ("cvt.f32.s32 %f1, %r1;", "rounding modifier"),
        ("cvt.s32.f32 %r1, %f1;", "rounding modifier"),
        ("bar.sync 16;", "Barrier number is out of range"),
        (".shared .b8 big[49153]; mov.u64 %rd1, big;", "uses too much shared data"),
        (".local .b8 big[1000000];", "uses too much local data"),
        ("add.u32 %r1, %r2 %r3;", "Parsing error near '%r3'"),
        ("add.u32 %r1, %r2, 0xf234567812345678f;", "Invalid number"),
        ("add.u32 %r1, %r2, 99999999999999999999;", "Invalid number"),
        ("mov.f32 %f1, 0f3F80;", "Invalid number"),
        ("add.u32 %r1, %r2, #;", "Unexpected character '#'"),
        (".frob;", "Directive '.frob' is not allowed here"),
        ("ret; } }", "directive expected"),
    ] {
        let log = log(body);
        assert!(log.contains(message), "{body}: {log}");
    }
}

#[test]
fn every_error_is_listed() {
    let log = log("frob.a;\nadd.u32 %r1, %r2, %r3;\nfrob.b;");
    assert_eq!(log.lines().count(), 3, "{log}");
    assert!(log.contains("line 16; error   : Instruction 'frob.a'"), "{log}");
    assert!(log.contains("line 18; error   : Instruction 'frob.b'"), "{log}");
}

#[test]
fn headers() {
    use ParseErrorKind::{InvalidPtx, UnsupportedVersion};
    for (text, kind) in [
        ("", InvalidPtx),
        ("\0\0", InvalidPtx),
        (".target sm_80", InvalidPtx),
        (".version 8.0", InvalidPtx),
        (".version 8", InvalidPtx),
        (".version 9.1\n.target sm_80", UnsupportedVersion),
        (".version 9.0\n.target sm_81", InvalidPtx),
        (".version 9.0\n.target frob", InvalidPtx),
        (".version 0.1\n.target sm_13", UnsupportedVersion),
        (".version 7.0\n.target sm_90", InvalidPtx),
        (".version 7.7\n.target sm_89", InvalidPtx),
        (".version 9.0\n.target sm_80\n.address_size 32", InvalidPtx),
        (".version 9.0\n.target sm_80\n.extern .global .u32 x[];", InvalidPtx),
        (".version 9.0\n.target sm_80\n.extern .global .u32 x = 1;", InvalidPtx),
        (".version 9.0\n.target sm_80\n.global .u32 x; .global .u32 x;", InvalidPtx),
        (".version 9.0\n.target sm_80\n.global .u64 x = y;", InvalidPtx),
        (".version 9.0\n.target sm_80\n.global .u8 x[2] = {1, 2, 3};", InvalidPtx),
        (".version 9.0\n.target sm_80\n.global .bf16x2 x;", InvalidPtx),
        (".version 9.0\n.target sm_80\n.global .u8 x[9999999999999999];", InvalidPtx),
        (".version 9.0\n.target sm_80\n.entry a() { } .entry a() { }", InvalidPtx),
        (".version 9.0\n.target sm_80\n.func f() { frob; }", InvalidPtx),
        (
            ".version 9.0\n.target sm_80\n.extern .func p(.param .b64 a);\n\
             .entry a() { .param .b64 b; call p, (b); }",
            InvalidPtx,
        ),
    ] {
        assert_eq!(Module::parse(text).map(|_| ()).unwrap_err().kind, kind, "{text}");
    }
    for text in [
        ".version 9.0\n.target sm_90a\n.address_size 64\0",
        ".version 3.2 .target sm_30, debug",
        ".version 1.4 .target sm_13",
        ".version 7.8 .target sm_90",
        "/* a\nb */ .version 8.0 // c\n.target sm_80 .section .debug { .b8 1 }",
    ] {
        assert!(Module::parse(text).is_ok(), "{text}");
    }
}
