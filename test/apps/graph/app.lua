-- A graph for test/interop/kg_test.mjs and kg_random_test.mjs: a field of every
-- kind, a subtype, and a way to create, change and delete.

node_type "Item" {
  description = "Something with a field of each kind.",
  label = "title",
  fields = {
    { "title", text { search = true } },
    { "state", text { one_of = { "open", "closed", "left open" }, optional = true } },
    { "size", integer { optional = true } },
    { "share", number { optional = true } },
    { "done", boolean { optional = true } },
    { "due", datetime { optional = true } },
    { "owner", ref "Person" { optional = true } },
    { "tags", text { many = true, optional = true } },
  },
}

node_type "Special" {
  extends = "Item",
  fields = { { "reason", text { optional = true } } },
}

node_type "Person" {
  label = "name",
  fields = { { "name", text { pattern = "^[A-Z]" } } },
}

-- As many as a page cannot hold.
node_type "Grain" {
  fields = { { "weight", integer }, { "row", integer } },
}

-- Whatever may be said of something.
node_type "Loose" {
  open = true,
  fields = { { "note", text { optional = true } } },
}

shape "NamedOwners" {
  target = "Item",
  fields = { { "owner", ref "Person" { optional = true } } },
}

local WRITES = { graph_writes = { "default" } }

capability "create" {
  description = "Creates an item.",
  input = { title = text, type = text { default = "Item" } },
  side_effects = WRITES,
  run = function(ctx, args) return { id = ctx.kg:create(args.type, { title = args.title }).id } end,
}

capability "change" {
  description = "Gives an item another title.",
  input = { id = text, title = text },
  side_effects = WRITES,
  run = function(ctx, args)
    ctx.kg:update(args.id, { title = args.title })
    return { id = args.id }
  end,
}

capability "delete" {
  description = "Deletes an item.",
  input = { id = text },
  side_effects = WRITES,
  run = function(ctx, args) return { deleted = ctx.kg:delete(args.id) } end,
}

-- Who watches Loose is told of this after all that was before it.
capability "tick" {
  description = "Writes something that nobody looks at.",
  side_effects = WRITES,
  run = function(ctx) return { id = ctx.kg:create("Loose", { note = "tick" }).id } end,
}

-- Fails when it lands: only then is it known that nobody has this name.
capability "fail_late" {
  description = "Creates an item whose owner is not there.",
  side_effects = WRITES,
  run = function(ctx)
    ctx.kg:create("Special", { title = "never", owner = "trails://graph/Person/nobody" })
    return "no"
  end,
}

-- What the filter must agree with (ADR-0060, success criterion 3).
capability "where" {
  description = "The titles of the items in a state.",
  input = { state = text },
  side_effects = {},
  run = function(ctx, args)
    local out = array {}
    for i, item in ipairs(ctx.kg:where("Item", { state = args.state }, { limit = 1000 })) do out[i] = item.id end
    return { ids = out }
  end,
}
