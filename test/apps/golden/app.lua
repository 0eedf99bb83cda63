-- What test/fixtures/mcp_schemas holds: one capability for each constraint that
-- has a keyword in JSON Schema, and for each thing that a tool may carry.

local function none() return nil end

local function maps(id, field)
  capability("map." .. id) {
    description = "Has a field with " .. id .. ".",
    input = { value = field },
    side_effects = {},
    run = none,
  }
end

-- Kinds
maps("text", text)
maps("integer", integer)
maps("number", number)
maps("boolean", boolean)
maps("datetime", datetime)
maps("date", date { min_value = "2026-01-01", max_exclusive = "2027-01-01", default = "2026-07-28" })
maps("time", time { one_of = { "09:00:00", "14:30:00.50" }, description = "When the doors open." })
maps("duration", duration { many = true, max_value = "P90D", description = "How long each takes." })
maps("decimal", decimal { digits = 10, scale = 2, min_exclusive = 0 })
maps("decimal_any", decimal)
maps("uri", uri { max_length = 2000 })
maps("email", email { header = "Mail" })
maps("json", json { title = "Settings", schema = {
  type = "object", required = { "a", "c" }, additionalProperties = false,
  properties = {
    a = { type = "array", items = { type = "integer", minimum = 1 }, description = "Steps." },
    b = { type = { "string", "null" }, format = "date" },
    c = { ["$ref"] = "#/$defs/c" },
  },
  ["$defs"] = { c = { type = "string" } },
} })
maps("object", object "Address" { fields = { street = text { min_length = 2 }, since = date { optional = true } } })
maps("list", decimal { list = true, max_count = 4 })
maps("json_any", json { many = true, optional = true })

-- Constraints, by the names of ADR-0060
maps("required", text { required = true })
maps("optional", text { required = false })
maps("min_count", text { many = true, min_count = 2 })
maps("max_count", text { many = true, max_count = 3 })
maps("many", integer { many = true, min_value = 1 })
maps("min_length", text { min_length = 3 })
maps("max_length", text { max_length = 200 })
maps("pattern", text { pattern = [[^REQ-\d+$]] })
maps("one_of", text { one_of = { "proposed", "accepted", "räjäytetty" } })
maps("one_of_numbers", integer { one_of = { 1, 2, 5 } })
maps("min_value", integer { min_value = 1 })
maps("max_value", number { max_value = 0.5 })
maps("min_exclusive", number { min_exclusive = 0 })
maps("max_exclusive", number { max_exclusive = 1 })
maps("default", text { default = "proposed" })
maps("title", text { title = "A title" })
maps("description", text { description = "What it is." })
maps("header", text { header = "Region" })

-- A reference, and fields that are unique together: what JSON Schema has no
-- keyword for.
node_type "Person" { fields = { { "name", text } } }

maps("ref", ref "Person")
maps("ref_many", ref "Person" { many = true, optional = true })
maps("ref_any", ref())

node_type "Requirement" {
  description = "Something the product must do.",
  label = "title",
  fields = {
    { "project", text },
    { "number", integer { min_value = 1 } },
    { "title", text { min_length = 3, max_length = 200 } },
    { "status", text { one_of = { "proposed", "accepted", "rejected" }, default = "proposed" } },
    { "priority", integer { min_value = 1, max_value = 5, optional = true } },
    { "tags", text { many = true, optional = true } },
    { "owner", ref "Person" { optional = true } },
    { "due", datetime { optional = true } },
  },
  unique = { { "project", "number" } },
  tools = { "create", "update", "delete", "find" },
}

local WRITES = { graph_writes = { "default" } }

-- A parameter that is a type (ADR-0060's initial set).
capability "propose_requirement" {
  description = "Propose a requirement.",
  input = "Requirement",
  output = { id = text },
  side_effects = WRITES,
  run = function(ctx, args) return { id = ctx.kg:create("Requirement", args).id } end,
}

-- A shape with everything at once.
capability "matrix" {
  version = "1.2.0",
  title = "The matrix",
  description = "Has every constraint.",
  input = {
    { "code", text { pattern = "^[A-Z]{2,4}$", min_length = 2, max_length = 4, title = "Code",
        description = "Two to four capitals." } },
    { "count", integer { min_value = 1, max_value = 9, default = 3 } },
    { "share", number { min_exclusive = 0, max_exclusive = 1, optional = true } },
    { "state", text { one_of = { "open", "closed" } } },
    { "flag", boolean { default = false } },
    { "at", datetime { optional = true } },
    { "who", ref "Person" },
    { "tags", text { many = true, min_count = 1, max_count = 5, max_length = 20 } },
  },
  output = {
    { "n", integer { min_value = 0 } },
    { "names", text { many = true } },
  },
  side_effects = {},
  run = function() return { n = 1, names = { "one" } } end,
}

capability "research.search" {
  description = "Searches the literature.",
  input = { query = text { min_length = 1 }, limit = integer { min_value = 1, max_value = 100, default = 10 } },
  side_effects = { external_calls = { "https://example.org/" } },
  run = none,
}

-- It has not said that it does nothing, so nothing is promised of it.
capability "nothing" { run = none }

capability "verbatim" {
  description = "Brings its own schema.",
  input_schema = [[{"type": "object", "properties": {"b": {"type": "string"}, "a": {"const": 1}}}]],
  side_effects = {},
  run = none,
}

-- Annotations come from what it does, or are said.
capability "annotations.reads" { description = "Reads.", side_effects = {}, run = none }
capability "annotations.writes" { description = "Writes.", side_effects = WRITES, run = none }
capability "annotations.idempotent" {
  description = "Writes, but once.",
  side_effects = WRITES,
  idempotent = true,
  run = none,
}
capability "annotations.said" {
  description = "Says it itself.",
  side_effects = WRITES,
  annotations = { destructive = false, open_world = true },
  run = none,
}

capability "meta" {
  description = "Has a member of its own in _meta.",
  meta = { ["example.org/cost"] = { usd = 0.5 } },
  side_effects = {},
  run = none,
}
