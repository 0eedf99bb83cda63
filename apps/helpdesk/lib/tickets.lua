-- The life of a ticket.

local WRITES = { graph_writes = { "default" } }
local OPEN = { kind = "state", type = "Ticket", arg = "ticket", field = "state", one_of = { "open", "waiting" } }
local CLOSED = { kind = "state", type = "Ticket", arg = "ticket", field = "state", one_of = { "closed" } }

local function say(ctx, ticket, text, internal)
  ctx.kg:create("Comment", { ticket = ticket, at = ctx:now_text(), by = ctx.principal,
    text = text, internal = internal or false })
end

capability "open_ticket" {
  description = "Opens a ticket for a contact and gives its name, such as T-1001.",
  input = {
    { "contact", ref "Contact" { by = "email" } },
    { "title", text { min_length = 5, max_length = 120 } },
    { "details", text { optional = true, max_length = 4000 } },
    { "steps", text { list = true, optional = true, max_length = 200 } },
    { "priority", text { one_of = { "low", "normal", "urgent" }, default = "normal" } },
    { "tags", text { many = true, optional = true, max_length = 30 } },
  },
  idempotent = true,
  side_effects = WRITES,
  annotations = { destructive = false },
  run = function(ctx, args)
    local open = ctx.kg:count("Ticket", { contact = args.contact, state = { one_of = { "open", "waiting" } } })
    if open >= ctx.settings.max_open then
      return ctx:error("this contact has " .. open .. " open tickets already")
    end
    local now = ctx:now()
    local number = ctx.kg:next("tickets", 1001)
    args.number = number
    args.opened = ctx:now_text(now)
    if args.priority == "urgent" then args.due = ctx:now_text(now + 3600 * ctx.settings.answer_hours) end
    ctx.kg:create("Ticket", args, { id = "T-" .. number })
    return "T-" .. number
  end,
}

capability "get_ticket" {
  description = "A ticket with what was said about it, the oldest first.",
  input = { ticket = ref "Ticket" },
  side_effects = {},
  run = function(ctx, args)
    local ticket = ctx.kg:get(args.ticket)
    local said = ctx.kg:where("Comment", { ticket = ticket, internal = false }, { order = "at" })
    for i, comment in ipairs(said) do said[i] = { at = comment.at, by = comment.by, text = comment.text } end
    return { ticket = ticket, comments = array(said) }
  end,
}

capability "comment_ticket" {
  description = "Says something about a ticket; internal comments are not shown to contacts.",
  input = {
    { "ticket", ref "Ticket" },
    { "text", text { min_length = 1, max_length = 4000 } },
    { "internal", boolean { default = false } },
  },
  preconditions = { OPEN },
  side_effects = WRITES,
  annotations = { destructive = false },
  run = function(ctx, args) say(ctx, args.ticket, args.text, args.internal) end,
}

capability "assign_ticket" {
  description = "Gives a ticket to an agent, or to whoever is on call.",
  input = { { "ticket", ref "Ticket" }, { "agent", ref "Agent" { by = "email", optional = true } } },
  preconditions = { OPEN },
  idempotent = true,
  side_effects = WRITES,
  run = function(ctx, args)
    local agent = args.agent and ctx.kg:get(args.agent) or ctx.kg:where("Agent", { on_call = true })[1]
    if not agent then return ctx:error("nobody is on call") end
    ctx.kg:update(args.ticket, { assignee = agent })
    return "it is " .. agent.name .. "'s now"
  end,
}

capability "close_ticket" {
  description = "Closes a ticket, and says what was done.",
  input = { { "ticket", ref "Ticket" }, { "text", text { min_length = 5, max_length = 4000 } } },
  policy_required = { "gold_by_leads" },
  preconditions = { OPEN },
  postconditions = { { kind = "state", params = { state = "closed" } } },
  idempotent = true,
  side_effects = WRITES,
  run = function(ctx, args)
    say(ctx, args.ticket, args.text)
    ctx.kg:update(args.ticket, { state = "closed" })
    return "closed"
  end,
}

capability "reopen_ticket" {
  description = "Opens a ticket again, since it was not solved.",
  input = { { "ticket", ref "Ticket" }, { "text", text { min_length = 5, max_length = 4000 } } },
  preconditions = { CLOSED },
  side_effects = WRITES,
  run = function(ctx, args)
    say(ctx, args.ticket, args.text)
    ctx.kg:update(args.ticket, { state = "open" })
    return "open"
  end,
}
