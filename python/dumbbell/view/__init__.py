"""`view`: results as one page, whose panels share a time axis. Rust packs the numbers (`pack`), the
script of `web/` draws them; what is shown, and in what words, is decided here."""

from .page import write as write
