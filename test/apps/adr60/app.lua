-- The app of ADR-0060's success criteria: test/interop/adr60_test.mjs.

node_type "Requirement" {
  description = "Something the product must do.",
  label = "title",
  fields = {
    { "req_id", text { pattern = [[^REQ-\d+$]], unique = true } },
    { "title", text { min_length = 3, max_length = 200 } },
    { "status", text { one_of = { "proposed", "accepted", "rejected" } } },
    { "priority", integer { min_value = 1, max_value = 5, optional = true } },
  },
  tools = { "create" },
}

local STATUS = "trails://adr60/Requirement#status"
local ANYTHING = [[{"type": "object"}]]
local WRITES = { graph_writes = { "default" } }

-- Requirement.objects(ctx).where(field = value), to its end.
capability "where" {
  description = "The IRIs and labels of the requirements that have a value.",
  input_schema = ANYTHING,
  side_effects = {},
  run = function(ctx, args)
    local out, after = array {}, nil
    repeat
      local page
      page, after = ctx.kg:where("Requirement", args, { limit = 7, after = after })
      for _, each in ipairs(page) do out[#out + 1] = { iri = each.id, label = each.title } end
    until not after
    return { found = out }
  end,
}

-- The ORM's save().
capability "save" {
  description = "Saves a requirement.",
  input_schema = ANYTHING,
  side_effects = WRITES,
  run = function(ctx, args) return { id = ctx.kg:create("Requirement", args).id } end,
}

-- ValidationError([FieldError(...), FieldError(...)])
capability "refuse" {
  description = "Finds two fields wrong.",
  side_effects = {},
  run = function()
    error {
      code = "validation",
      message = "validation failed on 2 field(s)",
      data = {
        fields = {
          { field = "status", code = "one_of", message = "status must be one of ['proposed']", value = "draft",
            constraint = { "proposed" } },
          { field = "req_id", code = "pattern", message = [[req_id must match ^REQ-\d+$]], value = "R1",
            constraint = [[^REQ-\d+$]] },
        },
      },
    }
  end,
}

-- Past the ORM: triples, one by one.
capability "write_status" {
  description = "Replaces the triple that has the status.",
  input = { id = text, from = text, to = text },
  side_effects = WRITES,
  run = function(ctx, args)
    ctx.kg:remove(args.id, STATUS, args.from)
    ctx.kg:add(args.id, STATUS, args.to)
    return "written"
  end,
}
