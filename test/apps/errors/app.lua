-- Every way in which a call can go wrong, for test/interop/errors_test.mjs.

node_type "Person" { fields = { { "name", text } } }

node_type "Ticket" {
  label = "title",
  fields = {
    { "key", text { pattern = [[^T-\d+$]], unique = true } },
    { "title", text { min_length = 3, max_length = 20 } },
    { "state", text { one_of = { "open", "closed" }, default = "open" } },
    { "weight", number { min_value = 0, max_value = 1, optional = true } },
    { "project", text { optional = true } },
    { "number", integer { min_value = 1, optional = true } },
    { "owner", ref "Person" { optional = true } },
    { "tags", text { many = true, max_count = 2, optional = true } },
  },
  unique = { { "project", "number" } },
}

-- Rules that only the writer can decide: it sees what lands.
shape "Strict" {
  target_subjects_of = "trails://errors/Ticket#project",
  fields = {
    { "owner", ref "Person" { iri = "trails://errors/Ticket#owner" } },
    { "state", text { one_of = { "open" }, iri = "trails://errors/Ticket#state" } },
    { "weight", number { optional = true, max_value = 0.5, iri = "trails://errors/Ticket#weight" } },
    { "title", text { pattern = "^[A-Z]", min_length = 5, iri = "trails://errors/Ticket#title" } },
  },
}

-- The example of ADR-0060, "FieldError on the wire".
capability "propose" {
  description = "Proposes a requirement.",
  input = {
    { "status", text { one_of = { "proposed", "accepted", "rejected" } } },
    { "req_id", text { pattern = [[^REQ-\d+$]] } },
  },
  side_effects = {},
  run = function() return "proposed" end,
}

-- A field for each constraint, in this order.
capability "check" {
  description = "Takes what fits.",
  input = {
    { "must", text },
    { "count", integer { min_value = 1, max_value = 9 } },
    { "share", number { min_exclusive = 0, max_exclusive = 1, optional = true } },
    { "state", text { one_of = { "a", "b" } } },
    { "level", integer { one_of = { 1, 2 }, optional = true } },
    { "code", text { pattern = "^[A-Z]+$", min_length = 2, max_length = 4, optional = true } },
    { "flag", boolean { optional = true } },
    { "at", datetime { optional = true } },
    { "who", ref "Person" { optional = true } },
    { "tags", text { many = true, min_count = 1, max_count = 2, max_length = 3 } },
  },
  side_effects = {},
  run = function() return "fits" end,
}

capability "check_schema" {
  description = "The same from a schema.",
  input_schema = [[{"type": "object", "properties": {"size": {"type": "integer", "minimum": 3}},
    "required": ["size"], "additionalProperties": false}]],
  side_effects = {},
  run = function() return "fits" end,
}

local ANYTHING = [[{"type": "object"}]]
local WRITES = { graph_writes = { "default" } }

capability "create" {
  description = "Creates a ticket from whatever it is given.",
  input_schema = ANYTHING,
  side_effects = WRITES,
  run = function(ctx, args) return { id = ctx.kg:create("Ticket", args).id } end,
}

-- Past what a type says: each statement on its own (ADR-0060, criterion 6).
capability "add" {
  description = "Adds one statement.",
  input_schema = ANYTHING,
  side_effects = WRITES,
  run = function(ctx, args)
    ctx.kg:add(args.subject, args.predicate, args.object)
    return "added"
  end,
}

capability "name" {
  description = "Creates a person.",
  input = { name = text },
  output = { id = text },
  side_effects = WRITES,
  run = function(ctx, args) return { id = ctx.kg:create("Person", args).id } end,
}

capability "rename" {
  description = "Changes a person, if it is at a version.",
  input = { id = text, name = text, version = integer },
  side_effects = WRITES,
  run = function(ctx, args)
    ctx.kg:update(args.id, { name = args.name }, { if_version = args.version })
    return "renamed"
  end,
}

capability "keyed" {
  description = "Looks for a person, once for each key.",
  input = { name = text },
  idempotent = true,
  side_effects = {},
  run = function(ctx, args)
    if not ctx.kg:exists("Person", args) then
      error { code = "not_found", message = "there is no " .. args.name }
    end
    return args.name .. " is there"
  end,
}

capability "count" {
  description = "How many tickets there are.",
  side_effects = {},
  run = function(ctx) return { n = (ctx.kg:count "Ticket") } end,
}

capability "throw" {
  description = "Throws what it is given.",
  input_schema = ANYTHING,
  side_effects = {},
  run = function(_, args) error(args) end,
}

capability "crash" {
  description = "Has a bug.",
  side_effects = {},
  run = function() error("the moon is at fault") end,
}

capability "index" {
  description = "Has another bug.",
  side_effects = {},
  run = function() local none; return none.field end,
}

capability "misfit" {
  description = "Does not keep its promise.",
  output = { n = integer },
  side_effects = {},
  run = function() return { n = "one" } end,
}

capability "refuse" {
  description = "Returns an error.",
  side_effects = {},
  run = function(ctx) return ctx:error("no such order", { order = 7 }) end,
}

capability "refuse_promised" {
  description = "Returns an error, although it has promised something else.",
  output = { n = integer },
  input = { n = integer { min_value = 1 } },
  side_effects = {},
  run = function(ctx) return ctx:error("no such order", { order = 7 }) end,
}

capability "through" {
  description = "Fails because of another.",
  side_effects = {},
  run = function(ctx) return ctx:invoke("crash") end,
}

capability "spin" {
  description = "Never ends.",
  side_effects = {},
  run = function() while true do end end,
}

capability "hoard" {
  description = "Wants all memory.",
  side_effects = {},
  run = function()
    local all = {}
    for i = 1, 10000 do all[i] = ("x"):rep(100000) .. i end
  end,
}

capability "sleep" {
  description = "Takes too long.",
  side_effects = {},
  run = function(ctx) ctx:sleep(3600) end,
}

resource "errors://crash" { name = "crash", run = function() error("the sun is at fault") end }
resource "errors://nothing" { name = "nothing", run = function() return nil end }
resource "errors://lost" {
  name = "lost",
  run = function() error { code = "not_found", message = "it is lost" } end,
}
resource "errors://refused" {
  name = "refused",
  run = function() error { code = "invalid", message = "not like this", data = { hint = "that" } } end,
}

prompt "crash" { run = function() error("the stars are at fault") end }

-- What its author has withdrawn, and what is only advised against.
capability "old_way" {
  description = "Is no longer there.", version_status = "retired",
  side_effects = {},
  run = function() error "nobody calls it" end,
}
capability "new_way" {
  description = "Takes its place.", deprecates = "old_way",
  side_effects = {},
  run = function() return "new" end,
}
capability "fading" {
  description = "Will go.", version_status = "deprecated",
  side_effects = {},
  run = function() return "still here" end,
}
