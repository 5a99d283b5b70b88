//! Texts that mean harm: what they name, hide, repeat or leave open is in no guarded text, and nothing panics.

use super::mutate;
use super::world::Random;
use crate::guard;

fn text(module: &str, body: &str) -> String {
    format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n{module}\n\
         .visible .entry test(.param .u64 a) {{\n.reg .b64 %d<9>; .reg .b32 %r<9>; .reg .pred %p<9>;\nld.param.u64 %d1, [a];\n{body}\nret;\n}}\n"
    )
}

/// The guarded text of a module, all of whose kernels are in it.
fn guarded(module: &str, body: &str) -> String {
    let text = text(module, body);
    let guarded = guard(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert!(guarded.refused().is_empty(), "{:?}", guarded.refused());
    cuscope_ptx::Module::parse(guarded.text())
        .unwrap_or_else(|error| panic!("{error}\n{}", guarded.text()));
    guarded.text().to_owned()
}

#[test]
fn names_of_the_guard_cannot_be_used() {
    // The registers, labels and parameters that a guarded text had before, named by the next.
    let first = guarded("", "st.global.u32 [%d1], 1;");
    assert!(first.contains("guard0_p0") && first.contains("guard0_hidden"));
    let second = guarded(
        ".global .u32 guard0_hidden; .global .u64 guard1_p0;",
        "st.global.u32 [guard0_hidden], 1;",
    );
    assert!(second.contains("guard2_hidden") && !second.contains("guard0_p0"), "{second}");
    // Registers of the text get other names, whatever they are called.
    let third = guarded(
        "",
        ".reg .b32 %p18; .reg .b64 guard; mov.u32 %p18, 5; mov.u64 guard, %d1; st.global.u32 [guard], %p18;",
    );
    assert!(!third.contains("%p18,"), "{third}");
}

#[test]
fn comments_sections_and_pragmas_are_gone() {
    let text = guarded(
        "// st.global.u32 [%d1], 1;\n/* .reg .b32 %x; */",
        "/* ret; */ st.global.u32 [%d1], /* 2; */ 3; // trap;\n.pragma \"used_bytes_mask 0xff\"; .loc 1 2 3\n",
    );
    for gone in ["//", "/*", "*/", "used_bytes", "trap"] {
        assert!(!text.contains(gone), "{gone} in {text}");
    }
}

#[test]
fn names_in_blocks_are_told_apart() {
    let text = guarded(
        "",
        "mov.u32 %r1, 1; { .reg .b32 %r<3>; mov.u32 %r1, 2; { .reg .b64 %r1; mov.u64 %r1, %d1; st.global.u32 [%r1], 7; } L: st.global.u32 [%d1], %r1; } L: st.global.u32 [%d1], %r1;",
    );
    assert_eq!(text.matches("setp.gt.u64").count(), 3, "{text}");
}

#[test]
fn ambiguous_texts_are_refused() {
    let refused = |module: &str, body: &str, reason: &str| match guard(&text(module, body)) {
        Err(error) => assert!(error.to_string().contains(reason), "{error}"),
        Ok(guarded) => {
            let all = guarded.refused();
            assert!(all.iter().any(|one| one.reason.contains(reason)), "{all:?}");
            assert!(!guarded.text().contains(".entry test"));
        }
    };
    refused("", ".reg .b32 %r1, %r1;", "twice");
    refused("", "L: L:", "twice");
    refused("", "bra NOWHERE;", "not known");
    refused("", "bra %r1;", "no label");
    refused(".global .u32 x; .global .u32 x;", "", "twice");
    refused(".func test() { ret; }", "", "twice");
    refused(".global .u32 WARP_SZ;", "", "a name to declare");
    refused(".global .u32 %x;", "", "not supported");
    refused(".func %f() { ret; }", "", "not supported");
    refused("", "mov.u32 %r1, %whatever;", "not known");
    refused("", ".reg .v4 .f32 %v;", "vector");
    refused(".extern .func f();", "call f;", "not in the module");
    refused("", "ld.global.u32 %r1, [%r2];", "64 bits");
    refused("", "st.param.u32 [a], 1;", "not done");
    refused("", "@%r1 bra L; L:", "no predicate");
}

#[test]
fn one_kernel_does_not_stop_the_others() {
    let text = text("", "")
        + ".visible .entry other(.param .u64 a) { .reg .b64 %d<3>; ld.param.u64 %d1, [a]; discard.global.L2 [%d1], 128; ret; }";
    let guarded = guard(&text).unwrap();
    assert_eq!(guarded.kernels().len(), 1);
    let refused = &guarded.refused()[0];
    assert_eq!((refused.kernel.as_str(), refused.line), ("other", 11));
    assert_eq!(
        refused.to_string(),
        "kernel 'other' cannot be guarded: line 11: 'discard.global.L2': what it discards has no defined value afterwards"
    );
}

#[test]
fn directives_of_a_kernel_are_kept() {
    let text = "
        .version 8.0
        .target sm_90a
        .address_size 64
        .file 1 \"a.cu\"
        .visible .entry test(.param .u64 .ptr .global .align 16 a, .param .align 8 .b8 b[24], .param .u64 .ptr .align 4 c)
        .maxntid 128, 1, 1
        .minnctapersm 2
        .reqnctapercluster 2
        {
            .reg .b64 %d<4>;
            ld.param.u64 %d1, [a];
            .loc 1 17 3
            st.global.u32 [%d1], 1;
            ret;
        }";
    let guarded = guard(text).unwrap();
    for kept in [
        ".target sm_90a",
        ".ptr .global .align 16 ",
        ".ptr .align 4 ",
        ".maxntid 128, 1, 1",
        ".minnctapersm 2",
        ".reqnctapercluster 2, 1, 1",
        ".loc 1 17 3",
        ".file 1 \"a.cu\"",
    ] {
        assert!(guarded.text().contains(kept), "{kept}\n{}", guarded.text());
    }
    let kernel = &guarded.kernels()[0];
    let site = &kernel.sites()[0];
    assert_eq!(site.source, Some(("a.cu".to_owned(), 17)));
    assert_eq!(
        (site.line, site.kind, &site.parameters[..]),
        (14, crate::AccessKind::Write, &[0][..])
    );
    let parameters = kernel.parameters();
    assert!(parameters[0].extents && parameters[0].writes && !parameters[0].reads);
    assert_eq!((parameters[1].size, parameters[1].align, parameters[1].extents), (24, 8, false));
    assert!(guarded.text().contains("_hidden[48]"), "{}", guarded.text());
}

#[test]
fn no_text_panics() {
    let seeds = mutate::seeds();
    let all: Vec<&str> = seeds.iter().flat_map(|text| text.split_whitespace()).collect();
    let mut random = Random::new(5);
    for _ in 0..2000 {
        let words: Vec<&str> =
            (0..random.below(80)).map(|_| all[random.below(all.len() as u64) as usize]).collect();
        let _ = guard(&format!(".version 8.0\n.target sm_80\n{}", words.join(" ")));
        let text = mutate::changed(&seeds[random.below(seeds.len() as u64) as usize], &mut random);
        let _ = guard(&text);
    }
}
