//! The reasons for which the driver refuses code.

use crate::device::Device;
use crate::driver::driver_version;
use crate::image::{PtxHeader, first_ptx, newest_ptx};
use ffi::{CUjitInputType, CUresult};

/// Returns why code was refused, for a device. PTX is text; of machine code nothing is said but for which device it should
/// be.
#[inline]
pub(crate) fn load(ptx: Option<&[u8]>, device: Option<Device>, code: CUresult) -> Option<String> {
    let own = device.and_then(|device| device.compute_capability().ok());
    let own = own.map(|(major, minor)| major.unsigned_abs() * 10 + minor.unsigned_abs());
    match (ptx, code) {
        (Some(ptx), ffi::CUDA_ERROR_UNSUPPORTED_PTX_VERSION) => newer_version(&PtxHeader::of(ptx)?),
        (Some(ptx), ffi::CUDA_ERROR_INVALID_PTX | ffi::CUDA_ERROR_NO_BINARY_FOR_GPU) => {
            wrong_target(&PtxHeader::of(ptx)?, own?)
        }
        (None, ffi::CUDA_ERROR_NO_BINARY_FOR_GPU) => {
            let own = own?;
            Some(format!(
                "the image has no machine code for the device, which is an sm_{own}, and no PTX for it: \
                 compile with `-arch=sm_{own}`, or include PTX"
            ))
        }
        _ => None,
    }
}

#[inline]
fn newer_version(header: &PtxHeader) -> Option<String> {
    let (major, minor) = header.version;
    let cuda = driver_version().ok()?;
    let most = match newest_ptx((cuda.major, cuda.minor)) {
        Some((major, minor)) => format!("PTX up to {major}.{minor}"),
        None => "older PTX".to_owned(),
    };
    Some(format!(
        "the text has `.version {major}.{minor}`, and this driver, of CUDA {cuda}, compiles {most}: \
         compile it with an older toolkit, or update the driver"
    ))
}

/// Returns what is wrong with the target of a text for a device with this number, such as 90.
#[inline]
fn wrong_target(header: &PtxHeader, own: u32) -> Option<String> {
    let PtxHeader { version: (major, minor), target } = header;
    if let Some(number) = target.strip_prefix("compute_") {
        return Some(format!(
            "`.target {target}` names the code of a fatbin, and no GPU: write `.target sm_{number}`"
        ));
    }
    let (number, suffix) = header.architecture()?;
    let Some(first) = first_ptx(number, suffix) else {
        return Some(format!(
            "no architecture that this version of cuscope knows has the name `{target}` of `.target`, \
             and the device is an sm_{own}: compile with `-arch=sm_{own}`"
        ));
    };
    if header.version < first {
        return Some(format!(
            "`.target {target}` needs `.version {}.{}` or higher, and the text has {major}.{minor}: \
             compile it with a newer toolkit, or for an older target",
            first.0, first.1
        ));
    }
    let reason = match suffix {
        // For the devices of one family.
        "f" if number / 10 == own / 10 && number <= own => return None,
        "a" | "f" if number == own => return None,
        "" if number <= own => return None,
        "" => "runs on that architecture and on newer ones",
        "a" => "runs on that architecture alone",
        _ => "runs on the devices of its family alone",
    };
    Some(format!(
        "the text has `.target {target}`, which {reason}, and the device is an sm_{own}: compile with \
         `-arch=sm_{own}`, or an older target"
    ))
}

/// Returns why the linker refused an input of a kind.
#[inline]
pub(crate) fn link(
    kind: CUjitInputType,
    ptx: Option<&[u8]>,
    device: Device,
    code: CUresult,
) -> Option<String> {
    match kind {
        ffi::CU_JIT_INPUT_PTX => load(ptx, Some(device), code),
        ffi::CU_JIT_INPUT_CUBIN | ffi::CU_JIT_INPUT_FATBINARY
            if code == ffi::CUDA_ERROR_NO_BINARY_FOR_GPU =>
        {
            let (major, minor) = device.compute_capability().ok()?;
            Some(format!(
                "the code was not compiled for linking, or for another device, and this one is an \
                 sm_{major}{minor}: compile with `-rdc=true -arch=sm_{major}{minor}`"
            ))
        }
        ffi::CU_JIT_INPUT_OBJECT | ffi::CU_JIT_INPUT_LIBRARY => Some(
            "no device code for linking was found: pass object files that `nvcc -dc` wrote, or an \
             archive of them"
                .to_owned(),
        ),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_of_the_linker_is_refused_for_what_it_is() {
        let device = Device::get(0).unwrap();
        let ptx = Some(&b".version 8.7 .target sm_100"[..]);
        let (binary, source) = (ffi::CUDA_ERROR_NO_BINARY_FOR_GPU, ffi::CUDA_ERROR_INVALID_SOURCE);
        for (kind, ptx, code, words) in [
            (ffi::CU_JIT_INPUT_PTX, ptx, ffi::CUDA_ERROR_INVALID_PTX, Some("`.target sm_100`")),
            (ffi::CU_JIT_INPUT_CUBIN, None, binary, Some("not compiled for linking")),
            (ffi::CU_JIT_INPUT_FATBINARY, None, binary, Some("not compiled for linking")),
            (ffi::CU_JIT_INPUT_OBJECT, None, source, Some("no device code for linking")),
            (ffi::CU_JIT_INPUT_LIBRARY, None, source, Some("no device code for linking")),
            (ffi::CU_JIT_INPUT_CUBIN, None, source, None),
            (ffi::CU_JIT_INPUT_FATBINARY, None, source, None),
            (ffi::CU_JIT_INPUT_NVVM, None, binary, None),
        ] {
            let reason = link(kind, ptx, device, code);
            assert_eq!(reason.is_some(), words.is_some(), "{kind:?}: {reason:?}");
            let reason = reason.unwrap_or_default();
            assert!(reason.contains(words.unwrap_or_default()), "{words:?}: {reason}");
        }
    }

    #[test]
    fn a_target_that_does_not_suit_is_named() {
        let header = |version, target: &str| PtxHeader { version, target: target.to_owned() };
        for (version, target, own, words) in [
            ((8, 7), "sm_100", 90, &["`.target sm_100`", "sm_90", "newer ones"][..]),
            ((8, 7), "sm_100a", 103, &["`.target sm_100a`", "sm_103", "that architecture alone"]),
            ((8, 8), "sm_100f", 120, &["`.target sm_100f`", "sm_120", "family"]),
            ((7, 0), "sm_90", 90, &["`.target sm_90`", "7.8", "7.0"]),
            ((7, 8), "sm_90a", 90, &["`.target sm_90a`", "8.0", "7.8"]),
            ((8, 0), "sm_800", 90, &["`sm_800`", "sm_90"]),
            ((8, 0), "compute_80", 90, &["`.target sm_80`"]),
        ] {
            let reason = wrong_target(&header(version, target), own).expect(target);
            assert!(words.iter().all(|word| reason.contains(word)), "{words:?}: {reason}");
        }
        for (version, target, own) in [
            ((7, 0), "sm_80", 90),
            ((8, 0), "sm_90a", 90),
            ((8, 8), "sm_100f", 103),
            ((8, 8), "texmode_unified", 90),
        ] {
            assert_eq!(wrong_target(&header(version, target), own), None, "{target}");
        }
    }
}
