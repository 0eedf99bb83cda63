-- What bench/kg.c measures: tasks that are read, notes that are written.
node_type "Task" {
  label = "title",
  fields = {
    { "title", text { search = true } },
    { "status", text { one_of = { "open", "done" }, index = true } },
    { "batch", integer },
    { "share", number },
    { "rank", integer { optional = true, index = true } },
  },
  tools = { "find" },
}

node_type "Note" { fields = { { "body", text } } }

capability "read_task" {
  description = "Reads one task.",
  input = { key = text },
  side_effects = {},
  run = function(ctx, args)
    local task = ctx.kg:get("Task", args.key)
    return { title = task.title, status = task.status }
  end,
}

capability "search_tasks" {
  description = "Finds tasks by their words.",
  input = { text = text },
  side_effects = {},
  run = function(ctx, args)
    local found, more = ctx.kg:search(args.text, { type = "Task", limit = 25 })
    return { count = #found, more = more, first = found[1].title }
  end,
}

capability "write_note" {
  description = "Writes a note.",
  side_effects = { graph_writes = { "default" } },
  run = function(ctx) return { id = ctx.kg:create("Note", { body = "written" }).id } end,
}

-- A page in an order, from the beginning on or far behind it.
local behind
capability "ranked_tasks" {
  description = "Gives 25 tasks by their rank.",
  input = { deep = boolean { default = false } },
  side_effects = {},
  run = function(ctx, args)
    if args.deep and not behind then
      local count = ctx.kg:count("Task")
      behind = select(2, ctx.kg:where("Task", { rank = { min = count // 2 } }, { order = "rank", limit = 1 }))
    end
    local found = ctx.kg:where("Task", { rank = { min = 10 } },
      { order = "rank", limit = 25, fields = { "title" }, after = args.deep and behind or nil })
    return { count = #found, first = found[1].title, last = found[#found].title }
  end,
}
