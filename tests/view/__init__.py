"""Tests of pages. A package, so that its conftest is not `conftest`, which others import."""
