-- What bench/hash.c measures: one call that brings many values.
node_type "Bag" {
  fields = { { "numbers", integer { many = true } } },
  tools = { "create" },
}
