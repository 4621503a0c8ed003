//! The table of fields from which a configuration's JSON Schema is made.
use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::{
    Attribute, Expr, ExprLit, ExprUnary, Field, Ident, ItemStruct, Lit, LitStr, Meta, Result,
    Token, UnOp, parenthesized,
};

/// What `#[schemars(...)]` says about a field.
#[derive(Default)]
struct Keywords {
    /// `range(min = ..., max = ...)`.
    bounds: Vec<TokenStream>,
    /// `extend("key" = value)`.
    extensions: Vec<TokenStream>,
}

impl Parse for Keywords {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let mut keywords = Keywords::default();
        while !input.is_empty() {
            let word: Ident = input.parse()?;
            let inner;
            parenthesized!(inner in input);
            if word == "range" {
                for (bound, value) in pairs::<Ident>(&inner)? {
                    let key = match bound.to_string().as_str() {
                        "min" => "minimum",
                        "max" => "maximum",
                        _ => return Err(syn::Error::new(bound.span(), "expected `min` or `max`")),
                    };
                    keywords.bounds.push(quote!((#key, #value)));
                }
            } else if word == "extend" {
                for (key, value) in pairs::<LitStr>(&inner)? {
                    keywords.extensions.push(quote!((#key, #value)));
                }
            } else {
                return Err(syn::Error::new(word.span(), "expected `range` or `extend`"));
            }
            input.parse::<Option<Token![,]>>()?;
        }
        Ok(keywords)
    }
}

/// `key = constant`, separated by commas.
fn pairs<K: Parse>(input: ParseStream<'_>) -> Result<Vec<(K, TokenStream)>> {
    let mut pairs = Vec::new();
    while !input.is_empty() {
        let key = input.parse()?;
        input.parse::<Token![=]>()?;
        pairs.push((key, constant(&input.parse()?)?));
        input.parse::<Option<Token![,]>>()?;
    }
    Ok(pairs)
}

/// A literal as a `Constant`.
fn constant(value: &Expr) -> Result<TokenStream> {
    let (number, sign) = match value {
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => (&**expr, quote!(-)),
        other => (other, quote!()),
    };
    let constant = quote!(::dumbbell_core::catalogue::schema::Constant);
    match number {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Ok(quote!(#constant::Text(#text))),
        Expr::Lit(ExprLit { lit: Lit::Int(n), .. }) => Ok(quote!(#constant::Whole(#sign #n))),
        Expr::Lit(ExprLit { lit: Lit::Float(x), .. }) => Ok(quote!(#constant::Real(#sign #x))),
        other => Err(syn::Error::new_spanned(other, "expected a literal")),
    }
}

/// Takes the attribute `schemars` off a field.
fn take(field: &mut Field) -> Result<Keywords> {
    let mut keywords = Keywords::default();
    for attribute in field.attrs.iter().filter(|a| a.path().is_ident("schemars")) {
        let more: Keywords = attribute.parse_args()?;
        keywords.bounds.extend(more.bounds);
        keywords.extensions.extend(more.extensions);
    }
    field.attrs.retain(|a| !a.path().is_ident("schemars"));
    Ok(keywords)
}

/// The text of a doc comment.
fn doc(attributes: &[Attribute]) -> String {
    let lines = attributes.iter().filter_map(|a| match &a.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            Expr::Lit(ExprLit { lit: Lit::Str(line), .. }) => {
                let line = line.value();
                Some(line.strip_prefix(' ').unwrap_or(&line).to_string())
            }
            _ => None,
        },
        _ => None,
    });
    lines.collect::<Vec<_>>().join("\n").trim_ascii().to_string()
}

/// The name of a field in a scenario: its own, or that of `#[serde(rename = "...")]`.
fn key(field: &Field) -> Result<String> {
    let mut key = field.ident.as_ref().map(Ident::to_string).unwrap_or_default();
    for attribute in field.attrs.iter().filter(|a| a.path().is_ident("serde")) {
        attribute.parse_nested_meta(|meta| {
            if !meta.path.is_ident("rename") {
                return Err(meta.error("expected `rename`"));
            }
            key = meta.value()?.parse::<LitStr>()?.value();
            Ok(())
        })?;
    }
    Ok(key)
}

/// `JsonSchema` of a configuration whose fields still have their attributes `schemars`; takes them
/// off.
pub(crate) fn implement(item: &mut ItemStruct) -> Result<TokenStream> {
    let mut rows = Vec::new();
    for field in &mut item.fields {
        let Keywords { bounds, extensions } = take(field)?;
        let (key, doc, of) = (key(field)?, doc(&field.attrs), &field.ty);
        rows.push(quote! {
            ::dumbbell_core::catalogue::schema::FieldSchema {
                key: #key,
                of: |generator| generator.subschema_for::<#of>(),
                doc: #doc,
                bounds: &[#(#bounds),*],
                extensions: &[#(#extensions),*],
            }
        });
    }
    let (name, doc) = (&item.ident, doc(&item.attrs));
    let written = name.to_string();
    Ok(quote! {
        impl ::schemars::JsonSchema for #name {
            fn schema_name() -> ::std::borrow::Cow<'static, str> {
                #written.into()
            }
            fn schema_id() -> ::std::borrow::Cow<'static, str> {
                ::core::concat!(::core::module_path!(), "::", #written).into()
            }
            fn json_schema(generator: &mut ::schemars::SchemaGenerator) -> ::schemars::Schema {
                let defaults = ::dumbbell_core::catalogue::schema::written(&Self::default());
                let fields = [#(#rows),*];
                ::dumbbell_core::catalogue::schema::of_config(generator, #doc, &defaults, &fields)
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse2;

    fn implemented(item: TokenStream) -> String {
        let schema = parse2(item).and_then(|mut item| implement(&mut item));
        schema.unwrap_or_else(syn::Error::into_compile_error).to_string()
    }

    #[test]
    fn a_field_has_its_name_its_words_and_its_keywords() {
        let written = implemented(quote! {
            struct Own {
                /// One line
                /// and another.
                #[schemars(range(min = -1, max = 2.5), extend("x-source" = "ours"))]
                #[serde(rename = "in")]
                inside: u32
            }
        });
        for expected in [
            quote!(key: "in"),
            quote!(doc: "One line\nand another."),
            quote!(("minimum", ::dumbbell_core::catalogue::schema::Constant::Whole(-1))),
            quote!(("maximum", ::dumbbell_core::catalogue::schema::Constant::Real(2.5))),
            quote!(("x-source", ::dumbbell_core::catalogue::schema::Constant::Text("ours"))),
        ] {
            assert!(written.contains(&expected.to_string()), "{expected} in {written}");
        }
    }

    #[test]
    fn what_the_table_cannot_say_is_refused() {
        let of = |attribute: TokenStream| implemented(quote!(struct Own { #attribute a: u32 }));
        assert!(of(quote!(#[schemars(length(min = 1))])).contains("expected `range`"));
        assert!(of(quote!(#[schemars(range(least = 1))])).contains("expected `min` or `max`"));
        assert!(of(quote!(#[schemars(range(min = LEAST))])).contains("expected a literal"));
        assert!(of(quote!(#[serde(skip)])).contains("expected `rename`"));
    }
}
