//! Which devices of the machine the process has, and in which order: `CUDA_VISIBLE_DEVICES` (F590).

use crate::entry::Answer;
use crate::model::device;
use cuscope_sys::*;

/// The numbers of the devices that a list names, of so many that there are; without a list all.
pub(crate) fn devices(count: usize, list: Option<&str>) -> Answer<Vec<usize>> {
    let mut visible = Vec::new();
    match list {
        None => visible.extend(0..count),
        Some(list) => {
            let by_identity = list.starts_with("GPU-");
            for item in list.split(',') {
                let (number, rest) =
                    if by_identity { (by_uuid(item, count), "") } else { by_number(item, count) };
                // A device after one that does not exist is not seen.
                let Some(number) = number else { break };
                if visible.contains(&number) {
                    return Err(CUDA_ERROR_INVALID_DEVICE);
                }
                visible.push(number);
                if !rest.trim_start().is_empty() {
                    break;
                }
            }
        }
    }
    if visible.is_empty() { Err(CUDA_ERROR_NO_DEVICE) } else { Ok(visible) }
}

/// The device of a number, and what comes after the number.
fn by_number(item: &str, count: usize) -> (Option<usize>, &str) {
    let item = item.trim_start();
    let item = item.strip_prefix('+').unwrap_or(item);
    let end = item.find(|c: char| !c.is_ascii_digit()).unwrap_or(item.len());
    let (digits, rest) = item.split_at(end);
    (digits.parse().ok().filter(|&number| number < count), rest)
}

/// The device whose identity begins so, if it is one alone.
fn by_uuid(item: &str, count: usize) -> Option<usize> {
    let begins = item.strip_prefix("GPU-").filter(|begins| !begins.is_empty())?;
    let mut found = (0..count).filter(|&number| text(number).starts_with(begins));
    let number = found.next()?;
    found.next().is_none().then_some(number)
}

/// The identity of a device as tools write it.
fn text(number: usize) -> String {
    let mut text = String::new();
    for (i, byte) in device::uuid(number).into_iter().enumerate() {
        if matches!(i, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        text += &format!("{:02x}", byte as u8);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_as_an_h100_reads_them() {
        let (none, twice) = (Err(CUDA_ERROR_NO_DEVICE), Err(CUDA_ERROR_INVALID_DEVICE));
        assert_eq!(devices(2, None), Ok(vec![0, 1]));
        assert_eq!(devices(0, None), none);
        for list in [
            "0", "00", "+0", "0x0", " 0", "0 ", "0,-1", "0,1", "0,9", "0,x", "0x", "0;1", "0,",
            "0,,1",
        ] {
            assert_eq!(devices(1, Some(list)), Ok(vec![0]), "{list:?}");
        }
        for list in
            ["", "-1", "-1,0", "1", "1,0", "x", "x,0", ",", ",0", "all", "GPU-", "gpu-63", "MIG-1"]
        {
            assert_eq!(devices(1, Some(list)), none, "{list:?}");
        }
        assert_eq!(devices(1, Some("0,0")), twice);
        assert_eq!(devices(1, Some("0 ,0")), twice);
        assert_eq!(devices(3, Some("2,0")), Ok(vec![2, 0]));
        // By identity, or a beginning that no other has; and not in the same list as numbers.
        let [zero, one] = [0, 1].map(|number| format!("GPU-{}", text(number)));
        assert_eq!(zero, "GPU-63757363-6f70-652d-736f-667400000000");
        assert_eq!(devices(2, Some(&format!("{one},{zero}"))), Ok(vec![1, 0]));
        assert_eq!(devices(2, Some(&format!("{one},0"))), Ok(vec![1]));
        assert_eq!(devices(2, Some(&format!("0,{one}"))), Ok(vec![0]));
        assert_eq!(devices(2, Some("GPU-63757363")), none);
        assert_eq!(devices(1, Some("GPU-63757363")), Ok(vec![0]));
    }
}
