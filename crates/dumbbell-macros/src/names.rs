//! Identifiers, replaced token by token.
use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::quote;
use syn::Path;

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

/// The path of a type in the module `module`; `None` if `ident` is no type, or every scope knows it.
pub(crate) fn qualified(
    ident: &Ident,
    module: &Path,
    parameters: &[&Ident],
) -> Option<TokenStream> {
    let text = ident.to_string();
    let known = PRELUDE.contains(&text.as_str()) || parameters.contains(&ident);
    if known || !text.starts_with(|c: char| c.is_ascii_uppercase()) {
        return None;
    }
    let within = module.segments.iter().skip_while(|s| s.ident == "crate");
    // `$crate` is the crate of the trait, wherever the macro is called.
    let root = Ident::new("crate", Span::call_site());
    Some(quote!($ #root :: #(#within ::)* #ident))
}
