-- What test/interop/matrix_test.mjs does with every client: one tool for each
-- thing that can happen, and something of each kind to list. It has fields that
-- not every revision knows.

local ICON = { { src = "data:image/png;base64,AA==", mimeType = "image/png", sizes = { "48x48" } } }
local NOTE = "matrix://note"

capability "count" {
  title = "Count",
  description = "Reports progress, then says how far it got.",
  icons = ICON,
  annotations = { read_only = true },
  input = { to = integer { min_value = 1, max_value = 100 } },
  run = function(ctx, args)
    for i = 1, args.to do
      ctx:progress(i, args.to, "at " .. i)
      ctx:sleep(0.01)
    end
    return "counted to " .. args.to
  end,
}

capability "measure" {
  description = "Returns data of a declared shape.",
  output = { width = number, unit = text },
  side_effects = {},
  run = function() return { width = 2.5, unit = "m" } end,
}

capability "show" {
  description = "Returns a block of each kind.",
  side_effects = {},
  run = function(ctx)
    return {
      ctx:text("a text", { annotations = { priority = 1, audience = { "user" } } }),
      ctx:image("AA==", "image/png"),
      ctx:audio("AA==", "audio/wav"),
      ctx:resource { uri = NOTE, text = "a resource", mime_type = "text/plain" },
      ctx:link { uri = NOTE, name = "note", title = "A link" },
    }
  end,
}

capability "touch" {
  description = "Tells that the note has changed.",
  side_effects = {},
  run = function(ctx)
    ctx:updated(NOTE)
    return "touched"
  end,
}

-- Who subscribes to the pulse sees whether it still runs.
capability "beat" {
  description = "Never ends.",
  side_effects = {},
  run = function(ctx)
    while true do
      ctx:updated("matrix://pulse")
      ctx:sleep(0.01)
    end
  end,
}

capability "ask_user" {
  description = "Asks the user for a name.",
  side_effects = {},
  run = function(ctx)
    local answer = ctx:elicit {
      message = "Your name?",
      schema = { type = "object", properties = { name = { type = "string" } }, required = { "name" } },
    }
    return answer.action .. " " .. tostring((answer.content or {}).name)
  end,
}

capability "ask_model" {
  description = "Asks the client's model.",
  side_effects = {},
  run = function(ctx)
    return "it says " .. ctx:sample({ prompt = "Say hello.", max_tokens = 10 }).content.text
  end,
}

capability "ask_roots" {
  description = "Asks for the client's roots.",
  side_effects = {},
  run = function(ctx) return "it has " .. ctx:roots().roots[1].uri end,
}

resource(NOTE) {
  name = "note",
  title = "A note",
  description = "A text that can be watched.",
  mime_type = "text/plain",
  icons = ICON,
  run = function() return "a note" end,
}

resource "matrix://pulse" {
  name = "pulse",
  run = function() return "still here" end,
}

resource_template "matrix://item/{id}" {
  name = "item",
  title = "An item",
  run = function(_, args) return "item " .. args.id end,
}

prompt "summarise" {
  title = "Summarise",
  description = "Asks for a summary.",
  arguments = { what = text { description = "What is summarised." } },
  run = function(_, args) return "Summarise " .. args.what .. "." end,
}

completion {
  prompt = "summarise",
  argument = "what",
  run = function(_, args) return { args.value .. "!" } end,
}
