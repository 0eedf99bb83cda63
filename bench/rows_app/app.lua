-- What bench/rows.c measures; bench/rows_rival.yaml has the same tools.
node_type "Record" {
  label = "title",
  fields = {
    { "title", text },
    { "stream", text },
    { "connection", text },
    { "batch", text },
    { "reference", text },
    { "note", text },
    { "share", number },
    { "rank", integer },
    { "at", datetime },
  },
}

capability "get_record" {
  description = "Reads one record.",
  input = { id = text { description = "Which one." } },
  side_effects = {},
  run = function(ctx, args) return ctx.kg:get("Record", args.id) end,
}

capability "find_records" {
  description = "Finds the records of a connection in a stream.",
  input = {
    { "stream", text { description = "The stream." } },
    { "connection", text { description = "The connection." } },
  },
  side_effects = {},
  run = function(ctx, args)
    return { items = ctx.kg:where("Record", args, { limit = 25 }) }
  end,
}

capability "find_batch" {
  description = "Finds the records of a connection in a batch.",
  input = {
    { "batch", text { description = "The batch." } },
    { "connection", text { description = "The connection." } },
  },
  side_effects = {},
  run = function(ctx, args)
    return { items = ctx.kg:where("Record", args, { limit = 25 }) }
  end,
}

-- The pages that are measured are those of the resource trails://kg/Record.
capability "list_records" {
  description = "Names a hundred records.",
  input = { after = text { description = "The record before them." } },
  side_effects = {},
  run = function(ctx) return { items = ctx.kg:list("Record", { limit = 100 }) } end,
}
