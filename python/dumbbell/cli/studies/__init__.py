"""Commands of studies: compare, table, advise, validate, reproduce, bench."""
