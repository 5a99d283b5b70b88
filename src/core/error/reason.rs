//! The reason of a refusal of this crate.

use std::fmt;
use std::ops::Deref;

/// Why this crate refused an argument, and how to fix the program. It dereferences to the text.
///
/// Most reasons are constants. A reason with a number of the program in it is written when the call is refused. Either way
/// it has the size of a `&str`, so that a [`Result`](crate::Result) stays small.
#[derive(Clone)]
pub struct Reason(Text);

#[derive(Clone)]
enum Text {
    Known(&'static str),
    #[allow(
        clippy::box_collection,
        reason = "a pointer alone, so that the whole has the size of a text"
    )]
    Written(Box<String>),
}

impl Reason {
    /// Creates a reason from a constant text.
    #[must_use]
    pub const fn new(text: &'static str) -> Reason {
        Reason(Text::Known(text))
    }
}

impl From<&'static str> for Reason {
    #[inline]
    fn from(text: &'static str) -> Reason {
        Reason::new(text)
    }
}

impl From<String> for Reason {
    #[cold]
    fn from(text: String) -> Reason {
        Reason(Text::Written(Box::new(text)))
    }
}

impl Deref for Reason {
    type Target = str;

    fn deref(&self) -> &str {
        match &self.0 {
            Text::Known(text) => text,
            Text::Written(text) => text,
        }
    }
}

impl PartialEq for Reason {
    fn eq(&self, other: &Reason) -> bool {
        **self == **other
    }
}

impl Eq for Reason {}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl fmt::Debug for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::Reason;

    #[test]
    fn a_reason_is_as_small_as_a_text_and_equal_to_one_with_the_same() {
        assert_eq!(size_of::<Reason>(), size_of::<&str>());
        let (known, written) =
            (Reason::new("the size is 0"), Reason::from("the size is 0".to_owned()));
        assert_eq!(known, written);
        assert_eq!(written.clone().to_string(), "the size is 0");
        assert_eq!(format!("{written:?}"), "\"the size is 0\"");
        assert_ne!(known, Reason::new("the size is 1"));
    }
}
