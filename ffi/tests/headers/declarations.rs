//! The declarations of the crate, read from its sources.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};
use syn::parse::{Parse, ParseStream, Parser};
use syn::{Attribute, Expr, Ident, Item, LitInt, Token, Type, braced, parenthesized};

/// Everything that the sources declare, each kind in the order of the files.
#[derive(Default)]
pub(crate) struct Declarations {
    pub(crate) functions: Vec<Function>,
    pub(crate) layouts: Vec<Layout>,
    pub(crate) enums: Vec<Enum>,
    pub(crate) constants: Vec<Constant>,
    pub(crate) aliases: Vec<Alias>,
    pub(crate) handles: Vec<Handle>,
    /// The name and the reason of every `// skipped NAME: reason`.
    pub(crate) skipped: BTreeMap<String, String>,
}

pub(crate) struct Function {
    pub(crate) name: String,
    /// The first version of CUDA that has it.
    pub(crate) since: u32,
    /// Looked up, not linked.
    pub(crate) newer: bool,
    pub(crate) arguments: Vec<Type>,
    pub(crate) returns: Type,
}

/// A struct or a union.
pub(crate) struct Layout {
    pub(crate) name: String,
    pub(crate) union: bool,
    /// `#[repr(C)]`, and with which alignment.
    pub(crate) repr: Option<Repr>,
    pub(crate) fields: Vec<(String, Type)>,
}

#[derive(Clone, Copy)]
pub(crate) struct Repr {
    pub(crate) align: Option<u32>,
}

pub(crate) struct Enum {
    pub(crate) name: String,
    pub(crate) repr: Type,
}

pub(crate) struct Constant {
    pub(crate) name: String,
    /// The type of flags that has it.
    pub(crate) flags: Option<String>,
    pub(crate) value: Expr,
}

pub(crate) struct Alias {
    pub(crate) name: String,
    pub(crate) is: Type,
}

pub(crate) struct Handle {
    pub(crate) name: String,
    pub(crate) tag: String,
}

/// The Rust files in `folder` and below, with their text.
pub(crate) fn sources(folder: &Path) -> io::Result<BTreeMap<PathBuf, String>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(sources(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path)?;
            found.insert(path, text);
        }
    }
    Ok(found)
}

impl Declarations {
    pub(crate) fn read<'a>(texts: impl IntoIterator<Item = &'a String>) -> syn::Result<Self> {
        let mut found = Self::default();
        for text in texts {
            for item in syn::parse_file(text)?.items {
                found.item(item)?;
            }
            for line in text.lines() {
                let skipped = line.trim_start().strip_prefix("// skipped ");
                if let Some((name, reason)) = skipped.and_then(|rest| rest.split_once(": ")) {
                    found.skipped.insert(name.to_owned(), reason.to_owned());
                }
            }
        }
        Ok(found)
    }

    fn item(&mut self, item: Item) -> syn::Result<()> {
        match item {
            Item::Struct(item) => {
                let fields = item.fields.into_iter().filter(|field| field.ident.is_some());
                let fields = fields.map(|field| (plain(&field.ident.unwrap()), field.ty)).collect();
                self.layout(&item.ident, false, &item.attrs, fields)?;
            }
            Item::Union(item) => {
                let fields = item.fields.named.into_iter();
                let fields = fields.map(|field| (plain(&field.ident.unwrap()), field.ty)).collect();
                self.layout(&item.ident, true, &item.attrs, fields)?;
            }
            Item::Type(item) if is_c(&item.ident) => {
                self.aliases.push(Alias { name: plain(&item.ident), is: *item.ty });
            }
            Item::Const(item) if is_c(&item.ident) => {
                self.constants.push(Constant {
                    name: plain(&item.ident),
                    flags: None,
                    value: *item.expr,
                });
            }
            Item::Macro(item) => self.invocation(item)?,
            _ => {}
        }
        Ok(())
    }

    fn layout(
        &mut self,
        name: &Ident,
        union: bool,
        attributes: &[Attribute],
        fields: Vec<(String, Type)>,
    ) -> syn::Result<()> {
        if is_c(name) {
            let repr = repr(attributes)?;
            self.layouts.push(Layout { name: plain(name), union, repr, fields });
        }
        Ok(())
    }

    fn invocation(&mut self, item: syn::ItemMacro) -> syn::Result<()> {
        let Some(path) = item.mac.path.get_ident().map(Ident::to_string) else { return Ok(()) };
        let tokens = item.mac.tokens;
        match (path.as_str(), item.ident) {
            ("enumeration", _) => self.members(Enumerations::parse.parse2(tokens)?),
            ("flags", _) => self.members(Flags::parse.parse2(tokens)?.0),
            ("handles", _) => {
                for handle in Handles::parse.parse2(tokens)?.0 {
                    self.handles.push(handle);
                }
            }
            ("macro_rules", Some(name)) if name.to_string().ends_with("_functions") => {
                let newer = name.to_string().ends_with("_newer_functions");
                if let Some(list) = handed_on(tokens) {
                    let list = Functions::parse.parse2(list)?.0;
                    self.functions.extend(list.into_iter().map(|it| Function { newer, ..it }));
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn members(&mut self, Enumerations(enums): Enumerations) {
        for (item, constants) in enums {
            self.enums.push(item);
            self.constants.extend(constants);
        }
    }
}

/// Whether a name is one of cuda.h; the crate has a few of its own.
fn is_c(name: &Ident) -> bool {
    let name = name.to_string();
    ["CU", "cu", "cl_", "NVCL_"].iter().any(|prefix| name.starts_with(prefix))
}

/// A name as C has it.
fn plain(name: &Ident) -> String {
    name.to_string().trim_start_matches("r#").to_owned()
}

fn repr(attributes: &[Attribute]) -> syn::Result<Option<Repr>> {
    let mut found = None;
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("repr")) {
        attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("C") {
                found.get_or_insert(Repr { align: None });
            } else if meta.path.is_ident("align") {
                let content;
                parenthesized!(content in meta.input);
                let align = content.parse::<LitInt>()?.base10_parse()?;
                found = Some(Repr { align: Some(align) });
            }
            Ok(())
        })?;
    }
    Ok(found)
}

/// The block of `$with! { … }` in a macro that hands it on.
fn handed_on(tokens: TokenStream) -> Option<TokenStream> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for window in tokens.windows(3) {
        if let [TokenTree::Ident(with), TokenTree::Punct(bang), TokenTree::Group(block)] = window
            && with == "with"
            && bang.as_char() == '!'
            && block.delimiter() == Delimiter::Brace
        {
            return Some(block.stream());
        }
    }
    tokens.into_iter().find_map(|token| match token {
        TokenTree::Group(group) => handed_on(group.stream()),
        _ => None,
    })
}

/// `12050 fn name(argument: type, …) -> type;`, any number of them.
struct Functions(Vec<Function>);

impl Parse for Functions {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut list = Vec::new();
        while !input.is_empty() {
            input.call(Attribute::parse_outer)?;
            let since = input.parse::<LitInt>()?.base10_parse()?;
            input.parse::<Token![fn]>()?;
            let name = plain(&input.parse()?);
            let content;
            parenthesized!(content in input);
            let argument = |input: ParseStream<'_>| {
                input.parse::<Ident>()?;
                input.parse::<Token![:]>()?;
                input.parse::<Type>()
            };
            let arguments = content.parse_terminated(argument, Token![,])?.into_iter().collect();
            input.parse::<Token![->]>()?;
            let returns = input.parse()?;
            input.parse::<Token![;]>()?;
            list.push(Function { name, since, newer: false, arguments, returns });
        }
        Ok(Self(list))
    }
}

/// `pub enum Name: repr { VALUE = number, … }`, any number of them.
struct Enumerations(Vec<(Enum, Vec<Constant>)>);

impl Parse for Enumerations {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut list = Vec::new();
        while !input.is_empty() {
            input.call(Attribute::parse_outer)?;
            input.parse::<Token![pub]>()?;
            input.parse::<Token![enum]>()?;
            let name = plain(&input.parse()?);
            input.parse::<Token![:]>()?;
            let repr = input.parse()?;
            let content;
            braced!(content in input);
            let constant = |input: ParseStream<'_>| {
                input.call(Attribute::parse_outer)?;
                let name = plain(&input.parse()?);
                input.parse::<Token![=]>()?;
                Ok(Constant { name, flags: None, value: input.parse()? })
            };
            let constants = content.parse_terminated(constant, Token![,])?.into_iter().collect();
            list.push((Enum { name, repr }, constants));
        }
        Ok(Self(list))
    }
}

/// `pub struct Name: repr { const VALUE = number; … }`, any number of them.
struct Flags(Enumerations);

impl Parse for Flags {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut list = Vec::new();
        while !input.is_empty() {
            input.call(Attribute::parse_outer)?;
            input.parse::<Token![pub]>()?;
            input.parse::<Token![struct]>()?;
            let name = plain(&input.parse()?);
            input.parse::<Token![:]>()?;
            let repr = input.parse()?;
            let content;
            braced!(content in input);
            let mut constants = Vec::new();
            while !content.is_empty() {
                content.call(Attribute::parse_outer)?;
                content.parse::<Token![const]>()?;
                let constant = plain(&content.parse()?);
                content.parse::<Token![=]>()?;
                let value = content.parse()?;
                constants.push(Constant { name: constant, flags: Some(name.clone()), value });
                content.parse::<Token![;]>()?;
            }
            list.push((Enum { name, repr }, constants));
        }
        Ok(Self(Enumerations(list)))
    }
}

/// `Name -> Tag;`, any number of them.
struct Handles(Vec<Handle>);

impl Parse for Handles {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut list = Vec::new();
        while !input.is_empty() {
            input.call(Attribute::parse_outer)?;
            let name = plain(&input.parse()?);
            input.parse::<Token![->]>()?;
            let tag = plain(&input.parse()?);
            input.parse::<Token![;]>()?;
            list.push(Handle { name, tag });
        }
        Ok(Self(list))
    }
}
