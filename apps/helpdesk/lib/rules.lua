-- Who may do what.

policy "gold_by_leads" {
  description = "Tickets of gold accounts are closed by those whose token is called lead.",
  run = function(ctx, call)
    local ticket = ctx.kg:get("Ticket", tostring(call.arguments.ticket))
    if not ticket then return true end -- the call says so itself
    local account = ctx.kg:traverse(ticket, { "contact", "account" })[1]
    return account.plan ~= "gold" or call.principal == "token:lead",
      "it is a ticket of " .. account.domain .. ": ask a lead"
  end,
}
