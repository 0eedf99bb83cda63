-- Questions. Each is one query: docs/queries.md has what can be asked.

local UNDONE = { one_of = { "open", "waiting" } }

local function brief(tickets)
  for i, t in ipairs(tickets) do
    tickets[i] = { ticket = "T-" .. t.number, title = t.title, state = t.state, due = t.due }
  end
  return { tickets = array(tickets) }
end

capability "search_tickets" {
  description = "Tickets that have these words, the best matches first.",
  input = { text = text { min_length = 2, max_length = 100 } },
  side_effects = {},
  run = function(ctx, args)
    return brief((ctx.kg:search(args.text, { type = "Ticket", limit = 20 })))
  end,
}

capability "overdue_tickets" {
  description = "Open tickets that should be done by now, the oldest first; or by another time.",
  input = { at = datetime { optional = true } },
  side_effects = {},
  run = function(ctx, args)
    return brief((ctx.kg:where("Ticket", { state = UNDONE, due = { below = args.at or ctx:now_text() } },
      { order = "due", limit = 50 })))
  end,
}

capability "unassigned_tickets" {
  description = "Open tickets that are nobody's, the newest first.",
  side_effects = {},
  run = function(ctx)
    return brief((ctx.kg:where("Ticket", { state = UNDONE, assignee = { absent = true } },
      { order = "-number", limit = 50 })))
  end,
}

capability "account_tickets" {
  description = "How many tickets an account has in each state.",
  input = { account = ref "Account" { by = "domain" } },
  side_effects = {},
  run = function(ctx, args)
    local found = ctx.kg:aggregate("Ticket", { ["contact.account"] = args.account }, { group = "state" })
    local counts = {}
    for _, row in ipairs(found) do counts[row.group] = row.count end
    return counts
  end,
}

capability "hours_worked" {
  description = "The hours of each agent in a span of days, both included.",
  input = { { "from", date {} }, { "to", date {} } },
  side_effects = {},
  run = function(ctx, args)
    local found = ctx.kg:aggregate("Work", { day = { min = args.from, max = args.to } },
      { group = "agent", sum = "hours" })
    local hours = {}
    for _, row in ipairs(found) do hours[ctx.kg:label(row.group)] = row.sum.hours end
    return hours
  end,
}
