-- What there is.

node_type "Account" {
  description = "A customer. People call it by its domain.",
  label = "domain",
  fields = {
    { "domain", text { pattern = [[^[a-z0-9-]+(\.[a-z0-9-]+)+$]], unique = true } },
    { "name", text { min_length = 2, max_length = 120, search = true } },
    { "plan", text { one_of = { "basic", "gold" }, default = "basic" } },
    { "since", date {} },
    { "rate", decimal { digits = 6, scale = 2, min_value = 0, description = "Of an hour of work, in euros." } },
    { "address", object "Address" { optional = true, fields = {
      { "street", text { max_length = 120 } },
      { "city", text { max_length = 80 } },
    } } },
  },
  tools = { "create", "update", "find" },
}

node_type "Contact" {
  description = "Somebody at a customer who may open tickets.",
  label = "name",
  fields = {
    { "email", email { unique = true } },
    { "name", text { min_length = 2, max_length = 80, search = true } },
    { "account", ref "Account" { by = "domain" } },
  },
  tools = { "create", "update", "find" },
}

node_type "Agent" {
  description = "Somebody of us who works on tickets.",
  label = "name",
  fields = {
    { "email", email { unique = true } },
    { "name", text { min_length = 2, max_length = 80, search = true } },
    { "on_call", boolean { default = false } },
  },
  tools = { "create", "update", "find" },
}

node_type "Ticket" {
  description = "What a contact wants of us. It is called T- and its number.",
  label = "title",
  ids = "preserve",
  fields = {
    { "number", integer { min_value = 1001, unique = true } },
    { "title", text { min_length = 5, max_length = 120, search = true } },
    { "details", text { optional = true, max_length = 4000, search = true } },
    { "steps", text { list = true, optional = true, max_length = 200, description = "To see it, in this order." } },
    { "state", text { one_of = { "open", "waiting", "closed" }, default = "open" } },
    { "priority", text { one_of = { "low", "normal", "urgent" }, default = "normal" } },
    { "contact", ref "Contact" { by = "email" } },
    { "assignee", ref "Agent" { by = "email", optional = true } },
    { "opened", datetime {} },
    { "due", datetime { optional = true } },
    { "tags", text { many = true, optional = true, max_length = 30 } },
  },
  indexes = { { "state", "due" } }, -- for overdue_tickets
  tools = { "find" },
}

node_type "Comment" {
  description = "What was said about a ticket. Internal ones are for ourselves.",
  label = "text",
  private = true,
  fields = {
    { "ticket", ref "Ticket" },
    { "at", datetime {} },
    { "by", text { max_length = 120 } },
    { "text", text { min_length = 1, max_length = 4000 } },
    { "internal", boolean { default = false } },
  },
}

node_type "Work" {
  description = "Hours that somebody has worked on a ticket.",
  fields = {
    { "ticket", ref "Ticket" },
    { "agent", ref "Agent" { by = "email" } },
    { "day", date {} },
    { "hours", decimal { digits = 4, scale = 2, min_exclusive = 0, max_value = 24 } },
  },
  tools = { "find" },
}
