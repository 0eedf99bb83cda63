-- Hours. What the type says is also what callers may send.

capability "log_work" {
  description = "Notes how many hours somebody has worked on a ticket.",
  input = "Work",
  idempotent = true,
  side_effects = { graph_writes = { "default" } },
  annotations = { destructive = false },
  run = function(ctx, args) return ctx.kg:create("Work", args).id end,
}
