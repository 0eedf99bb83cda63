-- What bench/import_rows.c imports, as rows and as statements.
node_type "Account" {
  description = "A customer.",
  fields = {
    { "domain", text { unique = true, min_length = 3 } },
    { "name", text { search = true } },
    { "size", integer { min_value = 0 } },
    { "rate", number { default = 1.5 } },
    { "active", boolean {} },
    { "since", datetime {} },
  },
}
