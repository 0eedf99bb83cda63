-- What bench/kg.c measures: tasks that are read, notes that are written.
node_type "Task" {
  label = "title",
  fields = {
    { "title", text { search = true } },
    { "status", text { one_of = { "open", "done" } } },
    { "batch", integer },
    { "share", number },
  },
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
