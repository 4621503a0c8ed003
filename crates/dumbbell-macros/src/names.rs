//! Identifiers, replaced token by token.
use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Path, PathSegment, Result, Token, UseTree, parse_quote};

/// What every scope knows.
const PRELUDE: [&str; 8] = ["Self", "Option", "Some", "None", "Vec", "Box", "Result", "String"];

/// `tokens` with each identifier that begins a path and for which `new` knows something else.
pub(crate) fn replace(
    tokens: TokenStream,
    new: &impl Fn(&Ident) -> Option<TokenStream>,
) -> TokenStream {
    let mut out = TokenStream::new();
    // The number of colons in a row before this token: after two the path has begun.
    let mut colons = 0;
    for token in tokens {
        let replaced = match &token {
            TokenTree::Ident(ident) if colons < 2 => new(ident),
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), replace(group.stream(), new));
                inner.set_span(group.span());
                Some(TokenTree::from(inner).into())
            }
            _ => None,
        };
        let colon = matches!(&token, TokenTree::Punct(p) if p.as_char() == ':');
        colons = if colon { colons + 1 } else { 0 };
        out.extend(replaced.unwrap_or_else(|| token.into()));
    }
    out
}

/// Where the types of a declaration are: `crate::{aqm::*, units::Span}`.
pub(crate) struct Names {
    /// The module of those that have no path of their own here.
    module: Option<Path>,
    paths: Vec<(Ident, Path)>,
}

impl Parse for Names {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let mut names = Names { module: None, paths: Vec::new() };
        names.add(input.parse()?, Punctuated::new())?;
        Ok(names)
    }
}

impl Names {
    fn add(
        &mut self,
        tree: UseTree,
        mut within: Punctuated<PathSegment, Token![::]>,
    ) -> Result<()> {
        let path = |segments| Path { leading_colon: None, segments };
        match tree {
            UseTree::Path(tree) => {
                within.push(tree.ident.into());
                self.add(*tree.tree, within)?;
            }
            UseTree::Group(tree) => {
                for tree in tree.items {
                    self.add(tree, within.clone())?;
                }
            }
            UseTree::Glob(_) => self.module = Some(path(within)),
            UseTree::Name(tree) => {
                within.push(tree.ident.clone().into());
                self.paths.push((tree.ident, path(within)));
            }
            UseTree::Rename(tree) => {
                return Err(syn::Error::new(tree.rename.span(), "write the name of the type"));
            }
        }
        Ok(())
    }

    /// `tokens` with the whole path of each type, but for those that are `known`.
    pub(crate) fn qualify(&self, tokens: TokenStream, known: &[&Ident]) -> TokenStream {
        replace(tokens, &|ident| {
            let text = ident.to_string();
            let known = PRELUDE.contains(&text.as_str()) || known.contains(&ident);
            if known || !text.starts_with(|c: char| c.is_ascii_uppercase()) {
                return None;
            }
            match (self.paths.iter().find(|(name, _)| name == ident), &self.module) {
                (Some((_, path)), _) => Some(everywhere(path)),
                (None, Some(module)) => Some(everywhere(&parse_quote!(#module::#ident))),
                (None, None) => None,
            }
        })
    }
}

/// A path that means the same wherever a macro has it: `crate` is the crate that declares it.
fn everywhere(path: &Path) -> TokenStream {
    match path.segments.first() {
        Some(first) if first.ident == "crate" => {
            let within = path.segments.iter().skip(1);
            let root = Ident::new("crate", Span::call_site());
            quote!($ #root #(::#within)*)
        }
        _ => quote!(::#path),
    }
}
