//! Parts of an image that the driver reads: F113, F266, F267, F290, F291.

use crate::common::fatbin::{entry, fatbin};
use crate::common::system::{self, May};
use crate::common::{assert_success, respawn_with, software};
use crate::fresh;
use crate::raw::*;
use cuscope::ffi::*;
use cuscope::{Cubin, Fatbin};
use std::ffi::c_void;
use std::ptr::null_mut;

const PTX: &[u8] = include_bytes!("../code/signatures.ptx");
const CUBIN: &[u8] = include_bytes!("../code/signatures.cubin");
const PACKED: [&[u8]; 2] = [
    include_bytes!("../code/signatures.lz4.fatbin"),
    include_bytes!("../code/signatures.zstd.fatbin"),
];

/// The answer to an image of which nothing is assumed.
fn load(image: *const c_void) -> CUresult {
    let mut module = null_mut();
    let (options, values) = (null_mut(), null_mut());
    let code = code!(cuModuleLoadDataEx(&raw mut module, image, 0, options, values));
    assert_eq!(code == SUCCESS, !module.is_null());
    if code == SUCCESS {
        ok!(cuModuleUnload(module));
    }
    code
}

/// Bytes, a NUL behind them, and nothing behind that.
fn at_the_end_of_a_page(bytes: &[u8]) -> *const c_void {
    const PAGE: usize = 1 << 16;
    let start = system::map(null_mut(), 2 * PAGE, May::Write);
    system::protect(start.wrapping_byte_add(PAGE), PAGE, May::Nothing);
    assert!(bytes.len() < PAGE);
    let image = start.cast::<u8>().wrapping_add(PAGE - 1 - bytes.len());
    // SAFETY: the place lies in the first half, and has one byte more after it, which is 0.
    unsafe { image.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
    image.cast()
}

/// An image, whether the real driver dies of it, and the answer otherwise.
type Text = (&'static [u8], bool, CUresult);

const TEXTS: [Text; 7] = [
    (b"", true, INVALID_IMAGE),
    (b"abc", true, INVALID_IMAGE),
    (b"\x7fELF", true, CUDA_ERROR_NO_BINARY_FOR_GPU),
    (&0xba55_ed50_u32.to_le_bytes(), true, INVALID_IMAGE),
    (b"BC\xc0\xde", true, INVALID_IMAGE),
    (&[b'g'; 256], false, INVALID_IMAGE),
    (PTX, false, SUCCESS),
];

/// F113: the real driver reads more bytes than there are of what may be no text.
#[test]
fn text_is_read_up_to_its_nul_and_other_images_further() {
    const TEST: &str = "text_is_read_up_to_its_nul_and_other_images_further";
    crate::skip_under_miri!("it starts a process for each case");
    let outputs = each_alone(module_path!(), TEST, &TEXTS, |&(bytes, _, code)| {
        let context = create_context();
        assert_eq!(load(at_the_end_of_a_page(bytes)), code, "{bytes:?}");
        ok!(cuCtxDestroy_v2(context));
    });
    for (output, (bytes, deadly, _)) in outputs.iter().flatten().zip(TEXTS) {
        if deadly && !software() {
            let signal = crate::common::signal(output.status);
            assert_eq!(signal, Some(libc::SIGSEGV), "{bytes:?}: {output:?}");
        } else {
            assert_success(TEST, output);
        }
    }
}

/// The PTX in a fatbin, with a header of so many bytes.
fn fatbin_of_ptx(header: u32) -> Vec<u8> {
    fatbin(&[entry(1, 75, header, &[PTX, &[0]].concat())])
}

/// F291: the software driver reads no options, and loads it.
#[test]
fn ptx_in_a_fatbin_has_a_place_for_options() {
    const TEST: &str = "ptx_in_a_fatbin_has_a_place_for_options";
    const HEADERS: [u32; 2] = [72, 64];
    crate::skip_under_miri!("it starts a process for each case");
    let outputs = each_alone(module_path!(), TEST, &HEADERS, |&header| {
        let context = create_context();
        assert_eq!(load(fatbin_of_ptx(header).as_ptr().cast()), SUCCESS);
        ok!(cuCtxDestroy_v2(context));
    });
    for (output, header) in outputs.iter().flatten().zip(HEADERS) {
        // The crate hands no such thing on.
        assert_eq!(Fatbin::new(fatbin_of_ptx(header)).is_ok(), header > 64);
        if header == 64 && !software() {
            assert_eq!(crate::common::signal(output.status), Some(libc::SIGSEGV), "{output:?}");
        } else {
            assert_success(TEST, output);
        }
    }
}

/// How many images are damaged of each kind.
const CUBINS: usize = 120;
const FATBINS: usize = 40;

/// A cubin, and then a fatbin with it, cut off or with a bit flipped; each number gives another one. Zeros
/// lie after it.
fn damaged(number: usize) -> Vec<u8> {
    if number < CUBINS {
        damage(CUBIN, number)
    } else {
        damage(&fatbin(&[entry(2, 90, 64, CUBIN)]), number)
    }
}

fn damage(whole: &[u8], number: usize) -> Vec<u8> {
    // The first numbers of a generator that began at this one.
    let mut state = (number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut next = |below: usize| {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (state >> 33) as usize % below
    };
    let mut image = whole.to_vec();
    if number.is_multiple_of(3) {
        image.truncate(next(image.len()));
    } else {
        let at = next(image.len());
        image[at] ^= 1 << next(8);
    }
    image
}

/// Whether the crate would hand the image to a driver.
fn is_accepted(number: usize) -> bool {
    let image = damaged(number);
    if number < CUBINS { Cubin::new(image).is_ok() } else { Fatbin::new(image).is_ok() }
}

/// F290: the real driver follows what it finds, and dies of some. The software driver runs no machine code.
#[test]
fn damaged_machine_code_is_the_drivers_death_unless_it_was_checked() {
    const TEST: &str = "damaged_machine_code_is_the_drivers_death_unless_it_was_checked";
    const FIRST: &str = "CUSCOPE_TEST_FIRST_IMAGE";
    crate::skip_under_miri!("it starts processes that may die");
    let all = CUBINS + FATBINS;
    let mut answers = Vec::new();
    let mut deaths = Vec::new();
    while answers.len() < all {
        // A process loads them one after another; where it dies, the next one goes on after.
        let first = answers.len();
        let Some(output) = respawn_with(module_path!(), TEST, &[(FIRST, &first.to_string())])
        else {
            die_quietly(60);
            let first: usize = std::env::var(FIRST).unwrap().parse().unwrap();
            let _context = create_context();
            for number in first..all {
                let mut image = damaged(number);
                image.resize(image.len() + 4096, 0);
                println!("\nanswer {}", load(image.as_ptr().cast()).0);
            }
            return;
        };
        let text = String::from_utf8_lossy(&output.stdout);
        let codes = text.lines().filter_map(|line| line.strip_prefix("answer ")?.parse().ok());
        answers.extend(codes.map(Some::<u32>));
        match crate::common::signal(output.status) {
            Some(libc::SIGSEGV | libc::SIGFPE) if !software() => {
                deaths.push(answers.len());
                answers.push(None);
            }
            _ => assert_success(TEST, &output),
        }
    }
    println!("{} deaths: {deaths:?}", deaths.len());
    let count = |code: CUresult| answers.iter().filter(|&&one| one == Some(code.0)).count();
    if software() {
        // Bytes that do not begin as machine code are no image.
        assert_eq!(count(INVALID_IMAGE) + count(CUDA_ERROR_NO_BINARY_FOR_GPU), all);
        return;
    }
    let errors = [INVALID_IMAGE, OUT_OF_MEMORY, CUDA_ERROR_UNKNOWN].map(count);
    assert_eq!(count(SUCCESS) + errors.iter().sum::<usize>() + deaths.len(), all, "{answers:?}");
    assert!(count(SUCCESS) > all / 4 && errors[0] > all / 4, "{answers:?}");
    assert!(deaths.len() < all / 5, "{deaths:?}");
    for number in deaths {
        assert!(!is_accepted(number), "the driver dies of image {number}, which passes the checks");
    }
}

/// A fatbin with PTX that is compressed by Zstandard, and this flag besides.
fn packed_ptx(flag: u64) -> Vec<u8> {
    const HEAD: usize = 16;
    let whole = PACKED[1];
    let field = |at: usize, bytes: usize| {
        let mut value = [0; 8];
        value[..bytes].copy_from_slice(&whole[at..at + bytes]);
        u64::from_le_bytes(value)
    };
    let mut at = HEAD;
    while field(at, 2) != 1 {
        at += usize::try_from(field(at + 4, 4) + field(at + 8, 8)).unwrap();
    }
    let (header, padded) = (field(at + 4, 4), field(at + 8, 8));
    let mut image = fatbin(&[whole[at..at + usize::try_from(header + padded).unwrap()].to_vec()]);
    let flags = field(at + 40, 8);
    assert_eq!(flags & 0x8000, 0x8000, "compressed by Zstandard");
    image[HEAD + 40..HEAD + 48].copy_from_slice(&(flags | flag).to_le_bytes());
    image
}

/// F267: the software driver knows no such flag, and unpacks it.
#[test]
fn compressed_ptx_has_one_flag_for_how() {
    const TEST: &str = "compressed_ptx_has_one_flag_for_how";
    const FLAGS: [u64; 2] = [0, 0x4000];
    crate::skip_under_miri!("it starts a process for each case");
    let outputs = each_alone(module_path!(), TEST, &FLAGS, |&flag| {
        let context = create_context();
        let code = load(packed_ptx(flag).as_ptr().cast());
        assert!(code == SUCCESS || flag != 0, "{code:?}");
        ok!(cuCtxDestroy_v2(context));
    });
    for (output, flag) in outputs.iter().flatten().zip(FLAGS) {
        assert_eq!(Fatbin::new(packed_ptx(flag)).is_ok(), flag == 0);
        if flag != 0 && !software() {
            assert_eq!(crate::common::signal(output.status), Some(libc::SIGSEGV), "{output:?}");
        } else {
            assert_success(TEST, output);
        }
    }
}

/// F266: of what passes the checks of the crate the real driver neither dies nor fails to come back, as it may
/// of the rest (F264).
#[test]
fn damaged_compressed_code_that_passes_the_checks_is_answered() {
    fresh!(damaged_compressed_code_that_passes_the_checks_is_answered, {
        die_quietly(60);
        let context = create_context();
        let (mut refused, mut loaded) = (0, 0);
        for number in 0..120 {
            let mut image = damage(PACKED[number % 2], number);
            if Fatbin::new(&image).is_err() {
                refused += 1;
                continue;
            }
            image.resize(image.len() + 4096, 0);
            loaded += u32::from(load(image.as_ptr().cast()) == SUCCESS);
        }
        assert!(refused > 40 && loaded > 20, "{refused} refused, {loaded} loaded");
        ok!(cuCtxDestroy_v2(context));
    });
}
