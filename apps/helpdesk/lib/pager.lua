-- Going out: a pager that wakes people up.

local pager = pager_url -- as app.lua has it

capability "page_on_call" {
  description = "Wakes up whoever is on call, about an urgent ticket.",
  input = { ticket = ref "Ticket" },
  preconditions = {
    { kind = "state", type = "Ticket", arg = "ticket", field = "priority", one_of = { "urgent" } },
  },
  idempotent = true,
  side_effects = { graph_writes = { "default" }, external_calls = { pager } },
  cost = { usd = 0.05, latency_p50_ms = 300 },
  run = function(ctx, args)
    local ticket = ctx.kg:get(args.ticket)
    local agent = ctx.kg:where("Agent", { on_call = true })[1]
    if not agent then return ctx:error("nobody is on call") end
    local body = json.encode { who = agent.email, text = ticket.title, ticket = "T-" .. ticket.number }
    local reply, why = ctx:fetch { url = pager .. "/pages", body = body, timeout_s = 5, headers = {
      ["Content-Type"] = "application/json",
      ["Authorization"] = "Bearer " .. ctx:secret "PAGER_TOKEN",
      ["X-Signature"] = ctx:hmac(ctx:secret "PAGER_TOKEN", body),
    } }
    if not reply then return ctx:error("the pager cannot be reached: " .. why.message) end
    if not reply.ok then return ctx:error("the pager says " .. reply.status) end
    ctx.kg:update(ticket, { assignee = agent })
    return { paged = agent.name, page = reply:json().id }
  end,
}
