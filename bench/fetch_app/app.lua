-- What bench/fetch.c measures: a tool that asks the host which the setting names.
local url = setting "url" (text { default = "http://127.0.0.1:1/" })

capability "get" {
  description = "Asks the host.",
  side_effects = { external_calls = { url } },
  run = function(ctx)
    local reply = assert(ctx:fetch { url = url })
    return reply.body
  end,
}
