//! Where the expressions of Rust files are that a fault may change: cargo-mutants names an
//! operator, and a choice between two expressions needs both of its sides.
//!
//! Arguments: files. Output: a line for each place, with tabs between the file, the kind, and
//! positions `line:column`, from 1, whose ends are exclusive.
use proc_macro2::{LineColumn, Span};
use std::process::ExitCode;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// Prints what it visits.
struct Places<'a> {
    file: &'a str,
}

fn at(p: LineColumn) -> String {
    format!("{}:{}", p.line, p.column + 1)
}

impl Places<'_> {
    fn print(&self, kind: &str, spans: &[Span]) {
        let spans = spans.iter().map(|s| format!("{}\t{}", at(s.start()), at(s.end())));
        println!("{}\t{kind}\t{}", self.file, spans.collect::<Vec<_>>().join("\t"));
    }
}

impl<'ast> Visit<'ast> for Places<'_> {
    /// The operator, the whole. In a chain with `let` nothing but `&&` compiles.
    fn visit_expr_binary(&mut self, e: &'ast syn::ExprBinary) {
        let kind = if binds(&e.left) || binds(&e.right) { "chain" } else { "binary" };
        self.print(kind, &[e.op.span(), e.span()]);
        visit::visit_expr_binary(self, e);
    }
    /// The operator, the whole.
    fn visit_expr_unary(&mut self, e: &'ast syn::ExprUnary) {
        self.print("unary", &[e.op.span(), e.span()]);
        visit::visit_expr_unary(self, e);
    }
    /// The whole, the pattern, and the condition if there is one.
    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        let guard = arm.guard.iter().map(|(_, condition)| condition.span());
        let spans: Vec<_> = [arm.span(), arm.pat.span()].into_iter().chain(guard).collect();
        self.print("arm", &spans);
        visit::visit_arm(self, arm);
    }
    /// For each field before a base: the field, its value, the type, the base.
    fn visit_expr_struct(&mut self, e: &'ast syn::ExprStruct) {
        if let Some(rest) = &e.rest {
            for field in &e.fields {
                let spans = [field.span(), field.expr.span(), e.path.span(), rest.span()];
                self.print("field", &spans);
            }
        }
        visit::visit_expr_struct(self, e);
    }
}

/// Whether a condition has a `let` of its own.
fn binds(e: &syn::Expr) -> bool {
    match e {
        syn::Expr::Let(_) => true,
        syn::Expr::Binary(e) => binds(&e.left) || binds(&e.right),
        _ => false,
    }
}

fn main() -> ExitCode {
    for file in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&file).map_err(|e| e.to_string());
        match text.and_then(|text| syn::parse_file(&text).map_err(|e| e.to_string())) {
            Ok(parsed) => Places { file: &file }.visit_file(&parsed),
            Err(why) => {
                eprintln!("{file}: {why}");
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}
