//! What texts may look like, as NVIDIA's assembler takes them: declarations in each place, vectors, constant
//! expressions, elements and sums as operands.

use super::super::run::Fault;
use super::super::{Module, ParseErrorKind};
use super::device::{Loaded, body, params, source};

/// A module of some declarations, and of a kernel that stores words at `%out`.
fn run(declarations: &str, text: &str, words: &[u32]) -> Vec<u32> {
    let text = source(text).replace(".visible .entry", &format!("{declarations}\n.visible .entry"));
    let text = text.replace("sm_80", "sm_90").replace(".version 8.0", ".version 8.1");
    let loaded = Loaded::new(&text);
    let out = loaded.device.put(words);
    loaded.launch("test", [1, 1, 1], [32, 1, 1], 0, params![out]).unwrap();
    loaded.device.get(out, words.len())
}

#[test]
fn characters_outside_of_ascii_are_refused_wherever_they_are() {
    let head = ".version 8.0\n.target sm_80\n";
    for (text, line) in [
        (format!("// é\n{head}"), 1),
        (format!("{head}// Größe\n"), 3),
        (format!("{head}/*\n\n é */"), 5),
        (format!("{head}.file 1 \"/tmp/ö.cu\"\n"), 3),
        (format!("{head}.frob;\n\n.visible .entry ö() {{ ret; }}"), 5),
        (format!(".version 99.0\n{head}// é"), 4),
        (format!("\u{feff}{head}"), 1),
    ] {
        let error = Module::parse(&text).unwrap_err();
        assert_eq!(error.kind, ParseErrorKind::InvalidPtx);
        assert_eq!(error.errors[0].line, line, "{text}");
        let log = format!(
            "ptxas fatal   : Unexpected non-ASCII character encountered on line {line}\n\
             ptxas fatal   : Ptx assembly aborted due to errors\n"
        );
        assert_eq!(error.log, log, "{text}");
    }
    assert!(Module::parse(&format!("{head}// \u{1}\u{7f}\n")).is_ok());
}

#[test]
fn constant_expressions_have_the_values_of_the_assembler() {
    // Each was compared with the code that the assembler makes of the number.
    for (expression, value) in [
        ("1+2*3", 7),
        ("5-3-1", 1),
        ("(4>2)?1:0", 1),
        ("1?2:3?4:5", 2),
        ("0?2:0?4:5", 5),
        ("~4", -5),
        ("-(4)", -4),
        ("- -1", 1),
        ("!4", 0),
        ("!!1", 1),
        ("-7/2", -3),
        ("-5 % 3", 2),
        ("1<<4", 16),
        ("1<<65", 2),
        ("1<<-1", i64::MIN),
        ("-16>>1", -8),
        ("~0>>1", i64::MAX),
        ("-1U>>1", i64::MAX),
        ("-9223372036854775808>>1", 1 << 62),
        ("1+1<<1", 4),
        ("1|2&0", 1),
        ("6^3", 5),
        ("6&&0", 0),
        ("6||0", 1),
        ("1<2==1", 1),
        ("-1<0", 1),
        ("-1<0U", 0),
        ("((6&-1)-7)<0", 0),
        ("(1==1)-2<0", 1),
        ("(1?-1:0U)<0", 0),
        ("(-1<<1U)<0", 1),
        ("(-5 % 3)<0", 0),
        ("(.u64)-1<0", 0),
        ("(.s64)0xffffffffffffffff<0", 1),
        ("1.5<2.0", 1),
        ("2.5*2.0==5.0", 1),
        ("WARP_SZ-33", -1),
        ("0x1ffffffffffffffff", -1),
        ("0X1F+0B11+017+0xFU", 64),
    ] {
        let text = format!("mov.s64 %rd1, {expression}; st.global.u64 [%out], %rd1;");
        let words = body(&text, &[9; 2]).unwrap();
        let got = i64::from(words[0]) | i64::from(words[1].cast_signed()) << 32;
        assert_eq!(got, value, "{expression}");
    }
    for (bad, message) in [
        ("1+1.5", "Constant expression type mismatch"),
        ("~1.5", "Integer constant expression expected"),
        ("1.5?1:2", "Integer constant expression expected"),
        ("(.u32)1", "Unsupported cast operation"),
        ("1/0", "division by zero"),
        ("7 %3", "Parsing error"),
        ("1 < < 4", "Parsing error"),
        ("1?2", "Parsing error"),
        ("(1", "Parsing error"),
        ("%r2*2", "Parsing error"),
        ("%r2-1", "Parsing error"),
        ("10u", "Invalid number"),
        ("-0f3F800000", "Parsing error"),
    ] {
        let error = Module::parse(&source(&format!("mov.u32 %r1, {bad};"))).unwrap_err();
        assert!(error.log.contains(message), "{bad}: {}", error.log);
    }
    let deep = format!("mov.u32 %r1, {}1;", "(".repeat(100_000));
    assert!(Module::parse(&source(&deep)).is_err());
    let signs = format!("mov.u32 %r1, {}1;", "-".repeat(100_000));
    assert!(Module::parse(&source(&signs)).is_err());
}

#[test]
fn a_constant_is_added_to_a_register_or_a_variable() {
    let text = "mov.u32 %r1, 41; mov.b16 %rs1, 65535; mov.b64 %rd1, 0xffffffff; mov.u64 %rd2, 4;
        st.global.u32 [%out], %r1 + 1;
        st.global.u32 [%out+4], %r1+-42;
        st.global.u16 [%out+8], %rs1+2;
        st.global.u64 [%out+16], %rd1+(2-1);
        add.u32 %r2, %r1+1, %r1; st.global.u32 [%out+24], %r2;
        add.u64 %rd3, %rd2, x+8; mov.u64 %rd4, x; sub.u64 %rd3, %rd3, %rd4; st.global.u32 [%out+28], %rd3;";
    let got = run(".global .u32 x[4];", text, &[0; 8]);
    assert_eq!(got, [42, u32::MAX, 1, 0, 0, 1, 83, 12]);
    for bad in ["st.global.f32 [%out], %f1+1;", "add.u32 %r1+1, %r2, %r3;", "mov.u32 %r1, %r2+1.5;"]
    {
        assert!(Module::parse(&source(bad)).is_err(), "{bad}");
    }
}

#[test]
fn elements_of_variables_are_operands() {
    let declarations = ".global .u16 g[4] = {1, 2, 3, 4}; .global .u32 m[2][2] = {{5, 6}, {7, 8}};
        .global .v2 .u32 v[2] = {{1, 2}, {3, 4}}; .global .u32 one;";
    let text = ".shared .align 8 .b8 s[64]; .local .u32 l[8]; .reg .u64 %s;
        mov.u64 %s, s[4]; mov.u32 %r1, 7; st.shared.u32 [%s+4], %r1; ld.shared.u32 %r2, s[8];
        st.global.u32 [%out], %r2;
        st.local.u32 l[3], %r1; ld.local.u32 %r2, [l+12]; st.global.u32 [%out+4], %r2;
        ld.global.u16 %rs1, g[2]; st.global.u16 [%out+8], %rs1;
        ld.global.u32 %r2, m[1]; st.global.u32 [%out+12], %r2;
        ld.global.u32 %r2, v[1]; st.global.u32 [%out+16], %r2;
        mov.u32 %r3, 1; ld.global.u16 %rs1, g[%r3+2]; st.global.u16 [%out+20], %rs1;
        mov.u64 %rd1, g[%r3]; ld.global.u16 %rs1, [%rd1]; st.global.u16 [%out+24], %rs1;
        cvta.global.u64 %rd1, m[2]; ld.u32 %r2, [%rd1]; st.global.u32 [%out+28], %r2;";
    let got = run(declarations, text, &[0; 8]);
    assert_eq!(got, [7, 7, 3, 6, 2, 4, 2, 7]);
    for (bad, message) in [
        ("mov.u64 %rd1, out[0];", "Array indexing on non-array"),
        ("mov.u64 %rd1, %rd2[0];", "Array indexing on non-array"),
        (".local .b8 l[4]; add.u64 %rd1, %rd2, l[1];", "Arguments mismatch"),
        (".local .b8 l[4]; mov.u64 %rd1, l[1]+4;", "Parsing error"),
        (".local .b8 l[4]; mov.u64 %rd1, l[1][1];", "Parsing error"),
        (".local .b8 l[4]; ld.local.u8 %r1, [l[1]];", "Parsing error"),
        (".local .b8 l[4]; ld.local.u8 %r1, l[];", "Parsing error"),
    ] {
        let error = Module::parse(&source(bad)).unwrap_err();
        assert!(error.log.contains(message), "{bad}: {}", error.log);
    }
}

#[test]
fn vectors_are_registers_and_parameters() {
    let swap = ".func (.reg.v2.u32 r) swap(.reg .v2 .u32 a, .reg .u32 b)
        { .reg.v2.u32 t; mov.u32 t.x, a.y; add.u32 t.y, a.x, b; mov.v2.u32 r, t; ret; }";
    let text = ".reg .v2.u32 %v; .reg.v2.b32 %w<2>; mov.v2.u32 %v, {1, 2};
        call (%w1), swap, (%v, 10); st.global.v2.u32 [%out], %w1; st.global.u32 [%out+8], %v.y;";
    assert_eq!(run(swap, text, &[0; 3]), [2, 11, 2]);
    for bad in [
        ".func f(.param .v2 .u32 a) { ret; }",
        ".func f(.reg .v4 .f64 a) { ret; }",
        ".func f(.reg .v2 .pred a) { ret; }",
    ] {
        let text = format!(".version 8.0\n.target sm_80\n{bad}");
        assert!(Module::parse(&text).is_err(), "{bad}");
    }
}

#[test]
fn functions_have_variables_in_device_memory() {
    let text =
        ".global .u32 g = 5; .const .u32 c[2] = {6, 7}; .global .u64 p = g; .global .u32 x = 9;
        ld.global.u32 %r1, [g]; st.global.u32 [%out], %r1;
        ld.const.u32 %r1, [c+4]; st.global.u32 [%out+4], %r1;
        ld.global.u64 %rd1, [p]; ld.u32 %r1, [%rd1]; st.global.u32 [%out+8], %r1;
        { .global .u32 g = 8; ld.global.u32 %r1, [g]; } st.global.u32 [%out+12], %r1;
        { .global .u32 g = 2; ld.global.u32 %r1, g+0; } st.global.u32 [%out+16], %r1;"
            .replace("g+0", "[g]");
    assert_eq!(run(".global .u32 x;", &text, &[0; 5]), [5, 7, 5, 8, 2]);
}

#[test]
fn external_variables_have_memory_if_no_text_defines_them() {
    let text =
        "st.global.u32 [elsewhere], 3; ld.global.u32 %r1, [elsewhere]; st.global.u32 [%out], %r1;";
    assert_eq!(run(".extern .global .u32 elsewhere;", text, &[0]), [3]);
    let both = ".extern .global .u32 elsewhere; .global .u64 p = elsewhere;
        .visible .global .u32 elsewhere = 7; .extern .global .u32 elsewhere;";
    let text = "ld.global.u64 %rd1, [p]; ld.u32 %r1, [%rd1]; st.global.u32 [%out], %r1;";
    assert_eq!(run(both, text, &[0]), [7]);
    let module = |text: &str| Module::parse(&format!(".version 8.0\n.target sm_80\n{text}"));
    assert_eq!(
        module(".extern .global .u32 a; .extern .const .u32 b[2];").unwrap().external,
        ["a", "b"]
    );
    assert_eq!(module(both).unwrap().external, [""; 0]);
    for (bad, message) in [
        (".extern .global .u32 a[];", "Unresolved extern variable 'a'"),
        (".extern .global .u32 a = 1;", "No initial value is allowed"),
        (".global .u32 a; .global .u32 a;", "Duplicate definition"),
        (".extern .global .u32 a; .global .u64 a;", "Inconsistent redefinition"),
        (".extern .global .u32 a; .const .u32 a;", "Inconsistent redefinition"),
        (".global .u64 p = x; .global .u32 x;", "Unknown symbol 'x'"),
    ] {
        let error = module(bad).unwrap_err();
        assert!(error.log.contains(message), "{bad}: {}", error.log);
    }
}

#[test]
fn vprintf_may_be_declared_without_a_result() {
    let ptx = ".version 7.1\n.target sm_86\n.address_size 64\n
        .extern .func vprintf (.param .b64 f, .param .b64 a);
        .global .align 1 .b8 text[4] = {104, 105, 10, 0};
        .visible .entry test(.param .u64 out) { .reg .b64 %rd<4>;
        mov.u64 %rd1, text; cvta.global.u64 %rd1, %rd1; mov.u64 %rd2, 0;
        { .param .b64 p0; .param .b64 p1; st.param.b64 [p0+0], %rd1; st.param.b64 [p1+0], %rd2;
          call.uni vprintf, (p0, p1); } ret; }";
    let loaded = Loaded::new(ptx);
    loaded.launch("test", [1, 1, 1], [1, 1, 1], 0, params![0u64]).unwrap();
    assert_eq!(loaded.device.printed(), "hi\n");
}

#[test]
fn atomic_operations_work_on_local_memory_by_a_generic_address() {
    let text = ".local .align 16 .b8 depot[16]; mov.u64 %rd0, depot; cvta.local.u64 %rd1, %rd0;
        mov.u64 %rd2, 5; st.local.u64 [%rd0], %rd2; st.local.u64 [%rd0+8], %rd2; mov.u64 %rd3, 7;
        atom.add.acq_rel.cta.u64 %rd4, [%rd1], %rd3; ld.local.u64 %rd5, [%rd0];
        st.global.u32 [%out], %rd4; st.global.u32 [%out+4], %rd5;
        .reg .b128 %q<2>; mov.b128 %q0, {%rd2, %rd4}; atom.exch.b128 %q1, [%rd1], %q0;
        mov.b128 {%rd6, %rd7}, %q1; st.global.u32 [%out+8], %rd6; st.global.u32 [%out+12], %rd7;
        ld.local.u64 %rd6, [%rd0]; st.global.u32 [%out+16], %rd6;";
    let text = source(text).replace("sm_80", "sm_90").replace(".version 8.0", ".version 8.3");
    let loaded = Loaded::new(&text);
    let out = loaded.device.room(20);
    loaded.launch("test", [1, 1, 1], [32, 1, 1], 0, params![out]).unwrap();
    assert_eq!(loaded.device.get::<u32>(out, 5), [5, 12, 12, 5, 5]);
    let beyond = ".local .align 8 .b8 depot[8]; mov.u64 %rd0, depot; cvta.local.u64 %rd1, %rd0;
        add.u64 %rd1, %rd1, 1048576; atom.add.u64 %rd4, [%rd1], 1;";
    assert_eq!(body(beyond, &[]), Err(Fault::IllegalAddress));
}

#[test]
fn extremes_of_half_precision_are_vectors() {
    // 1.0 and NaN, 2.0 and -0.0.
    let text = "mov.b32 %r1, 0x7fff3c00; st.global.u32 [%out], %r1; mov.b32 %r1, 0x00004000; st.global.u32 [%out+4], %r1;
        st.global.u32 [%out+8], %r1; mov.b16 %rs1, 0x3c00; mov.b16 %rs2, 0xc000; mov.b16 %rs3, 0x8000;
        setp.eq.u32 %p1, %r0, 0;
        @%p1 atom.global.min.noftz.v4.f16 {%rs4, %rs5, %rs6, %rs7}, [%out], {%rs2, %rs1, %rs1, %rs3};
        @%p1 st.global.u16 [%out+12], %rs5;
        mov.b32 %r2, 0x3f80c000; mov.b32 %r3, 0; @%p1 red.max.noftz.v2.bf16x2 [%out+16], {%r2, %r3};";
    let got = run("", text, &[0, 0, 0, 0, 0x4000_4000, 0xbf80_8000]);
    assert_eq!(got, [0x3c00_c000, 0x8000_3c00, 0x4000, 0x7fff, 0x4000_4000, 0]);
    for bad in [
        "atom.global.min.noftz.f16 %rs1, [%rd1], %rs1;",
        "atom.global.max.noftz.f16x2 %r1, [%rd1], %r1;",
        "atom.global.min.v2.f16 {%rs1, %rs1}, [%rd1], {%rs1, %rs1};",
        "atom.shared.min.noftz.v2.f16 {%rs1, %rs1}, [%rd1], {%rs1, %rs1};",
        "red.global.min.noftz.v8.f16x2 [%rd1], {%r1, %r1, %r1, %r1, %r1, %r1, %r1, %r1};",
        "red.global.min.v2.f32 [%rd1], {%f1, %f1};",
        "atom.global.and.noftz.b32 %r1, [%rd1], %r1;",
    ] {
        let text = source(bad).replace("sm_80", "sm_90").replace(".version 8.0", ".version 8.3");
        assert!(Module::parse(&text).is_err(), "{bad}");
    }
}

#[test]
fn parameters_with_large_alignments_have_such_addresses() {
    let ptx = ".version 8.7\n.target sm_90a\n.address_size 64\n
        .visible .entry test(.param .align 64 .b8 map[128], .param .u64 out) { .reg .b64 %rd<4>; .reg .b32 %r<4>;
        mov.b64 %rd1, map; cvta.param.u64 %rd1, %rd1; ld.param.u64 %rd2, [out];
        cvt.u32.u64 %r1, %rd1; and.b32 %r1, %r1, 63; st.global.u32 [%rd2], %r1;
        ld.u32 %r2, [%rd1+124]; st.global.u32 [%rd2+4], %r2;
        isspacep.param %p, %rd1; selp.u32 %r3, 1, 0, %p; st.global.u32 [%rd2+8], %r3;
        cvta.to.param.u64 %rd3, %rd1; ld.param.u32 %r2, [%rd3+124]; st.global.u32 [%rd2+12], %r2; ret; }";
    let loaded = Loaded::new(&ptx.replace(".reg .b32", ".reg .pred %p; .reg .b32"));
    assert_eq!(loaded.module.kernels[0].params[0].offset, 48);
    let out = loaded.device.room(16);
    let mut map = [0; 128];
    map[124] = 77;
    loaded.launch("test", [1, 1, 1], [1, 1, 1], 0, &[&map, &out.to_le_bytes()]).unwrap();
    assert_eq!(loaded.device.get::<u32>(out, 4), [0, 77, 1, 77]);
}

#[test]
fn gaps_and_comments_are_where_tokens_end() {
    for text in [
        "mov/* c */.u32 %r1, 1;",
        "mov .u32 %r1, 1;",
        "mov\n.u32\n%r1\n,\n1\n;",
        "/* /* */ // */ ret;\nret;",
        "/***/ /*/ */",
        "L :ret;",
        "add:",
        "mov.f32 %f1, .5;",
        "@ %p1 ret;",
        "ret\u{c};",
    ] {
        assert!(Module::parse(&source(text)).is_ok(), "{text}");
    }
    for text in [
        ";",
        "mov.u32 %r1, 1;;",
        "mov. u32 %r1, 1;",
        "mov . u32 %r1, 1;",
        "mov.u32 (%r1), 1;",
        "ret\u{b};",
        ".reg .u32 L; L:",
        "L: .reg .u32 L;",
        "mov.f32 %f1, 1.5f;",
        "call (%r1+1), f, (%r2);",
    ] {
        assert!(Module::parse(&source(text)).is_err(), "{text}");
    }
}
