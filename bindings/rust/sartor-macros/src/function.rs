// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Attributes of functions: output the function unchanged, and a row that describes it.

use proc_macro::{Delimiter, Ident, TokenStream, TokenTree};

use crate::tokens::{
    as_group, as_ident, colon_of, is_punct, is_word, split_at_commas, with_lifetimes_left_out,
    without_attributes, Mistake,
};

#[derive(Clone, Copy, PartialEq)]
pub enum Kind {
    Handler,
    Fold,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Handler => "handler",
            Kind::Fold => "fold",
        }
    }
}

pub fn expand(kind: Kind, words: TokenStream, item: TokenStream) -> TokenStream {
    match row(kind, words, item.clone()) {
        // Never inlined, so that there is one copy, in this crate: rustc would generate short functions in
        // all crates that call them.
        Ok(row) => never_inlined().into_iter().chain(item).chain(row).collect(),
        Err(mistake) => item.into_iter().chain(mistake.report()).collect(),
    }
}

fn never_inlined() -> TokenStream {
    "#[inline(never)]".parse().expect("an attribute is Rust")
}

fn bits_of(kind: Kind, words: TokenStream) -> Result<u32, Mistake> {
    let words: Vec<TokenTree> = words.into_iter().collect();
    match (kind, words.as_slice()) {
        (Kind::Handler, []) => Ok(1),
        (Kind::Handler, [word]) if is_word(word, "direct") => Ok(1 | 2),
        (Kind::Fold, []) => Ok(4),
        (_, [word, ..]) => Err(Mistake::new(
            word.span(),
            match kind {
                Kind::Handler => "there are #[handler] and #[handler(direct)]",
                Kind::Fold => "there is nothing to say to #[fold]",
            },
        )),
    }
}

struct Signature {
    name: Ident,
    /// `#[cfg(…)]`, which also applies to the row.
    conditions: String,
    types: Vec<TokenStream>,
}

fn row(kind: Kind, words: TokenStream, item: TokenStream) -> Result<TokenStream, Mistake> {
    let bits = bits_of(kind, words)?;
    let signature = signature_of(kind, item)?;
    let name = signature.name.to_string();
    let forms: String =
        signature.types.iter().map(|of| format!("<{of} as ::sartor::Parameter>::FORM, ")).collect();
    let count = signature.types.len();
    let conditions = signature.conditions;
    let row = format!(
        "{conditions} const _: () = {{
            ::sartor::compiled_by_sartor_build!();
            #[used]
            #[unsafe(link_section = \"sartor_functions\")]
            static ROW: ::sartor::row::Row<{count}> = ::sartor::row::Row::new(
                {name} as *const (),
                ::core::concat!(::core::module_path!(), \"::{name}\\0\"),
                {bits},
                [{forms}],
            );
        }};"
    );
    Ok(row.parse().expect("a row is Rust"))
}

fn signature_of(kind: Kind, item: TokenStream) -> Result<Signature, Mistake> {
    let tokens: Vec<TokenTree> = item.into_iter().collect();
    let kind_name = kind.name();
    let Some(at) = tokens.iter().position(|token| is_word(token, "fn")) else {
        let place = tokens.first().map_or_else(proc_macro::Span::call_site, TokenTree::span);
        return Err(Mistake::new(place, format!("#[{kind_name}] stands at a function")));
    };
    let mut conditions = String::new();
    for token in &tokens[..at] {
        if let Some(words) = as_group(token, Delimiter::Bracket) {
            if words.stream().into_iter().next().is_some_and(|word| is_word(&word, "cfg")) {
                conditions += &format!("#{words}");
            }
        }
        let attribute = as_group(token, Delimiter::Bracket).map(|group| group.stream());
        if attribute
            .is_some_and(|words| words.into_iter().next().is_some_and(|word| is_word(&word, "inline")))
        {
            return Err(Mistake::new(
                token.span(),
                format!("a function with #[{kind_name}] is not #[inline]: it is there once, as code"),
            ));
        }
        if is_word(token, "extern") {
            return Err(Mistake::new(
                token.span(),
                format!("a function with #[{kind_name}] is called as Rust's are: leave out `extern`"),
            ));
        }
        if is_word(token, "async") || is_word(token, "const") {
            return Err(Mistake::new(
                token.span(),
                format!("a function with #[{kind_name}] is not `{token}`: it is there once, as code"),
            ));
        }
    }
    let name = tokens
        .get(at + 1)
        .and_then(as_ident)
        .ok_or_else(|| Mistake::new(tokens[at].span(), "a function has a name"))?
        .clone();
    let list = tokens[at..]
        .iter()
        .position(|token| as_group(token, Delimiter::Parenthesis).is_some())
        .ok_or_else(|| Mistake::new(name.span(), "a function has parameters"))?
        + at;
    check_generics(&name, kind, &tokens[at + 2..list])?;
    let parameters = as_group(&tokens[list], Delimiter::Parenthesis).expect("it was found").stream();
    let mut types = Vec::new();
    for parameter in split_at_commas(parameters) {
        let parameter = without_attributes(&parameter);
        let Some(colon) = colon_of(parameter) else {
            return Err(Mistake::new(
                parameter.first().map_or(name.span(), TokenTree::span),
                format!("`{name}` is a method: put #[{kind_name}] at a function that is called by it"),
            ));
        };
        let of = &parameter[colon + 1..];
        if let Some(word) = of.iter().find(|token| is_word(token, "impl")) {
            return Err(generic(&name, kind, word.span()));
        }
        types.push(with_lifetimes_left_out(of));
    }
    Ok(Signature { name, conditions, types })
}

fn generic(name: &Ident, kind: Kind, place: proc_macro::Span) -> Mistake {
    Mistake::new(
        place,
        format!(
            "`{name}` has type parameters, so there is no one function of it: call it by a function \
             without, `fn {name}_of_mine(…) {{ {name}::<Mine>(…) }}`, and put #[{}] there",
            kind.name()
        ),
    )
}

/// Only lifetimes are allowed, because they do not affect the code.
fn check_generics(name: &Ident, kind: Kind, between: &[TokenTree]) -> Result<(), Mistake> {
    if !between.first().is_some_and(|token| is_punct(token, '<')) {
        return Ok(());
    }
    let inside: TokenStream = between[1..].iter().cloned().collect();
    let inside: Vec<Vec<TokenTree>> = split_at_commas(inside);
    for parameter in inside {
        let first = &parameter[0];
        if !is_punct(first, '\'') && !is_punct(first, '>') {
            return Err(generic(name, kind, first.span()));
        }
    }
    Ok(())
}
