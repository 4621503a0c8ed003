//! Identifiers in a signature, replaced token by token.
use proc_macro2::{Group, Ident, TokenStream, TokenTree};

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
