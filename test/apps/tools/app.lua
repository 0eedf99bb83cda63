-- Types with ready-made tools, one for each way in which they differ, and
-- capabilities that name their shapes.

node_type "Person" {
  description = "Somebody.",
  fields = {
    { "name", text { min_length = 2 } },
    { "email", text { optional = true, unique = true, pattern = [[^[^@\s]+@[^@\s]+$]] } },
  },
  tools = { "create", "update", "delete", "find" },
}

node_type "WorkItem" {
  description = "Something to do.",
  label = "title",
  fields = {
    { "project", text { one_of = { "DOCK", "HUB" } } },
    { "number", integer { min_value = 1 } },
    { "title", text { min_length = 3, max_length = 40 } },
    { "state", text { one_of = { "open", "done" }, default = "open" } },
    { "effort", number { optional = true, min_exclusive = 0 } },
    { "urgent", boolean { optional = true } },
    { "due", datetime { optional = true } },
    { "owner", ref "Person" { optional = true } },
    { "watchers", ref "Person" { many = true, optional = true } },
    { "tags", text { many = true, max_count = 3 } },
  },
  unique = { { "project", "number" } },
  tools = { "create", "update", "delete", "find" },
}

-- Its instances are work items too.
node_type "Bug" {
  extends = "WorkItem",
  fields = { { "severity", integer { min_value = 1, max_value = 4 } } },
  unique = { { "number", "severity" } },
  tools = { "create" },
}

node_type "Place" {
  ids = "preserve",
  fields = { { "name", text } },
  tools = { "create", "find" },
}

shape "Period" {
  description = "From one day to another.",
  fields = { { "from", datetime }, { "to", datetime { optional = true } } },
}

capability "report_bug" {
  description = "Reports a bug.",
  input = "Bug",
  output = "Bug",
  side_effects = { graph_writes = { "default" } },
  run = function(ctx, args) return ctx.kg:create("Bug", args) end,
}

capability "period" {
  description = "Gives back a period.",
  input = "Period",
  output = "Period",
  side_effects = {},
  run = function(_, args) return args end,
}

-- Two of the tools, and what they have changed is one change.
capability "hire" {
  description = "Creates a person and work for it.",
  input = { name = text, title = text, tags = text { many = true, optional = true } },
  output = { person = ref "Person", item = ref "WorkItem", found = integer },
  side_effects = { graph_writes = { "default" } },
  run = function(ctx, args)
    local person = ctx:invoke("create_person", { name = args.name })
    local item = ctx:invoke("create_work_item", {
      project = "HUB", number = 4000, title = args.title, owner = person.id, tags = args.tags or { "new" },
    })
    local found = ctx:invoke("find_work_item", { owner = person.id })
    return { person = person.id, item = item.id, found = #found.items }
  end,
}

-- What is shown beside data, and what breaks a promise.
capability "both" {
  description = "Gives a sentence and data.",
  output = { n = integer },
  side_effects = {},
  run = function(ctx) return ctx:result { content = "It is seven.", value = { n = 7 } } end,
}

capability "broken" {
  description = "Gives no output, or one that does not fit.",
  input = { how = text },
  output = { n = integer },
  side_effects = {},
  run = function(ctx, args)
    if args.how == "text" then return "seven" end
    if args.how == "wrong" then return { n = "seven" } end
    if args.how == "error" then return ctx:error "no seven today" end
  end,
}

-- What hosts are known to refuse, and what they take.
capability "dotted.name" {
  description = "Has a dot.",
  side_effects = {},
  run = function() return "well" end,
}

capability "union" {
  description = "Has a schema that several hosts refuse.",
  input_schema = [[{"type":"object","properties":{"a":{"type":["string","null"]}},"anyOf":[{"required":["a"]},{}]}]],
  side_effects = {},
  run = function() return "well" end,
}
