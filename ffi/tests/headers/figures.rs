//! The table of figures: what a program printed that was compiled with a header. `tests/figures/` compares it with the
//! declarations where there is no header.

use crate::c::{ANONYMOUS, Assertions};
use crate::declarations::{Declarations, Layout};
use crate::header::{Header, compile, includes};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

/// Names of fields that Rust has for itself.
const KEYWORDS: [&str; 4] = ["type", "in", "ref", "fn"];

fn in_rust(field: &str) -> String {
    if KEYWORDS.contains(&field) { format!("r#{field}") } else { field.to_owned() }
}

/// The lines of C that print the offsets of the fields of `layout`, which is at `in_c` and `rust` in the type `root`.
fn offsets(
    all: &Assertions<'_>,
    root: &str,
    layout: &Layout,
    in_c: &str,
    rust: &str,
    out: &mut String,
) {
    for (field, ty) in &layout.fields {
        let (mut at, path) = (format!("{in_c}{field}"), format!("{rust}{}", in_rust(field)));
        if field == ANONYMOUS {
            at = in_c.to_owned();
        } else {
            writeln!(out, r#"    printf("    {root}.{path} = %zu,\n", offsetof({root}, {at}));"#)
                .unwrap();
            at.push('.');
        }
        if let Some(inner) = all.inner(layout, field, ty) {
            offsets(all, root, inner, &at, &format!("{path}."), out);
        }
    }
}

/// The table, as Rust.
pub(crate) fn table(declarations: &Declarations, header: &Header) -> String {
    let all = Assertions::new(declarations, header);
    let mut out = format!(
        "#include <stddef.h>\n#include <stdio.h>\n{}int main(void) {{\n    puts(\"sizes! {{\");\n",
        includes("")
    );
    let layouts: Vec<_> = declarations
        .layouts
        .iter()
        .filter(|it| !all.nested(&it.name) && header.has(&it.name))
        .collect();
    let enums = declarations.enums.iter().filter(|it| header.has(&it.name));
    for name in layouts.iter().map(|it| &it.name).chain(enums.map(|it| &it.name)) {
        writeln!(
            out,
            r#"    printf("    {name} = %zu, %zu;\n", sizeof({name}), _Alignof({name}));"#
        )
        .unwrap();
    }
    out += "    puts(\"}\\noffsets! {\");\n";
    for layout in layouts {
        offsets(&all, &layout.name, layout, "", "", &mut out);
    }
    out += "    puts(\"}\\nconstants! {\");\n";
    for constant in declarations.constants.iter().filter(|it| header.has(&it.name)) {
        let name = &constant.name;
        let of = constant.flags.as_ref().map_or(String::new(), |flags| format!("{flags}::"));
        writeln!(out, r#"    printf("    {of}{name} = %lld,\n", (long long)({name}));"#).unwrap();
    }
    out += "    puts(\"}\");\n    return 0;\n}\n";
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("figures");
    let arguments = ["-D__CUDA_API_VERSION_INTERNAL", "-o", program.to_str().unwrap()];
    let output = compile(&header.folder, "figures.c", &out, &arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let printed = Command::new(program).output().unwrap();
    assert!(printed.status.success());
    let (major, minor) = (header.version / 1000, header.version % 1000 / 10);
    format!(
        "// The output of a program that was compiled with the headers of CUDA {major}.{minor}: UPDATE_FIGURES=1 writes it.\n{}",
        String::from_utf8(printed.stdout).unwrap()
    )
}
