//! Names that the driver does not find in code, and those that it has.

use crate::error::Result;
use crate::image::PtxContents;
use std::cmp::Reverse;
use std::ffi::CStr;

/// The most names that a message lists.
const LISTED: usize = 8;

/// The names that code has.
pub(crate) struct Names {
    owner: &'static str,
    /// `None` if they are not known.
    kernels: Option<Vec<String>>,
    variables: Vec<String>,
}

impl Names {
    /// `kernels` are the driver's names. Older drivers do not tell, but the text does.
    #[inline]
    pub(crate) fn new(
        owner: &'static str,
        kernels: Result<Vec<String>>,
        contents: &PtxContents,
    ) -> Names {
        let declared = || contents.kernels.iter().map(|kernel| kernel.name.clone()).collect();
        let known = !contents.kernels.is_empty() || !contents.variables.is_empty();
        let kernels = kernels.ok().or_else(|| known.then(declared));
        Names { owner, kernels, variables: contents.variables.clone() }
    }

    /// Returns why there is no such kernel.
    #[inline]
    pub(crate) fn no_kernel(&self, name: &CStr) -> String {
        let (owner, name) = (self.owner, name.to_string_lossy());
        if name.is_empty() {
            return format!("the name is empty: {}", self.kernels(&name));
        }
        if self.variables.iter().any(|variable| *variable == *name) {
            return format!(
                "`{name}` is a variable: look it up with `variable`; {}",
                self.kernels(&name)
            );
        }
        format!(
            "{owner} has no kernel `{name}`: {}; declare it `extern \"C\"` and `__global__`, or pass the \
             mangled name",
            self.kernels(&name)
        )
    }

    /// Returns why there is no such variable.
    #[inline]
    pub(crate) fn no_variable(&self, name: &CStr) -> String {
        let (owner, name) = (self.owner, name.to_string_lossy());
        if name.is_empty() {
            return format!("the name is empty: {}", self.variables(&name));
        }
        if self.kernels.iter().flatten().any(|kernel| *kernel == *name) {
            return format!("`{name}` is a kernel: look it up with `kernel` or `function`");
        }
        format!(
            "{owner} has no variable `{name}`: {}; shared memory and constants in functions are none; \
             declare it `__device__` or `__constant__` outside of namespaces, or pass the mangled name",
            self.variables(&name)
        )
    }

    /// Returns why there is no such managed variable.
    #[inline]
    pub(crate) fn not_managed(&self, name: &CStr) -> String {
        let own = name.to_string_lossy();
        if self.variables.iter().any(|variable| *variable == *own) {
            return format!(
                "`{own}` is not managed: look it up with `variable`, or declare it `__managed__`"
            );
        }
        self.no_variable(name)
    }

    #[inline]
    fn kernels(&self, like: &str) -> String {
        match &self.kernels {
            Some(kernels) => list("its kernels are", kernels, like),
            None => "this driver does not tell its kernels".to_owned(),
        }
    }

    #[inline]
    fn variables(&self, like: &str) -> String {
        match (&*self.variables, &self.kernels) {
            // Only text declares them.
            ([], Some(kernels)) => format!(
                "of machine code, no variables are listed; {}",
                list("its kernels are", kernels, like)
            ),
            (variables, _) => list("its variables are", variables, like),
        }
    }
}

/// Lists names, those that are most like one first.
#[inline]
fn list(begin: &str, names: &[String], like: &str) -> String {
    let mut names: Vec<_> = names.iter().collect();
    names.sort_by_key(|name| Reverse(likeness(name, like)));
    let listed: Vec<_> = names.iter().take(LISTED).map(|name| format!("`{name}`")).collect();
    match names.len() {
        0 => "it has none".to_owned(),
        1..=LISTED => format!("{begin} {}", listed.join(", ")),
        all => format!("{begin} {} and {} more", listed.join(", "), all - LISTED),
    }
}

/// Returns how many characters two names have in common at both ends.
#[inline]
fn likeness(one: &str, other: &str) -> usize {
    let common =
        |ends: &mut dyn Iterator<Item = (char, char)>| ends.take_while(|(a, b)| a == b).count();
    let begin = common(&mut one.chars().zip(other.chars()));
    begin + common(&mut one.chars().rev().zip(other.chars().rev()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_alike_come_first_and_not_all_are_listed() {
        let names: Vec<String> = (0..20).map(|number| format!("kernel_{number}")).collect();
        let text = list("they are", &names, "karnel_17");
        assert!(text.starts_with("they are `kernel_17`"), "{text}");
        assert!(text.ends_with("and 12 more"), "{text}");
        assert_eq!(list("they are", &[], "x"), "it has none");
        assert_eq!(list("they are", &names[..2], "x"), "they are `kernel_0`, `kernel_1`");
        let ends = ["nothing", "kernel", "store_2"].map(str::to_owned);
        let text = list("they are", &ends, "store_1");
        assert!(text.starts_with("they are `store_2`"), "one end alike is enough: {text}");
    }

    #[test]
    fn a_name_of_the_other_kind_is_told() {
        let contents = PtxContents::of(b".global .u32 counter; .entry k() {}");
        let names = |kernels: &[&str]| {
            let kernels = kernels.iter().map(|&name| name.to_owned()).collect();
            Names::new("the module", Ok(kernels), &contents)
        };
        let names = names(&["k"]);
        assert!(names.no_kernel(c"counter").contains("is a variable"));
        assert!(names.no_variable(c"k").contains("is a kernel"));
        assert!(names.not_managed(c"counter").contains("is not managed"));
        assert!(names.no_kernel(c"").starts_with("the name is empty: its kernels are `k`"));
        assert!(
            names.no_variable(c"").starts_with("the name is empty: its variables are `counter`")
        );
        assert!(names.no_variable(c"count").contains("its variables are `counter`"));
        let older =
            crate::error::Error::NeedsDriver { call: crate::call::name!(cuInit), since: 12040 };
        let unknown = |contents| Names::new("the module", Err(older.clone()), contents);
        assert!(unknown(&contents).no_kernel(c"x").contains("its kernels are `k`"));
        // Of text that declares one or the other, both are known.
        let kernels = PtxContents::of(b".entry k() {}");
        assert!(unknown(&kernels).no_kernel(c"x").contains("its kernels are `k`"));
        let variables = PtxContents::of(b".global .u32 counter;");
        assert!(unknown(&variables).no_kernel(c"x").contains("it has none"));
        let none = unknown(&PtxContents::default()).no_kernel(c"x");
        assert!(none.contains("does not tell"), "{none}");
    }
}
