//! Bytes that are no image, and what they probably are.

/// Returns what bytes that are no image look like, and what to do with it.
#[inline]
pub(super) fn looks_like(bytes: &[u8]) -> Option<&'static str> {
    let begins = |with: &[u8]| bytes.starts_with(with);
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(4096)]);
    let trimmed = text.trim_start_matches('\u{feff}').trim();
    // The longest sequences come first: UTF-32 begins as UTF-16 does.
    if begins(b"\xef\xbb\xbf") {
        Some("text with a byte order mark (U+FEFF) before it: save it as ASCII, without the mark")
    } else if begins(b"\xff\xfe") || begins(b"\xfe\xff") || is_wide(bytes) {
        Some("text in UTF-16 or UTF-32: save it as ASCII")
    } else if begins(b"BC\xc0\xde") {
        Some("LLVM bitcode: compile it to PTX with `llc -march=nvptx64`")
    } else if begins(b"\x1f\x8b") || begins(b"\x28\xb5\x2f\xfd") || begins(b"PK\x03\x04") {
        Some("a compressed file: unpack it")
    } else if begins(b"!<arch>") {
        Some("an archive of object files: link it with `Linker::add_archive`")
    } else if trimmed.starts_with("version https://git-lfs") {
        Some("the pointer of a file in Git LFS: fetch the file with `git lfs pull`")
    } else if trimmed.starts_with("; ModuleID") || trimmed.starts_with("target triple") {
        Some("LLVM's text: compile it to PTX with `llc -march=nvptx64`")
    } else if ["__global__", "__device__", "#include", "extern \"C\""]
        .iter()
        .any(|c| trimmed.contains(c))
    {
        Some("CUDA C++ source: compile it to PTX with `nvcc --ptx` or NVRTC (the feature `nvrtc`)")
    } else if is_path(trimmed) {
        Some(
            "a path: pass the contents of the file, or read it with `load_ptx_file` or `Ptx::from_file`",
        )
    } else {
        None
    }
}

/// Returns whether every second byte of the beginning is 0, as of ASCII in UTF-16.
#[inline]
fn is_wide(bytes: &[u8]) -> bool {
    let begin = &bytes[..bytes.len().min(16)];
    let zeros = |first: usize| begin.iter().skip(first).step_by(2).all(|&byte| byte == 0);
    begin.len() >= 4 && (zeros(0) != zeros(1))
}

/// Returns whether text is one line with the name of a file.
#[inline]
fn is_path(text: &str) -> bool {
    let ends = [".ptx", ".cubin", ".fatbin", ".cu"].iter().any(|end| text.ends_with(end));
    ends && !text.contains('\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_are_no_images_are_told_apart() {
        let ptx = ".version 8.0\n.target sm_80\n";
        let utf_16: Vec<u8> = ptx.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let with_mark = [b"\xff\xfe", &*utf_16].concat();
        for (bytes, words) in [
            (format!("\u{feff}{ptx}").as_bytes(), "byte order mark"),
            (&*utf_16, "UTF-16"),
            (&*with_mark, "UTF-16"),
            (b"\xfe\xff\x01\x02", "UTF-16"),
            (b"BC\xc0\xde\x35\x14", "bitcode"),
            (b"\x1f\x8b\x08", "unpack"),
            (b"\x28\xb5\x2f\xfd\x20", "unpack"),
            (b"PK\x03\x04", "unpack"),
            (b"!<arch>\n", "add_archive"),
            (b"version https://git-lfs.github.com/spec/v1\n", "git lfs pull"),
            (b"; ModuleID = 'x'", "llc"),
            (b"target triple = \"nvptx64\"", "llc"),
            (b"extern \"C\" __global__ void k() {}", "nvcc --ptx"),
            (b"kernels/add.ptx\n", "load_ptx_file"),
            (b"/a path/k.cubin", "load_ptx_file"),
        ] {
            let found = looks_like(bytes).unwrap_or_else(|| panic!("{words}: unknown"));
            assert!(found.contains(words), "{words}: {found}");
        }
        for bytes in [&b"this is not PTX"[..], b".", b"", b"\0\0\0\0", b"a\nb.ptx", b"a\0bc"] {
            assert_eq!(looks_like(bytes), None, "{bytes:?}");
        }
    }
}
