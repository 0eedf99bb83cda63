-- What people ask of tickets: each question is one call, of a ready-made tool and of ctx.kg.
node_type "Account" {
  ids = "preserve",
  fields = { domain = text { unique = true } },
  label = "domain",
  tools = { "create", "find" },
}
node_type "Agent" {
  ids = "preserve",
  fields = {
    name = text {},
    account = ref "Account" { optional = true },
    since = date { optional = true, index = true },
  },
  label = "name",
  tools = { "create", "find" },
}
node_type "Ticket" {
  ids = "preserve",
  fields = {
    title = text { search = true },
    state = text { one_of = { "open", "waiting", "closed" } },
    opened = datetime { index = true },
    due = datetime { optional = true, index = true },
    size = integer { optional = true },
    owner = ref "Agent" { optional = true },
    tags = text { many = true, optional = true },
    cost = integer { optional = true, scope = "builder" },
    invoice = ref "Invoice" { optional = true },
  },
  indexes = { { "state", "-due" } },
  label = "title",
  tools = { "create", "update", "find" },
}
-- Who may not read it finds nothing by it.
node_type "Invoice" {
  scope = "builder",
  fields = { ticket = ref "Ticket", amount = integer {}, paid_by = ref "Account" { optional = true } },
}
-- Its fields have the names of arguments: they keep them.
node_type "Rule" {
  fields = { filter = text {}, order = integer { optional = true } },
  tools = { "create", "find" },
}

local function ask(id, description, run)
  capability(id) { description = description, side_effects = {}, idempotent = true, run = function(ctx, args)
    return run(ctx.kg, args)
  end }
end

local function titles(found)
  local out = {}
  for i, ticket in ipairs(found) do out[i] = ticket.title end
  return out
end

ask("overdue", "Open tickets that are late.", function(kg)
  return titles(kg:where("Ticket", { due = { below = "2026-07-28T12:00:00Z" },
    state = { one_of = { "open", "waiting" } } }, { order = "due", fields = { "title" } }))
end)
ask("unassigned", "Tickets of nobody.", function(kg)
  return titles(kg:where("Ticket", { owner = { absent = true } }, { order = "title" }))
end)
ask("newest", "The tickets that came last.", function(kg)
  return titles(kg:where("Ticket", nil, { order = "-opened", limit = 2 }))
end)
ask("by_state", "How many there are.", function(kg)
  local count = {}
  for _, group in ipairs(kg:aggregate("Ticket", nil, { group = "state" })) do
    count[group.group] = group.count
  end
  return count
end)
ask("of_account", "Tickets of the people of one account.", function(kg)
  return titles(kg:where("Ticket", { ["owner.account"] = "acme" }, { order = "title" }))
end)
