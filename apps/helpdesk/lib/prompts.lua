-- What a person can pick.

prompt "answer" {
  description = "Writes an answer to whoever has opened a ticket.",
  arguments = {
    { "ticket", text { description = "Such as T-1001." } },
    { "tone", text { one_of = { "formal", "friendly" }, default = "friendly" } },
  },
  run = function(ctx, args)
    local ticket = ctx.kg:get("Ticket", args.ticket)
    if not ticket then error { code = "not_found", message = "there is no ticket " .. args.ticket } end
    return ("Write a %s answer to %s about '%s'. What they said: %s"):format(
      args.tone, ctx.kg:label(ticket.contact), ticket.title, ticket.details or "nothing more")
  end,
}

-- `tone` completes by itself; the tickets that are open, newest first, by hand.
completion {
  prompt = "answer",
  argument = "ticket",
  run = function(ctx, args)
    local names = {}
    for _, t in ipairs((ctx.kg:where("Ticket", { state = { one_of = { "open", "waiting" } } }, { order = "-number" }))) do
      local name = "T-" .. t.number
      if name:sub(1, #args.value) == args.value then names[#names + 1] = name end
    end
    return names
  end,
}
