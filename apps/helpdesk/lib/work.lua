-- Hours.

capability "log_work" {
  description = "Notes how many hours somebody has worked on a ticket.",
  input = {
    { "ticket", ref "Ticket" },
    { "agent", ref "Agent" { by = "email" } },
    { "day", date {} },
    { "hours", decimal { digits = 4, scale = 2, min_exclusive = 0, max_value = 24 } },
  },
  idempotent = true,
  side_effects = { graph_writes = { "default" } },
  annotations = { destructive = false },
  run = function(ctx, args) return ctx.kg:create("Work", args).id end,
}
