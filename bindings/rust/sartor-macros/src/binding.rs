// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `bind!`: a call in which some arguments are fixed.

use proc_macro::{Delimiter, Span, TokenStream, TokenTree};

use crate::tokens::{as_group, as_ident, colon_of, is_punct, is_word, split_at_commas, Mistake};

pub fn expand(input: TokenStream) -> TokenStream {
    match binding(input) {
        Ok(tokens) => tokens,
        Err(mistake) => mistake.report(),
    }
}

const FORM: &str = "write bind!(runtime, |free: Type| -> Result { handler(bound, free) }), with all types";

struct Parameter {
    name: String,
    of: String,
}

struct Call {
    handler: String,
    arguments: Vec<Vec<TokenTree>>,
    is_unsafe: bool,
}

fn text_of(tokens: &[TokenTree]) -> TokenStream {
    tokens.iter().cloned().collect()
}

fn binding(input: TokenStream) -> Result<TokenStream, Mistake> {
    let tokens: Vec<TokenTree> = input.into_iter().collect();
    let wrong = |at: usize| Mistake::new(tokens.get(at).map_or_else(Span::call_site, TokenTree::span), FORM);
    let comma = tokens.iter().position(|token| is_punct(token, ',')).ok_or_else(|| wrong(0))?;
    let runtime = text_of(&tokens[..comma]);
    let open = comma + 1;
    if !tokens.get(open).is_some_and(|token| is_punct(token, '|')) {
        return Err(wrong(open));
    }
    let close =
        tokens[open + 1..].iter().position(|token| is_punct(token, '|')).ok_or_else(|| wrong(open))?
            + open
            + 1;
    let parameters = parameters_of(text_of(&tokens[open + 1..close]))?;
    let body = tokens.iter().rposition(|token| as_group(token, Delimiter::Brace).is_some());
    let body = body.filter(|&at| at > close).ok_or_else(|| wrong(close))?;
    let result = &tokens[close + 1..body];
    let result = match result {
        [] => "()".to_string(),
        [dash, arrow, of @ ..] if is_punct(dash, '-') && is_punct(arrow, '>') && !of.is_empty() => {
            text_of(of).to_string()
        }
        _ => return Err(wrong(close + 1)),
    };
    let call = call_of(as_group(&tokens[body], Delimiter::Brace).expect("it was found").stream())?;
    let free = free_arguments(&parameters, &call)?;
    Ok(written(&runtime.to_string(), &parameters, &result, &call, &free))
}

fn parameters_of(list: TokenStream) -> Result<Vec<Parameter>, Mistake> {
    split_at_commas(list)
        .into_iter()
        .map(|parameter| {
            let place = parameter[0].span();
            let colon = colon_of(&parameter).ok_or_else(|| Mistake::new(place, FORM))?;
            let [TokenTree::Ident(name)] = &parameter[..colon] else {
                return Err(Mistake::new(place, FORM));
            };
            Ok(Parameter { name: name.to_string(), of: text_of(&parameter[colon + 1..]).to_string() })
        })
        .collect()
}

fn call_of(body: TokenStream) -> Result<Call, Mistake> {
    let tokens: Vec<TokenTree> = body.into_iter().collect();
    if let [word, TokenTree::Group(inside)] = tokens.as_slice() {
        if is_word(word, "unsafe") {
            let call = call_of(inside.stream())?;
            return Ok(Call { is_unsafe: true, ..call });
        }
    }
    let place = tokens.first().map_or_else(Span::call_site, TokenTree::span);
    let wrong = || Mistake::new(place, format!("the body is one call of a handler: {FORM}"));
    let (list, path) = tokens.split_last().ok_or_else(wrong)?;
    let list = as_group(list, Delimiter::Parenthesis).ok_or_else(wrong)?;
    let is_path = |token: &TokenTree| is_punct(token, ':') || as_ident(token).is_some();
    if path.is_empty() || !path.iter().all(is_path) {
        return Err(wrong());
    }
    Ok(Call {
        handler: text_of(path).to_string(),
        arguments: split_at_commas(list.stream()),
        is_unsafe: false,
    })
}

/// For each argument, true if it is one of the closure's parameters; these must be in their order.
fn free_arguments(parameters: &[Parameter], call: &Call) -> Result<Vec<bool>, Mistake> {
    let mut next = 0;
    let mut free = Vec::new();
    for argument in &call.arguments {
        let name = match argument.as_slice() {
            [TokenTree::Ident(name)] => name.to_string(),
            _ => String::new(),
        };
        let known = parameters.iter().position(|parameter| parameter.name == name);
        if known.is_some_and(|at| at != next) {
            return Err(Mistake::new(
                argument[0].span(),
                "the closure has its parameters in the order in which the handler has them",
            ));
        }
        next += usize::from(known.is_some());
        free.push(known.is_some());
    }
    if let Some(left) = parameters.get(next) {
        return Err(Mistake::new(
            Span::call_site(),
            format!("the closure's parameter `{}` is no argument of the handler", left.name),
        ));
    }
    Ok(free)
}

fn written(runtime: &str, parameters: &[Parameter], result: &str, call: &Call, free: &[bool]) -> TokenStream {
    let list = |each: &dyn Fn(&Parameter) -> String| -> String {
        parameters.iter().map(each).collect::<Vec<_>>().join(", ")
    };
    let closure = list(&|parameter| format!("{}: {}", parameter.name, parameter.of));
    let types = list(&|parameter| parameter.of.clone());
    let names = list(&|parameter| parameter.name.clone());
    let arguments: Vec<String> =
        call.arguments.iter().map(|argument| text_of(argument).to_string()).collect();
    let (mut bound, mut fitted) = (String::new(), String::new());
    let mut reported = String::new();
    let (mut all, mut any, mut types_of_all) = (Vec::new(), Vec::new(), Vec::new());
    let mut left = parameters.iter();
    for (i, (argument, is_free)) in arguments.iter().zip(free).enumerate() {
        if *is_free {
            reported += "::sartor::Argument::free(), ";
            all.push(argument.clone());
            any.push("::sartor::RawBinding::value_of(::core::marker::PhantomData)".to_string());
            types_of_all.push(left.next().expect("one for each").of.clone());
        } else {
            bound += &format!("let sartor_bound_{i} = {argument};\n");
            fitted += &format!(
                "let sartor_fitted_{i} = ::sartor::RawBinding::fitted(sartor_type_{i}, sartor_bound_{i});\n"
            );
            reported += &format!("::sartor::Argument::bound(&sartor_fitted_{i}), ");
            all.push(format!("sartor_bound_{i}"));
            any.push(format!("::sartor::RawBinding::value_of(sartor_type_{i})"));
            types_of_all.push("_".to_string());
        }
    }
    let types_of_bound: String = (0..free.len())
        .filter(|&i| !free[i])
        .map(|i| format!("let sartor_type_{i} = ::core::marker::PhantomData;\n"))
        .collect();
    let (any, types_of_all) = (any.join(", "), types_of_all.join(", "));
    let all = all.join(", ");
    let handler = &call.handler;
    let called = |text: String| if call.is_unsafe { format!("unsafe {{ {text} }}") } else { text };
    let kind = if call.is_unsafe { "unsafe fn" } else { "fn" };
    let (native, tried) = (called(format!("{handler}({all})")), called(format!("sartor_native({any})")));
    // The code takes exactly the handler's types, while a call converts arguments, for example `&Vec<T>` to `&[T]`.
    // So the closure's types must be the handler's, and a bound value is converted first. The native code is called
    // if there is no other.
    format!(
        "{{
            {types_of_bound}
            if false {{
                let sartor_native: {kind}({types_of_all}) -> {result} = {handler};
                let _ = {tried};
            }}
            {bound}
            {fitted}
            let sartor_made = ::sartor::RawBinding::make(
                &{runtime}, {handler} as *const (), &[{reported}]);
            sartor_made.map(|sartor_raw| {{
                let sartor_kept = ::std::sync::Arc::clone(&sartor_raw);
                let sartor_code: ::core::option::Option<fn({types}) -> {result}> =
                    unsafe {{ sartor_raw.function() }};
                ::sartor::Binding::new(sartor_raw, move |{closure}| -> {result} {{
                    let _ = &sartor_kept;
                    match sartor_code {{
                        ::core::option::Option::Some(code) => code({names}),
                        ::core::option::Option::None => {native},
                    }}
                }})
            }})
        }}"
    )
    .parse()
    .expect("a binding is Rust")
}
